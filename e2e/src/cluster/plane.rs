//! One control plane: a network namespace, its certificates, and etcd, kube-apiserver and (if wanted)
//! kube-controller-manager in it. What it owns ends with it.

use std::{
    fs::{self, DirBuilder},
    net::{IpAddr, Ipv4Addr},
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use rustix::process::Signal;

use super::{
    api::Api,
    child::Child,
    kubeconfig::{User, kubeconfig},
    network::Network,
    pki::Pki,
    programs::Programs,
};
use crate::wait::pause;

const APISERVER_PORT: u16 = 6443;
/// Inside of the namespace, so it is nobody else's.
const ETCD: &str = "http://127.0.0.1:2379";
const ETCD_PEER: &str = "http://127.0.0.1:2380";
const ETCD_LOG: &str = "etcd.log";
const APISERVER_LOG: &str = "apiserver.log";
const CONTROLLER_MANAGER_LOG: &str = "controller-manager.log";
/// How long a program may take to be ready.
const START: Duration = Duration::from_secs(60);

/// One of the programs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Program {
    Etcd,
    Apiserver,
    ControllerManager,
}

impl Program {
    /// By its name.
    pub(crate) fn named(name: &str) -> anyhow::Result<Self> {
        Ok(match name {
            "etcd" => Self::Etcd,
            "apiserver" => Self::Apiserver,
            "controller-manager" => Self::ControllerManager,
            _ => bail!("no program is called {name}: etcd, apiserver, controller-manager"),
        })
    }
}

/// The control plane. Dropping it kills its programs and removes its network and data.
#[derive(Debug)]
pub(crate) struct Plane {
    // Before the network, which they are in.
    controller_manager: Option<Child>,
    apiserver: Option<Child>,
    etcd: Option<Child>,
    network: Network,
    programs: &'static Programs,
    pki: Pki,
    folder: PathBuf,
    api: Api,
}

impl Plane {
    /// Starts etcd and the API server on a network of its own, and waits until it is ready.
    ///
    /// # Errors
    /// It cannot start; nothing of it stays.
    pub(crate) fn start(folder: &Path) -> anyhow::Result<Self> {
        Self::start_on(Network::create()?, folder)
    }

    /// [`Plane::start`] on the one network whose addresses are known beforehand.
    pub(crate) fn start_fixed(folder: &Path) -> anyhow::Result<Self> {
        Self::start_on(Network::create_fixed()?, folder)
    }

    fn start_on(network: Network, folder: &Path) -> anyhow::Result<Self> {
        let programs = Programs::find()?;
        let addresses = [IpAddr::from(network.inside()), Ipv4Addr::LOCALHOST.into()];
        // What an earlier plane in this folder may have left when it was killed.
        remove(folder)?;
        for log in [ETCD_LOG, APISERVER_LOG, CONTROLLER_MANAGER_LOG] {
            super::forget(&folder.join(log))?;
        }
        let pki = Pki::create(&folder.join("pki"), &addresses)?;
        let server = format!("https://{}:{APISERVER_PORT}", network.inside());
        let admin = kubeconfig(
            &server,
            &pki.ca_pem,
            &User::Certificate(pki.admin.clone()),
            "default",
        );
        let file = folder.join("admin.kubeconfig");
        super::write_private(&file, &admin)?;
        let mut plane = Self {
            controller_manager: None,
            apiserver: None,
            etcd: None,
            api: Api::new(&file)?,
            network,
            programs,
            pki,
            folder: folder.to_owned(),
        };
        // At once: the API server waits for its store.
        plane.etcd = Some(plane.spawn_etcd()?);
        plane.launch(Program::Apiserver, &[])?;
        Ok(plane)
    }

    /// The host's address on the network that it shares with the control plane.
    pub(crate) fn host(&self) -> Ipv4Addr {
        self.network.host()
    }

    /// The API server's URL.
    pub(crate) fn server(&self) -> String {
        format!("https://{}:{APISERVER_PORT}", self.network.inside())
    }

