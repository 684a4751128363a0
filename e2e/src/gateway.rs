//! `latchkey-gateway` as a process, in whatever mode, and what its clients see of it. Each mode has a
//! starter of its own: [`standalone::Starter`], [`crate::cluster::gateway::Starter`].

mod standalone;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    ops::{Deref, DerefMut},
    path::PathBuf,
    process::Command,
};

pub use standalone::{Gateway, Starter};

use crate::{
    address::{ADMIN_PORT, BARRIER_PORT, PROXY_PORT, SECOND_PROXY_PORT},
    binaries,
    client::{self, Connection, Request, Response},
    daemon::Daemon,
    echo::Seen,
    logs::Logs,
    process::Process,
    wait::eventually,
};

/// The listener port of the suite's usual Gateway.
pub const PORT: u16 = 80;
/// The listener port of a second Gateway.
pub const SECOND_PORT: u16 = 81;
/// The listener port of the Gateway that barriers ask.
pub(crate) const BARRIER_LISTENER: u16 = 7;
/// How often an answer that must stay is asked for again.
const REPEATS: usize = 20;

/// What a gateway is started with in every mode.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) binary: PathBuf,
    pub(crate) access_log: &'static str,
    pub(crate) log: &'static str,
    pub(crate) listener: u16,
    pub(crate) workers: usize,
    /// How often the index begins to check itself; `None` is the gateway's own default.
    pub(crate) self_check: Option<&'static str>,
    pub(crate) args: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            binary: binaries::gateway(),
            access_log: "all",
            log: "info,latchkey=debug",
            listener: PORT,
            workers: 2,
            // What is tested is to hold without a net under it.
            self_check: Some("0s"),
            args: Vec::new(),
        }
    }
}

impl Settings {
    /// Starts a gateway that listens on this address; `mode` are the flags that say what it serves.
    pub(crate) fn spawn(&self, name: &str, mode: &[String], ip: Ipv4Addr, logs: &Logs) -> Running {
        let admin = SocketAddr::from((ip, ADMIN_PORT));
        let mut command = Command::new(&self.binary);
        command
            .args(mode)
            .args(["--admin", &admin.to_string()])
            .args(["--workers", &self.workers.to_string()])
            .args(["--access-log", self.access_log])
            .args(&self.args)
            .env("RUST_LOG", self.log);
        if let Some(interval) = self.self_check {
            // A flag among the arguments wins.
            command.env("LATCHKEY_SELF_CHECK_INTERVAL", interval);
        }
        for (listener, port) in [
            (self.listener, PROXY_PORT),
            (SECOND_PORT, SECOND_PROXY_PORT),
            (BARRIER_LISTENER, BARRIER_PORT),
        ] {
            command.args(["--listen", &format!("{listener}={ip}:{port}")]);
        }
        Running {
            daemon: Daemon::new("the gateway", Process::spawn(name, &mut command, logs), admin),
            ip,
        }
    }
}

/// A running gateway.
#[derive(Debug)]
pub struct Running {
    daemon: Daemon,
    ip: Ipv4Addr,
}

impl Deref for Running {
    type Target = Daemon;

    fn deref(&self) -> &Daemon {
        &self.daemon
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Daemon {
        &mut self.daemon
    }
}

impl Running {
    /// Where its usual listener is.
    pub fn proxy(&self) -> SocketAddr {
        (self.ip, PROXY_PORT).into()
    }

    /// Where the second Gateway's listener is.
    pub fn second_proxy(&self) -> SocketAddr {
        (self.ip, SECOND_PROXY_PORT).into()
    }

    /// Where the listener of barriers is.
    pub(crate) fn barrier_proxy(&self) -> SocketAddr {
        (self.ip, BARRIER_PORT).into()
    }

    /// A new client connection to its usual listener.
    pub fn connect(&self) -> Connection {
        Connection::open(self.proxy())
            .unwrap_or_else(|e| panic!("cannot connect: {e}\n{}", self.process().tail()))
    }

    /// Sends a request over a connection of its own; it must be answered.
    pub fn send(&self, request: &Request) -> Response {
        client::send(self.proxy(), request)
            .unwrap_or_else(|e| panic!("no answer to {request:?}: {e}\n{}", self.process().tail()))
    }

    /// The status of an answer.
    pub fn status(&self, request: &Request) -> u16 {
        self.send(request).status
    }

    /// How many entries its index holds: one for each digest of each Credential.
    pub fn entries(&self) -> u64 {
        let index = self.ask_admin("/debug/index").json()["index"].take();
        index["entries"].as_u64().expect("a number")
    }

    /// Waits until somebody's key is theirs, and stays so: the upstream sees this username.
    pub fn knows(&self, request: &Request, username: &str) {
        self.until(request, &format!("the key is {username}'s"), |response| {
            let seen = (response.status == 200).then(|| Seen::of(response));
            seen.and_then(|seen| seen.header("X-Consumer-Username"))
                .as_deref()
                == Some(username)
        });
    }

    /// Asks until an answer is as wanted, and then that it stays so.
    pub fn until(&self, request: &Request, what: &str, wanted: impl Fn(&Response) -> bool) -> Response {
        self.until_and_on(what, wanted, || self.send(request), || Ok(self.send(request)))
    }

    /// Asks until the status changes: no other status in between, and never the old one again.
    pub fn flips(&self, request: &Request, from: u16, to: u16) -> Response {
        self.until(request, &format!("{from} becomes {to}"), |response| {
            assert!(
                [from, to].contains(&response.status),
                "neither {from} nor {to} but {}: {}\n{}",
                response.status,
                response.text(),
                self.process().tail()
            );
            response.status == to
        })
    }

    /// Asks until the status is this one, whatever comes before, a closed port included, and then that
    /// it stays so.
    pub fn becomes(&self, request: &Request, status: u16) -> Response {
        self.until_and_on(
            &format!("the answer becomes {status}"),
            |response| response.status == status,
            || self.send(request),
            || client::send(self.proxy(), request),
        )
    }

    fn until_and_on(
        &self,
        what: &str,
        wanted: impl Fn(&Response) -> bool,
        on: impl Fn() -> Response,
        until: impl Fn() -> io::Result<Response>,
    ) -> Response {
        let response = eventually(what, || match until() {
            Ok(response) if wanted(&response) => Ok(response),
            Ok(response) => Err(format!(
                "{}: {}\n{}",
                response.status,
                response.text(),
                self.process().tail()
            )),
            Err(e) => Err(format!("{e}\n{}", self.process().tail())),
        });
        for _ in 0..REPEATS {
            let again = on();
            assert!(
                wanted(&again),
                "{what}, but then {}: {}",
                again.status,
                again.text()
            );
        }
        response
    }
}

/// Whether an address takes connections.
pub fn accepts(address: SocketAddr) -> bool {
    match Connection::open(address) {
        Ok(_) => true,
        Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => false,
        Err(e) => panic!("neither accepted nor refused by {address}: {e}"),
    }
}
