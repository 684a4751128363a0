//! `latchkey-gateway --standalone`: a gateway on a folder of manifests.

use std::{
    cell::Cell,
    ops::{Deref, DerefMut},
    path::PathBuf,
    process::ExitStatus,
};

use super::{BARRIER_LISTENER, Running, Settings};
use crate::{
    address::Address,
    client::{self, Request, Response},
    folder::Folder,
    logs::Logs,
    manifest,
    wait::eventually,
};

/// A gateway about to be started.
#[derive(Debug)]
pub struct Starter<'a> {
    folder: &'a Folder,
    address: &'a Address,
    logs: &'a Logs,
    settings: Settings,
}

/// A running gateway and its folder.
#[derive(Debug)]
pub struct Gateway<'a> {
    running: Running,
    folder: &'a Folder,
    barriers: Cell<u32>,
}

impl<'a> Starter<'a> {
    /// A gateway on this folder, listening on this address, with two workers and everything logged.
    pub fn new(folder: &'a Folder, address: &'a Address, logs: &'a Logs) -> Self {
        Self {
            folder,
            address,
            logs,
            settings: Settings::default(),
        }
    }

    /// Another binary than that of this workspace.
    pub fn binary(mut self, binary: PathBuf) -> Self {
        self.settings.binary = binary;
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

    /// Which requests it logs: `off`, `denied` or `all`.
    pub fn access_log(mut self, which: &'static str) -> Self {
        self.settings.access_log = which;
        self
    }

    /// With another listener port as the usual one.
    pub fn listener(mut self, port: u16) -> Self {
        self.settings.listener = port;
        self
    }

    /// With more arguments.
    pub fn args(mut self, args: &[&str]) -> Self {
        self.settings.args.extend(args.iter().map(|&arg| arg.to_owned()));
        self
    }

    /// Starts it, and waits until it is ready.
    pub fn start(self) -> Gateway<'a> {
        let mut gateway = self.start_unready();
        gateway.wait_ready();
        gateway
    }

    /// Starts it.
    pub fn start_unready(self) -> Gateway<'a> {
        let folder = self.folder.path().display().to_string();
        let mode = ["--standalone".to_owned(), folder];
        Gateway {
            running: self
                .settings
                .spawn("gateway", &mode, self.address.ip(), self.logs),
            folder: self.folder,
            barriers: Cell::new(0),
        }
    }

    /// Starts it, and waits until it ends by itself.
    pub fn fail(self) -> (ExitStatus, String) {
        let mut gateway = self.start_unready();
        let status = gateway.process_mut().wait();
        (status, gateway.process().output())
    }
}

impl Deref for Gateway<'_> {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.running
    }
}

impl DerefMut for Gateway<'_> {
    fn deref_mut(&mut self) -> &mut Running {
        &mut self.running
    }
}

impl Gateway<'_> {
    /// Waits until everything that was done to the folder before is in force. A new route of a
    /// Gateway of the barrier's own is written and asked for: what the folder held by then was
    /// read with it or before it.
    pub fn barrier(&self) {
        let number = self.barriers.replace(self.barriers.get() + 1);
        let host = format!("barrier-{number}.test");
        self.folder.write(
            "barrier.yaml",
            &[
                manifest::gateway("barrier", BARRIER_LISTENER).namespace("barrier"),
                manifest::http_route("barrier", "barrier", &host).namespace("barrier"),
            ],
        );
        let request = Request::get("/").host(&host);
        eventually("the folder is read", || {
            match client::send(self.barrier_proxy(), &request) {
                Ok(response) if response.status != 404 => Ok(()),
                Ok(_) => Err(format!(
                    "the barrier's route is not there\n{}",
                    self.process().tail()
                )),
                Err(e) => Err(format!("{e}\n{}", self.process().tail())),
            }
        });
    }

    /// Waits for the folder to be read, and then that an answer is what it was meant to stay.
    pub fn still(&self, request: &Request, status: u16) -> Response {
        self.barrier();
        let response = self.send(request);
        assert_eq!(
            response.status,
            status,
            "{}\n{}",
            response.text(),
            self.process().tail()
        );
        response
    }
}