    /// The CA's certificate, as PEM.
    pub(crate) fn ca(&self) -> &str {
        &self.pki.ca_pem
    }

    /// A client with all rights.
    pub(crate) fn api(&self) -> &Api {
        &self.api
    }

    /// Starts a program that does not run, with more flags, and waits until it is ready.
    pub(crate) fn launch(&mut self, program: Program, flags: &[String]) -> anyhow::Result<()> {
        if let Some(child) = self.slot(program)
            && child.ended()?.is_none()
        {
            bail!("it runs already");
        }
        let child = match program {
            Program::Etcd => self.spawn_etcd()?,
            Program::Apiserver => self.spawn_apiserver(flags)?,
            Program::ControllerManager => self.spawn_controller_manager(flags)?,
        };
        *self.slot(program) = Some(child);
        if program == Program::Apiserver {
            self.wait_ready()?;
        }
        Ok(())
    }

    /// Kills a program, as a crash would, and waits for its end.
    pub(crate) fn kill(&mut self, program: Program) -> anyhow::Result<()> {
        let child = self.slot(program).take();
        ensure!(child.is_some(), "it does not run");
        Ok(())
    }

    /// Sends a signal to a program.
    pub(crate) fn signal(&mut self, program: Program, signal: Signal) -> anyhow::Result<()> {
        self.slot(program)
            .as_ref()
            .context("it does not run")?
            .signal(signal)
    }

