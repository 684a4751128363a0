//! `latchkey-cluster serve`: holds one control plane until its standard input closes or it is told to
//! end, and does meanwhile what the lines it reads say.
//!
//! ```text
//! kill PROGRAM              as a crash would         (etcd, apiserver, controller-manager)
//! start PROGRAM [FLAG..]    and wait until ready
//! stop PROGRAM              SIGSTOP: it holds its connections and answers nothing
//! continue PROGRAM          SIGCONT
//! save FOLDER               copies the store into a new folder
//! restore FOLDER            puts that copy in the store's place; etcd and apiserver start again
//! ```
//!
//! Each line is answered by `ok` or `error: ...` in one line. The first line it writes is `ready` and
//! what a client must know, as JSON.

use std::{
    fs,
    io::{self, BufRead, Write},
    net::Ipv4Addr,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
};

use anyhow::{Context, bail};
use rustix::process::Signal;
use serde::{Deserialize, Serialize};
use tokio::signal::unix::{SignalKind, signal};

use super::{
    api::RUNTIME,
    crds,
    plane::{Plane, Program},
};

/// What a control plane is started with.
#[derive(Clone, Debug, clap::Args)]
pub struct ServeArgs {
    /// Where it keeps keys, data, logs and `admin.kubeconfig`; all but the logs go with it.
    #[arg(long, value_name = "FOLDER")]
    pub dir: PathBuf,
    /// With kube-controller-manager: namespaces end, and objects follow their owners.
    #[arg(long)]
    pub controller_manager: bool,
    /// Without any CRD.
    #[arg(long)]
    pub no_crds: bool,
}

/// What follows `ready`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Ready {
    /// The API server's URL.
    pub server: String,
    /// The host's address on the network it shares with the control plane.
    pub host: Ipv4Addr,
    /// The certificate, as PEM, by which the API server is known.
    pub ca: String,
    /// A kubeconfig with all rights.
    pub kubeconfig: PathBuf,
}

/// What the main thread waits for.
enum Event {
    Line(String),
    End,
}

/// Serves; must be called by the thread of `main`, with which the programs die.
///
/// # Errors
/// It cannot start.
pub fn serve(args: &ServeArgs) -> anyhow::Result<()> {
    let events = listen()?;
    fs::create_dir_all(&args.dir).with_context(|| format!("cannot make {}", args.dir.display()))?;
    let dir = args.dir.canonicalize()?;
    let mut plane = Plane::start(&dir)?;
    if !args.no_crds {
        crds::install(plane.api())?;
    }
    if args.controller_manager {
        plane.launch(Program::ControllerManager, &[])?;
    }
    let ready = Ready {
        server: plane.server(),
        host: plane.host(),
        ca: plane.ca().to_owned(),
        kubeconfig: dir.join("admin.kubeconfig"),
    };
    answer(&format!("ready {}", serde_json::to_string(&ready)?))?;
    while let Ok(Event::Line(line)) = events.recv() {
        match obey(&mut plane, &line) {
            Ok(()) => answer("ok")?,
            Err(e) => answer(&format!("error: {}", format!("{e:#}").replace('\n', " | ")))?,
        }
    }
    Ok(())
}

fn answer(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

fn obey(plane: &mut Plane, line: &str) -> anyhow::Result<()> {
    let mut words = line.split_whitespace().map(str::to_owned);
    let verb = words.next().unwrap_or_default();
    let object = words.next().context("a command has an object")?;
    let flags: Vec<_> = words.collect();
    let program = || Program::named(&object);
    match verb.as_str() {
        "kill" => plane.kill(program()?),
        "start" => plane.launch(program()?, &flags),
        "stop" => plane.signal(program()?, Signal::STOP),
        "continue" => plane.signal(program()?, Signal::CONT),
        "save" => plane.save(Path::new(&object)),
        "restore" => plane.restore(Path::new(&object)),
        _ => bail!("no such command: {verb}"),
    }
}

/// Standard input and signals as one queue.
fn listen() -> io::Result<mpsc::Receiver<Event>> {
    let (lines, events) = mpsc::sync_channel(1);
    let ends = lines.clone();
    on_signal(move || {
        // Whether or not anybody still listens: this is the end.
        let _ = ends.send(Event::End);
    })?;
    thread::Builder::new().name("stdin".into()).spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if lines.send(Event::Line(line)).is_err() {
                return;
            }
        }
        let _ = lines.send(Event::End);
    })?;
    Ok(events)
}

/// Runs this once, on a thread of its own, when SIGTERM or SIGINT comes.
pub(crate) fn on_signal(then: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let _guard = RUNTIME.enter();
    let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    RUNTIME.spawn(async move {
        tokio::select! { _ = term.recv() => {}, _ = int.recv() => {} }
        let _ = tokio::task::spawn_blocking(then).await;
    });
    Ok(())
}
