//! A real control plane, and what tests do with it.
//!
//! ```text
//! latchkey-cluster (process)   serve -> plane -> network, pki, etcd, kube-apiserver
//!   ^ lines
//! Cluster -> Namespace -> kubectl (a user), Api (the fast way)
//!       `-> Installation (accounts, RBAC) -> Operator, Gateway (processes)
//!                                                `-> Relay -> kube-apiserver
//! ```
//!
//! A test begins like this:
//!
//! ```no_run
//! use latchkey_e2e::cluster::{Cluster, Installation};
//!
//! let installation = Installation::in_a_namespace(Cluster::shared());
//! let operator = installation.operator().start();
//! let gateway = installation.gateway().start();
//! installation.namespace().apply(&[latchkey_e2e::manifest::consumer("alice")]);
//! ```
//!
//! On the shared cluster each test has a namespace, and its processes see that one alone. What breaks
//! the control plane, or watches all namespaces, starts one of its own: [`Cluster::own`].

mod accounts;
pub mod api;
mod child;
mod crds;
pub mod crowd;
pub mod gateway;
pub mod holder;
mod installation;
pub mod kubeconfig;
pub mod kubectl;
mod namespace;
mod network;
pub mod operator;
pub mod pki;
mod plane;
pub mod playground;
pub mod programs;
pub mod relay;
mod resource;
pub mod scene;
mod schema;
pub mod serve;
mod stage;
pub mod watch;