    /// Starts again what ended by itself; gives the names.
    pub(crate) fn repair(&mut self) -> anyhow::Result<Vec<&'static str>> {
        let mut repaired = Vec::new();
        for (program, name) in [
            (Program::Etcd, "etcd"),
            (Program::Apiserver, "apiserver"),
            (Program::ControllerManager, "controller-manager"),
        ] {
            let is_dead = match self.slot(program) {
                Some(child) => child.ended()?.is_some(),
                None => false,
            };
            if is_dead {
                self.launch(program, &[])?;
                repaired.push(name);
            }
        }
        Ok(repaired)
    }

    /// Copies the store as it is at this moment. etcd stands still meanwhile, and what it has written
    /// by then is what a crash would leave: its log makes it whole.
    pub(crate) fn save(&mut self, copy: &Path) -> anyhow::Result<()> {
        let store = self.store();
        self.signal(Program::Etcd, Signal::STOP)?;
        let copied = copy_folder(&store, copy);
        self.signal(Program::Etcd, Signal::CONT)?;
        copied
    }

    /// Puts a copy in the place of the store. Both programs start again: an API server keeps what it
    /// read of a store.
    pub(crate) fn restore(&mut self, copy: &Path) -> anyhow::Result<()> {
        ensure!(copy.is_dir(), "{} is no copy of a store", copy.display());
        self.apiserver = None;
        self.etcd = None;
        fs::remove_dir_all(self.store())?;
        copy_folder(copy, &self.store())?;
        self.launch(Program::Etcd, &[])?;
        self.launch(Program::Apiserver, &[])
    }

    fn store(&self) -> PathBuf {
        self.folder.join("store")
    }

    fn slot(&mut self, program: Program) -> &mut Option<Child> {
        match program {
            Program::Etcd => &mut self.etcd,
            Program::Apiserver => &mut self.apiserver,
            Program::ControllerManager => &mut self.controller_manager,
        }
    }

    fn spawn_etcd(&self) -> anyhow::Result<Child> {
        let mut command = self.network.command(&self.programs.etcd);
        command
            .args(["--name", "latchkey", "--unsafe-no-fsync", "--log-level", "warn"])
            .arg("--data-dir")
            .arg(self.store())
            .args(["--listen-client-urls", ETCD, "--advertise-client-urls", ETCD])
            .args(["--listen-peer-urls", ETCD_PEER])
            .args(["--initial-advertise-peer-urls", ETCD_PEER])
            .args(["--initial-cluster", &format!("latchkey={ETCD_PEER}")])
            .args(["--quota-backend-bytes", "4294967296"]);
        Child::spawn("etcd", &mut command, self.folder.join(ETCD_LOG))
    }

    fn spawn_apiserver(&self, flags: &[String]) -> anyhow::Result<Child> {
        let mut command = self.network.command(&self.programs.apiserver);
        let mut flag = |name: &str, value: &dyn AsRef<std::ffi::OsStr>| {
            let mut text = std::ffi::OsString::from(format!("--{name}="));
            text.push(value);
            command.arg(text);
        };
        flag("etcd-servers", &ETCD);
        flag("bind-address", &"0.0.0.0");
        flag("advertise-address", &self.network.inside().to_string());
        flag("secure-port", &APISERVER_PORT.to_string());
        flag("tls-cert-file", &self.pki.server.0);
        flag("tls-private-key-file", &self.pki.server.1);
        flag("client-ca-file", &self.pki.ca);
        flag("authorization-mode", &"RBAC");
        flag("service-account-issuer", &"https://kubernetes.default.svc");
        flag("service-account-key-file", &self.pki.tokens.0);
        flag("service-account-signing-key-file", &self.pki.tokens.1);
        flag("service-cluster-ip-range", &"10.96.0.0/16");
        flag("allow-privileged", &"true");
        command.args(flags);
        Child::spawn("kube-apiserver", &mut command, self.folder.join(APISERVER_LOG))
    }

    fn spawn_controller_manager(&self, flags: &[String]) -> anyhow::Result<Child> {
        let user = User::Certificate(self.pki.controller_manager.clone());
        let file = self.folder.join("pki/controller-manager.kubeconfig");
        super::write_private(
            &file,
            &kubeconfig(&self.server(), &self.pki.ca_pem, &user, "default"),
        )?;
        let mut command = self.network.command(&self.programs.controller_manager);
        for name in [
            "kubeconfig",
            "authentication-kubeconfig",
            "authorization-kubeconfig",
        ] {
            command.arg(format!("--{name}")).arg(&file);
        }
        command
            .arg("--root-ca-file")
            .arg(&self.pki.ca)
            .arg("--service-account-private-key-file")
            .arg(&self.pki.tokens.1)
            .args(["--bind-address=127.0.0.1", "--leader-elect=false"])
            .arg("--use-service-account-credentials=true")
            // With the default of 20 a second its controllers take seconds to start.
            .args(["--kube-api-qps=500", "--kube-api-burst=1000"])
            .args(flags);
        Child::spawn(
            "kube-controller-manager",
            &mut command,
            self.folder.join(CONTROLLER_MANAGER_LOG),
        )
    }

    fn wait_ready(&mut self) -> anyhow::Result<()> {
        let start = Instant::now();
        loop {
            let seen = match self.api.try_request("GET", "/readyz", None) {
                Ok(answer) if answer.status == 200 => return Ok(()),
                Ok(answer) => answer.text(),
                Err(e) => e,
            };
            for child in [&mut self.etcd, &mut self.apiserver].into_iter().flatten() {
                child.must_run()?;
            }
            ensure!(
                start.elapsed() < START,
                "the API server is not ready after {START:?}: {seen}"
            );
            pause(Duration::from_millis(10));
        }
    }
}

impl Drop for Plane {
    fn drop(&mut self) {
        self.controller_manager = None;
        self.apiserver = None;
        self.etcd = None;
        let _ = remove(&self.folder);
    }
}

/// Removes keys and data of a plane; its logs stay.
fn remove(folder: &Path) -> anyhow::Result<()> {
    for name in ["pki", "store"] {
        let path = folder.join(name);
        if path.exists() {
            fs::remove_dir_all(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
    }
    super::forget(&folder.join("admin.kubeconfig"))
}

fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(to)
        .with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), &place)
                .with_context(|| format!("cannot copy {}", entry.path().display()))?;
        }
    }
    Ok(())
}
