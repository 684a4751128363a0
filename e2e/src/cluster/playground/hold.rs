//! The process that holds a playground: it starts everything, starts again what died when asked, and
//! takes everything with it when it ends.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::SocketAddr,
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

use super::{ADMINS, ECHO_PORT, GATEWAYS, OPERATOR_ADMIN, PATIENCE, UpArgs, socket::Held};
use crate::{
    client::{self, Request},
    cluster::{
        Access, accounts,
        child::{Child, tethered},
        crds, forget,
        kubeconfig::kubeconfig,
        plane::{Plane, Program},
        serve::on_signal,
        write_private,
    },
    manifest::Manifest,
    wait::pause,
};

/// Where operator and gateways live.
const NAMESPACE: &str = "latchkey-system";

/// What is asked of the main thread.
enum Event {
    Line(String, UnixStream),
    End,
}

/// One of our programs: how it is started, and it, while it runs.
#[derive(Debug)]
struct Part {
    name: &'static str,
    program: PathBuf,
    args: Vec<String>,
    /// What answers 200 when it is ready.
    ready: (SocketAddr, &'static str),
    child: Option<Child>,
}

/// All of it. Parts go before the control plane.
#[derive(Debug)]
struct Playground {
    parts: Vec<Part>,
    plane: Plane,
    dir: PathBuf,
}

/// Holds a playground until it is told to end; must be called by the thread of `main`.
///
/// # Errors
/// What does not start, and why.
pub fn hold(args: &UpArgs) -> anyhow::Result<()> {
    let held = Held::take(&args.dir)?;
    let (events, received) = mpsc::sync_channel(1);
    let ends = events.clone();
    on_signal(move || {
        // Whether or not anybody still listens: this is the end.
        let _ = ends.send(Event::End);
    })?;
    let mut playground = Playground::start(args)?;
    let listener = held.listen()?;
    thread::Builder::new()
        .name("control".into())
        .spawn(move || listen(&listener, &events))?;
    while let Ok(Event::Line(line, mut stream)) = received.recv() {
        let done = match line.as_str() {
            "end" => {
                let _ = writeln!(stream, "ok it ends");
                break;
            }
            "repair" => playground.repair(),
            other => Err(anyhow::anyhow!("no such command: {other}")),
        };
        // Who asked may be gone.
        let _ = match done {
            Ok(said) => writeln!(stream, "ok {said}"),
            Err(e) => writeln!(stream, "{}", format!("{e:#}").replace('\n', " | ")),
        };
    }
    Ok(())
}

fn listen(listener: &UnixListener, events: &mpsc::SyncSender<Event>) {
    for stream in listener.incoming() {
        let Ok(stream) = stream else { continue };
        let Ok(reader) = stream.try_clone() else { continue };
        let mut line = String::new();
        if BufReader::new(reader).read_line(&mut line).is_ok()
            && events
                .send(Event::Line(line.trim_end().to_owned(), stream))
                .is_err()
        {
            return;
        }
    }
}

impl Playground {
    fn start(args: &UpArgs) -> anyhow::Result<Self> {
        let dir = args.dir.clone();
        let mut plane = Plane::start_fixed(&dir)?;
        crds::install(plane.api())?;
        plane.launch(Program::ControllerManager, &[])?;
        fs::rename(dir.join("admin.kubeconfig"), dir.join("kubeconfig"))?;
        let namespace = Manifest::new("v1", "Namespace", NAMESPACE);
        let answer = plane.api().apply(&namespace);
        ensure!(answer.status < 300, "{}", answer.text());
        accounts::apply(plane.api(), NAMESPACE, &Access::Cluster);
        let parts = parts(&plane, &dir, &args.bin_dir)?;
        let mut playground = Self { parts, plane, dir };
        for part in &playground.parts {
            forget(&part.log(&playground.dir))?;
        }
        // All at once; each waits for what it needs of the others.
        playground.start_parts()?;
        Ok(playground)
    }

    /// Starts again what died; says what that was.
    fn repair(&mut self) -> anyhow::Result<String> {
        let mut repaired = self.plane.repair()?;
        repaired.extend(self.start_parts()?);
        Ok(if repaired.is_empty() {
            "everything is well".to_owned()
        } else {
            format!("started again: {}", repaired.join(", "))
        })
    }

    /// Starts those that do not run and waits until all are ready; gives their names.
    fn start_parts(&mut self) -> anyhow::Result<Vec<&'static str>> {
        let mut started = Vec::new();
        for part in &mut self.parts {
            let is_running = match &mut part.child {
                Some(child) => child.ended()?.is_none(),
                None => false,
            };
            if !is_running {
                let log = part.log(&self.dir);
                part.child = Some(Child::spawn(
                    part.name,
                    tethered(&part.program).args(&part.args),
                    log,
                )?);
                started.push(part.name);
            }
        }
        let start = Instant::now();
        for part in &mut self.parts {
            part.wait_ready(start)?;
        }
        Ok(started)
    }
}

impl Part {
    fn log(&self, dir: &Path) -> PathBuf {
        dir.join(format!("{}.log", self.name))
    }

    fn wait_ready(&mut self, start: Instant) -> anyhow::Result<()> {
        let (address, path) = self.ready;
        loop {
            let seen = match client::send(address, &Request::get(path)) {
                Ok(response) if response.status == 200 => return Ok(()),
                Ok(response) => response.text(),
                Err(e) => e.to_string(),
            };
            self.child.as_mut().context("it was started")?.must_run()?;
            if start.elapsed() > PATIENCE / 2 {
                bail!("{} is not ready: {seen}", self.name);
            }
            pause(Duration::from_millis(10));
        }
    }
}

impl Drop for Playground {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.dir.join("kubeconfig"));
    }
}

fn parts(plane: &Plane, dir: &Path, bin_dir: &Path) -> anyhow::Result<Vec<Part>> {
    let account = |name: &str| -> anyhow::Result<Vec<String>> {
        let user = accounts::token(plane.api(), NAMESPACE, name);
        let file = dir.join("pki").join(format!("{name}.kubeconfig"));
        write_private(&file, &kubeconfig(&plane.server(), plane.ca(), &user, NAMESPACE))?;
        Ok(words(&[
            "--kubeconfig",
            &file.display().to_string(),
            "--namespace",
            NAMESPACE,
            "--log-format",
            "text",
        ]))
    };
    let echo = SocketAddr::from((plane.host(), ECHO_PORT));
    let mut operator = account("latchkey-operator")?;
    operator.extend(words(&["--admin", OPERATOR_ADMIN]));
    let mut parts = vec![
        Part {
            name: "echo",
            program: bin_dir.join("latchkey-echo"),
            args: words(&["--listen", &echo.to_string(), "--name", "cluster"]),
            ready: (echo, "/"),
            child: None,
        },
        Part {
            name: "operator",
            program: bin_dir.join("latchkey-operator"),
            args: operator,
            ready: (OPERATOR_ADMIN.parse()?, "/readyz"),
            child: None,
        },
    ];
    for (number, name) in ["gateway-1", "gateway-2"].into_iter().enumerate() {
        let mut args = account("latchkey-gateway")?;
        args.extend(words(&["--admin", ADMINS[number]]));
        args.extend(words(&["--listen", &format!("80={}", GATEWAYS[number])]));
        parts.push(Part {
            name,
            program: bin_dir.join("latchkey-gateway"),
            args,
            ready: (ADMINS[number].parse()?, "/readyz"),
            child: None,
        });
    }
    Ok(parts)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}
