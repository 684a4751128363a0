//! `latchkey-gateway` on an API server, with the rights of its account.

use std::{
    ops::{Deref, DerefMut},
    process::ExitStatus,
};

use serde_json::Value;

use super::{Installation, Namespace, Relay, installation::GATEWAY};
use crate::{
    address::Address,
    gateway::{Running, Settings},
    manifest::Manifest,
    wait::eventually,
};

/// A gateway about to be started.
#[derive(Clone, Debug)]
pub struct Starter<'i> {
    installation: &'i Installation<'i>,
    relay: Option<&'i Relay>,
    settings: Settings,
}

/// A running gateway. Dropping it kills it.
#[derive(Debug)]
pub struct Gateway {
    running: Running,
    _address: Address,
}

impl<'i> Starter<'i> {
    pub(crate) fn new(installation: &'i Installation<'_>) -> Self {
        Self {
            installation,
            relay: None,
            settings: Settings::default(),
        }
    }

    /// With the API server behind a relay.
    pub fn through(mut self, relay: &'i Relay) -> Self {
        self.relay = Some(relay);
        self
    }

    /// With more arguments.
    pub fn args(mut self, args: &[&str]) -> Self {
        self.settings.args.extend(args.iter().map(|&arg| arg.to_owned()));
        self
    }

    /// As it is measured: one worker, no access log, the usual log, the usual self-check.
    pub fn measured(mut self) -> Self {
        self.settings.access_log = "off";
        self.settings.log = "info";
        self.settings.workers = 1;
        self.settings.self_check = None;
        self
    }

    /// Starts it, and waits until it is ready: it has read everything once, the pepper included.
    pub fn start(self) -> Gateway {
        let mut gateway = self.start_unready();
        gateway.wait_ready();
        gateway
    }

    /// Starts two of them, and waits until both are ready.
    pub fn start_two(self) -> [Gateway; 2] {
        // Both at once: one waits while the other starts.
        let mut both = [self.clone().start_unready(), self.start_unready()];
        for gateway in &mut both {
            gateway.wait_ready();
        }
        both
    }

    /// Starts it.
    pub fn start_unready(self) -> Gateway {
        let address = Address::claim();
        let kubeconfig = self.installation.kubeconfig(GATEWAY, self.relay);
        let mode = self.installation.flags(&kubeconfig);
        Gateway {
            running: self
                .settings
                .spawn("gateway", &mode, address.ip(), self.installation.logs()),
            _address: address,
        }
    }

    /// Starts it, and waits until it ends by itself.
    pub fn fail(self) -> (ExitStatus, String) {
        let mut gateway = self.start_unready();
        let status = gateway.process_mut().wait();
        (status, gateway.process().output())
    }
}

impl Gateway {
    /// What it says of its watches under `/debug/index`.
    pub fn watches(&self) -> Value {
        self.ask_admin("/debug/index").json()["watch"].take()
    }

    /// Waits until that is as wanted.
    pub fn until_watches(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        eventually(what, || {
            let watches = self.watches();
            match wanted(&watches) {
                true => Ok(watches),
                false => Err(watches.to_string()),
            }
        })
    }

    /// Waits until the age in seconds of its last contact with the API server is as wanted.
    pub fn until_contact(&self, what: &str, wanted: impl Fn(f64) -> bool) {
        self.until_watches(what, |watches| {
            watches["contactAgeSeconds"].as_f64().is_some_and(&wanted)
        });
    }

    /// Waits until its watch has told of an object as it is now. Gateways watch all kinds that they serve
    /// by, and no Secret but the pepper, of which there is nothing to wait for here.
    pub fn until_seen(&self, namespace: &Namespace<'_>, named: &Manifest) {
        if named.kind() == "Secret" {
            return;
        }
        let object = namespace.read(named).unwrap_or_default();
        // Versions may be compared as numbers where the store is never put back.
        let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
        let version: u64 = version.parse().expect("a version is a number");
        let what = format!("the gateway sees {} {}", named.kind(), named.name());
        self.until_watches(&what, |watches| {
            watches["kinds"][named.kind()]["revision"].as_u64() >= Some(version)
        });
    }
}

impl Deref for Gateway {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.running
    }
}

impl DerefMut for Gateway {
    fn deref_mut(&mut self) -> &mut Running {
        &mut self.running
    }
}
