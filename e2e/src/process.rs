//! A child process of a test: its output in files, its end by its own pid, its resources from
//! `/proc`. When it ends its output is searched for key material.

use std::{
    fs::{self, File},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    keys,
    logs::Logs,
    wait::{eventually, eventually_within},
};

/// How many looks without use of CPU make a thread idle.
const IDLE_LOOKS: u32 = 3;

/// A running (or ended) child. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Process {
    /// Starts a command with its output captured.
    pub fn spawn(name: &str, command: &mut Command, logs: &Logs) -> Self {
        let stdout = logs.file(&format!("{name}.out"));
        let stderr = logs.file(&format!("{name}.err"));
        let create = |path: &PathBuf| File::create(path).expect("the logs' folder is writable");
        let child = command
            .stdin(Stdio::null())
            .stdout(create(&stdout))
            .stderr(create(&stderr))
            .spawn()
            .unwrap_or_else(|e| panic!("cannot start {command:?}: {e}"));
        Self {
            name: name.to_owned(),
            child,
            stdout,
            stderr,
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal)
            .unwrap_or_else(|e| panic!("cannot signal {}: {e}", self.name));
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("a child of ours can be waited for")
    }

    /// Waits until it ends.
    pub fn wait(&mut self) -> ExitStatus {
        let what = format!("{} ends", self.name);
        eventually(&what, || self.ended().ok_or_else(|| "it runs".to_owned()))
    }

    /// Waits until it ends, which must be within this time.
    pub fn wait_within(&mut self, deadline: Duration) -> ExitStatus {
        let what = format!("{} ends", self.name);
        eventually_within(deadline, &what, || {
            self.ended().ok_or_else(|| "it runs".to_owned())
        })
    }

    /// What it wrote to standard output so far.
    pub fn stdout(&self) -> String {
        read(&self.stdout)
    }

    /// What it wrote to standard error so far.
    pub fn stderr(&self) -> String {
        read(&self.stderr)
    }

    /// All it wrote so far.
    pub fn output(&self) -> String {
        self.stdout() + &self.stderr()
    }

    /// The end of its output, for messages.
    pub fn tail(&self) -> String {
        let output = self.output();
        let lines: Vec<_> = output.lines().collect();
        lines[lines.len().saturating_sub(15)..].join("\n")
    }

    /// Its largest resident memory so far, in KiB.
    pub fn peak_memory_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap_or_default();
        status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))
            .and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse().ok())
            .unwrap_or_else(|| {
                panic!(
                    "{} shows no VmHWM; it may have ended:\n{}",
                    self.name,
                    self.tail()
                )
            })
    }

    /// The CPU time so far of those of its threads whose names are wanted. The scheduler's
    /// nanoseconds, since a tick of `utime` is longer than what is measured with it.
    pub fn cpu(&self, wanted: impl Fn(&str) -> bool) -> Duration {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.pid()))
            .unwrap_or_else(|e| panic!("{} shows no tasks: {e}\n{}", self.name, self.tail()));
        let nanos = tasks
            .flatten()
            .filter(|task| fs::read_to_string(task.path().join("comm")).is_ok_and(|name| wanted(name.trim())))
            .filter_map(|task| fs::read_to_string(task.path().join("schedstat")).ok())
            .filter_map(|text| text.split(' ').next().and_then(|first| first.parse::<u64>().ok()))
            .sum();
        Duration::from_nanos(nanos)
    }

    /// Waits until these of its threads have used no CPU for some looks in a row.
    pub fn wait_idle(&self, wanted: impl Fn(&str) -> bool) {
        let mut seen = (self.cpu(&wanted), 0);
        eventually("its threads are idle", || {
            let now = self.cpu(&wanted);
            seen = if seen.0 == now {
                (now, seen.1 + 1)
            } else {
                (now, 0)
            };
            if seen.1 >= IDLE_LOOKS {
                Ok(())
            } else {
                Err(format!("{now:?}"))
            }
        });
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Either may fail only because it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        for path in [&self.stdout, &self.stderr] {
            let text = fs::read(path).unwrap_or_default();
            let Some(leak) = keys::leak(&text) else {
                continue;
            };
            // A second panic would end the whole suite.
            assert!(
                thread::panicking(),
                "{} wrote {leak} of {}",
                self.name,
                path.display()
            );
        }
    }
}

fn read(path: &PathBuf) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}
