//! `latchkey-operator` as a process, with the rights of its account.

use std::{
    net::SocketAddr,
    ops::{Deref, DerefMut},
    process::{Command, ExitStatus},
};

use rustix::process::Signal;

use super::{Installation, Relay, installation::OPERATOR};
use crate::{
    address::{ADMIN_PORT, Address},
    binaries,
    daemon::Daemon,
    process::Process,
    wait::eventually,
};

/// An operator about to be started.
#[derive(Debug)]
pub struct Starter<'i> {
    installation: &'i Installation<'i>,
    relay: Option<&'i Relay>,
    log: &'static str,
    args: Vec<String>,
}

/// A running operator. Dropping it kills it, as a crash would.
#[derive(Debug)]
pub struct Operator {
    daemon: Daemon,
    _address: Address,
}

impl<'i> Starter<'i> {
    pub(crate) fn new(installation: &'i Installation<'_>) -> Self {
        Self {
            installation,
            relay: None,
            log: "info,latchkey=debug",
            args: Vec::new(),
        }
    }

    /// With the API server behind a relay.
    pub fn through(mut self, relay: &'i Relay) -> Self {
        self.relay = Some(relay);
        self
    }

    /// With more arguments.
    pub fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|&arg| arg.to_owned()));
        self
    }

    /// As it is measured: with the usual log.
    pub fn measured(mut self) -> Self {
        self.log = "info";
        self
    }

    /// Starts it, and waits until it is ready and the pepper is made.
    pub fn start(self) -> Operator {
        let installation = self.installation;
        let mut operator = self.start_unready();
        operator.wait_ready();
        installation.guard_pepper();
        operator
    }

    /// Starts it.
    pub fn start_unready(self) -> Operator {
        let address = Address::claim();
        let admin: SocketAddr = address.port(ADMIN_PORT);
        let kubeconfig = self.installation.kubeconfig(OPERATOR, self.relay);
        let mut command = Command::new(binaries::operator());
        command
            .args(self.installation.flags(&kubeconfig))
            .args(["--admin", &admin.to_string()])
            .args(&self.args)
            .env("RUST_LOG", self.log);
        let process = Process::spawn("operator", &mut command, self.installation.logs());
        Operator {
            daemon: Daemon::new("the operator", process, admin),
            _address: address,
        }
    }

    /// Starts it, and waits until it ends by itself.
    pub fn fail(self) -> (ExitStatus, String) {
        let mut operator = self.start_unready();
        let status = operator.process_mut().wait();
        (status, operator.process().output())
    }
}

impl Operator {
    /// What a counter or gauge says; 0 where there is no such sample.
    pub fn number(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        self.metrics().sum(name, labels).unwrap_or_default()
    }

    /// Tells it to end, and waits until it has: it gives its lease back.
    pub fn stop(mut self) {
        self.process().signal(Signal::TERM);
        let status = self.process_mut().wait();
        assert!(status.success(), "{status}: {}", self.process().tail());
    }

    /// How often it has looked at a Credential to the end.
    pub fn looks(&self) -> f64 {
        self.number("latchkey_operator_reconciles_total", &[])
    }

    /// Waits until it has looked more often than that.
    pub fn until_looks(&self, before: f64) {
        self.until_metric("latchkey_operator_reconciles_total", &[], |looks| looks > before);
    }

    /// Waits until it leads.
    pub fn wait_leading(&self) {
        self.until_metric("latchkey_operator_leader", &[], |leads| leads > 0.0);
    }

    /// Waits until it has looked at a Credential so many times since it started, and nothing waits any more.
    pub fn wait_settled(&self, looks: f64) {
        eventually(
            &format!("the operator has looked {looks} times and nothing waits"),
            || {
                let (looked, waiting) = (self.looks(), self.number("latchkey_operator_queue_depth", &[]));
                (looked >= looks && waiting == 0.0)
                    .then_some(())
                    .ok_or_else(|| format!("{looked}, {waiting}: {}", self.process().tail()))
            },
        );
    }
}

impl Deref for Operator {
    type Target = Daemon;

    fn deref(&self) -> &Daemon {
        &self.daemon
    }
}

impl DerefMut for Operator {
    fn deref_mut(&mut self) -> &mut Daemon {
        &mut self.daemon
    }
}