use std::{
    fs::OpenOptions,
    io::{self, BufRead, BufReader, Write},
    net::Ipv4Addr,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

pub use accounts::Access;
pub use crowd::Crowd;
pub use gateway::Gateway;
pub use holder::Holder;
pub use installation::Installation;
pub use namespace::Namespace;
pub use operator::Operator;
pub use relay::Relay;
pub use scene::Scene;
pub use stage::Stage;
pub use watch::Watch;

use self::{api::Api, serve::Ready};
use crate::{binaries, logs::Logs, wait::eventually};

/// A running control plane. Dropping it ends it; however this process ends, it ends, too.
#[derive(Debug)]
pub struct Cluster {
    ready: Ready,
    api: Api,
    folder: PathBuf,
    control: Mutex<Control>,
    copies: AtomicUsize,
}

/// The line to `latchkey-cluster serve`.
#[derive(Debug)]
struct Control {
    process: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// A copy of the store, in a cluster's folder.
#[derive(Clone, Debug)]
pub struct Copy(PathBuf);

impl Cluster {
    /// The one that most tests of a run share: with CRDs, without the controller manager. Started by
    /// the first who asks. Nobody may break it.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&[]))
    }

    /// One of the test's own, with CRDs, to break.
    pub fn own() -> Self {
        Self::start(&[])
    }

    /// One of the test's own with the controller manager: namespaces end when deleted, and objects
    /// follow their owners.
    pub fn own_with_controllers() -> Self {
        Self::start(&["--controller-manager"])
    }

    fn start(flags: &[&str]) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let logs = Logs::named(&format!("cluster-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        let folder = logs.path().to_owned();
        let mut process = Command::new(binaries::cluster())
            .args(["serve", "--dir"])
            .arg(&folder)
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|e| panic!("cannot start latchkey-cluster: {e}"));
        let commands = process.stdin.take();
        let mut answers = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        let mut line = String::new();
        answers.read_line(&mut line).expect("its output is a pipe");
        let ready: Ready = line
            .strip_prefix("ready ")
            .and_then(|json| serde_json::from_str(json).ok())
            .unwrap_or_else(|| panic!("no control plane: what latchkey-cluster wrote above says why"));
        Self {
            api: Api::new(&ready.kubeconfig).expect("a kubeconfig of ours"),
            ready,
            folder,
            control: Mutex::new(Control {
                process,
                commands,
                answers,
            }),
            copies: AtomicUsize::new(0),
        }
    }

    /// A client with all rights.
    pub fn api(&self) -> &Api {
        &self.api
    }

    /// The API server's URL.
    pub fn server(&self) -> &str {
        &self.ready.server
    }

    /// The certificate, as PEM, by which the API server is known.
    pub fn ca(&self) -> &str {
        &self.ready.ca
    }

    /// A kubeconfig with all rights.
    pub fn kubeconfig(&self) -> &Path {
        &self.ready.kubeconfig
    }

    /// This machine's address on the cluster's network. Upstreams listen on it: an EndpointSlice
    /// refuses loopback.
    pub fn host(&self) -> Ipv4Addr {
        self.ready.host
    }

    /// `kill -9` of the API server.
    pub fn kill_apiserver(&self) {
        self.order("kill apiserver");
    }

    /// Starts the API server again, and waits until it is ready.
    pub fn start_apiserver(&self) {
        self.order("start apiserver");
    }

    /// [`Cluster::start_apiserver`] with more flags (`--min-request-timeout=4` ends every watch after
    /// 4 to 8 seconds).
    pub fn start_apiserver_with(&self, flags: &[&str]) {
        self.order(&format!("start apiserver {}", flags.join(" ")));
    }

    /// SIGSTOP of the API server: connections stay, nothing is answered.
    pub fn stop_apiserver(&self) {
        self.order("stop apiserver");
    }

    /// SIGCONT of the API server.
    pub fn continue_apiserver(&self) {
        self.order("continue apiserver");
    }

    /// `kill -9` of etcd.
    pub fn kill_etcd(&self) {
        self.order("kill etcd");
    }

    /// Starts etcd again on what it wrote.
    pub fn start_etcd(&self) {
        self.order("start etcd");
    }

    /// SIGSTOP of etcd.
    pub fn stop_etcd(&self) {
        self.order("stop etcd");
    }

    /// SIGCONT of etcd.
    pub fn continue_etcd(&self) {
        self.order("continue etcd");
    }

    /// Copies the store as it is at this moment; everything runs on.
    pub fn save_store(&self) -> Copy {
        let number = self.copies.fetch_add(1, Ordering::Relaxed);
        let copy = self.folder.join(format!("store-{number}"));
        self.order(&format!("save {}", copy.display()));
        Copy(copy)
    }

    /// Puts a copy in the store's place: resourceVersions go back. etcd and the API server start
    /// again; waits until they are ready.
    pub fn restore_store(&self, copy: &Copy) {
        self.order(&format!("restore {}", copy.0.display()));
    }

    fn order(&self, line: &str) {
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        let mut answer = String::new();
        let asked = control
            .commands
            .as_mut()
            .is_some_and(|pipe| writeln!(pipe, "{line}").is_ok());
        if asked {
            // An end without an answer leaves it empty.
            let _ = control.answers.read_line(&mut answer);
        }
        assert_eq!(answer.trim(), "ok", "latchkey-cluster was told: {line}");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let control = self.control.get_mut().unwrap_or_else(PoisonError::into_inner);
        control.commands = None;
        let ended = || control.process.try_wait().map_err(|e| e.to_string());
        if std::thread::panicking() {
            // It ends by itself; a second panic would end the whole run.
            return;
        }
        let mut ended = ended;
        eventually("the control plane ends", || {
            ended()?.ok_or_else(|| "it runs".to_owned())
        });
        for copy in 0..*self.copies.get_mut() {
            let _ = std::fs::remove_dir_all(self.folder.join(format!("store-{copy}")));
        }
    }
}

/// Removes a file, if there is one.
pub(crate) fn forget(file: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(file) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            Err(anyhow::Error::new(e).context(format!("cannot remove {}", file.display())))
        }
        _ => Ok(()),
    }
}

/// Writes a file that nobody else may read: it holds a key or a token.
pub(crate) fn write_private(file: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(file)?
        .write_all(text.as_bytes())
}
