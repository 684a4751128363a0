//! A program that dies with the process that started it, however that ends: the kernel kills it when
//! the thread that spawned it is gone. So it must be spawned by a thread that lives as long as it:
//! that of `main`.

use std::{
    ffi::OsStr,
    fs::{self, OpenOptions},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};

/// How much of a log a message shows.
const TAIL: usize = 15;

/// A command that dies with its parent thread, in a process group of its own: what a terminal
/// sends to its foreground group is for the parent alone.
pub(crate) fn tethered(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "--"])
        .arg(program)
        .process_group(0);
    command
}

/// A running (or ended) program whose output goes to a file. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Child {
    name: &'static str,
    process: std::process::Child,
    log: PathBuf,
}

impl Child {
    /// Starts a command made by [`tethered`]; its output is appended to the log.
    pub(crate) fn spawn(name: &'static str, command: &mut Command, log: PathBuf) -> anyhow::Result<Self> {
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .with_context(|| format!("cannot write {}", log.display()))?;
        let process = command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()
            .with_context(|| format!("cannot start {name} ({command:?})"))?;
        Ok(Self { name, process, log })
    }

    /// How it ended, if it has.
    pub(crate) fn ended(&mut self) -> anyhow::Result<Option<ExitStatus>> {
        Ok(self.process.try_wait()?)
    }

    /// That it has not ended.
    ///
    /// # Errors
    /// It has; the message shows the end of its log.
    pub(crate) fn must_run(&mut self) -> anyhow::Result<()> {
        match self.ended()? {
            None => Ok(()),
            Some(status) => anyhow::bail!("{} ended with {status}:\n{}", self.name, tail(&self.log)),
        }
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        kill_process(Pid::from_child(&self.process), signal)
            .with_context(|| format!("cannot signal {}", self.name))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Either may fail only because it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn tail(log: &Path) -> String {
    let text = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
    let lines: Vec<_> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL)..].join("\n")
}
