//! `latchkey-gateway --standalone` as a process, and what a test asks of it.

use std::{
    cell::Cell,
    io,
    net::SocketAddr,
    path::PathBuf,
    process::{Command, ExitStatus},
};

use crate::{
    address::{ADMIN_PORT, Address, BARRIER_PORT, PROXY_PORT, SECOND_PROXY_PORT},
    binaries,
    client::{self, Connection, Request, Response},
    folder::Folder,
    logs::Logs,
    manifest,
    metrics::Scrape,
    process::Process,
    wait::eventually,
};

/// The listener port of the suite's usual Gateway.
pub const PORT: u16 = 80;
/// The listener port of a second Gateway.
pub const SECOND_PORT: u16 = 81;
/// The listener port of the Gateway that barriers ask.
const BARRIER_LISTENER: u16 = 7;
/// How often an answer that must stay is asked for again.
const REPEATS: usize = 20;

/// A gateway about to be started.
#[derive(Debug)]
pub struct Starter<'a> {
    folder: &'a Folder,
    address: &'a Address,
    logs: &'a Logs,
    binary: PathBuf,
    access_log: &'static str,
    log: &'static str,
    listener: u16,
    workers: usize,
    args: Vec<String>,
}

/// A running gateway.
#[derive(Debug)]
pub struct Gateway<'a> {
    process: Process,
    folder: &'a Folder,
    address: &'a Address,
    barriers: Cell<u32>,
}

impl<'a> Starter<'a> {
    /// A gateway on this folder, listening on this address, with two workers and everything logged.
    pub fn new(folder: &'a Folder, address: &'a Address, logs: &'a Logs) -> Self {
        Self {
            folder,
            address,
            logs,
            binary: binaries::gateway(),
            access_log: "all",
            log: "info,latchkey=debug",
            listener: PORT,
            workers: 2,
            args: Vec::new(),
        }
    }

    /// Another binary than that of this workspace.
    pub fn binary(mut self, binary: PathBuf) -> Self {
        self.binary = binary;
        self
    }

    /// As it is measured: one worker, no access log, the usual log.
    pub fn measured(mut self) -> Self {
        self.access_log = "off";
        self.log = "info";
        self.workers = 1;
        self
    }

    /// With another listener port as the usual one.
    pub fn listener(mut self, port: u16) -> Self {
        self.listener = port;
        self
    }

    /// With more arguments.
    pub fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|&arg| arg.to_owned()));
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
        let mut command = Command::new(&self.binary);
        command
            .arg("--standalone")
            .arg(self.folder.path())
            .args(["--admin", &self.address.port(ADMIN_PORT).to_string()])
            .args(["--workers", &self.workers.to_string()])
            .args(["--access-log", self.access_log])
            .args(&self.args)
            .env("RUST_LOG", self.log);
        for (listener, port) in [
            (self.listener, PROXY_PORT),
            (SECOND_PORT, SECOND_PROXY_PORT),
            (BARRIER_LISTENER, BARRIER_PORT),
        ] {
            let place = self.address.port(port);
            command.args(["--listen", &format!("{listener}={place}")]);
        }
        Gateway {
            process: Process::spawn("gateway", &mut command, self.logs),
            folder: self.folder,
            address: self.address,
            barriers: Cell::new(0),
        }
    }

    /// Starts it, and waits until it ends by itself.
    pub fn fail(self) -> (ExitStatus, String) {
        let mut gateway = self.start_unready();
        let status = gateway.process.wait();
        (status, gateway.process.output())
    }
}

impl Gateway<'_> {
    /// Where its usual listener is.
    pub fn proxy(&self) -> SocketAddr {
        self.address.port(PROXY_PORT)
    }

    /// Where the second Gateway's listener is.
    pub fn second_proxy(&self) -> SocketAddr {
        self.address.port(SECOND_PROXY_PORT)
    }

    /// Where its admin server is.
    pub fn admin(&self) -> SocketAddr {
        self.address.port(ADMIN_PORT)
    }

    /// Its process.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Its process, to wait for its end.
    pub fn process_mut(&mut self) -> &mut Process {
        &mut self.process
    }

    /// Waits until it says that it is ready.
    pub fn wait_ready(&mut self) {
        eventually("the gateway is ready", || self.ready());
    }

    /// Whether it says that it is ready.
    ///
    /// # Errors
    /// What it says instead.
    pub fn ready(&mut self) -> Result<(), String> {
        if let Some(status) = self.process.ended() {
            panic!("the gateway ended with {status}:\n{}", self.process.tail());
        }
        match client::send(self.admin(), &Request::get("/readyz")) {
            Ok(response) if response.status == 200 => Ok(()),
            Ok(response) => Err(format!("{}: {}", response.status, response.text())),
            Err(e) => Err(e.to_string()),
        }
    }

    /// Waits until its admin server says that it is not ready, and gives what is said.
    pub fn until_unready(&self) -> String {
        eventually("the gateway says that it is not ready", || {
            match client::send(self.admin(), &Request::get("/readyz")) {
                Ok(response) if response.status == 503 => Ok(response.text()),
                Ok(response) => Err(format!("{}: {}", response.status, response.text())),
                Err(e) => Err(e.to_string()),
            }
        })
    }

    /// A new client connection to its usual listener.
    pub fn connect(&self) -> Connection {
        Connection::open(self.proxy())
            .unwrap_or_else(|e| panic!("cannot connect: {e}\n{}", self.process.tail()))
    }

    /// Sends a request over a connection of its own; it must be answered.
    pub fn send(&self, request: &Request) -> Response {
        client::send(self.proxy(), request)
            .unwrap_or_else(|e| panic!("no answer to {request:?}: {e}\n{}", self.process.tail()))
    }

    /// The status of an answer.
    pub fn status(&self, request: &Request) -> u16 {
        self.send(request).status
    }

    /// Asks the admin server.
    pub fn ask_admin(&self, target: &str) -> Response {
        client::send(self.admin(), &Request::get(target))
            .unwrap_or_else(|e| panic!("no answer to {target}: {e}\n{}", self.process.tail()))
    }

    /// Scrapes its metrics.
    pub fn metrics(&self) -> Scrape {
        let response = self.ask_admin("/metrics");
        assert_eq!(response.status, 200, "{}", response.text());
        Scrape::parse(&response.text())
    }

    /// Asks until an answer is as wanted, and then that it stays so.
    pub fn until(&self, request: &Request, what: &str, wanted: impl Fn(&Response) -> bool) -> Response {
        let response = eventually(what, || match self.send(request) {
            response if wanted(&response) => Ok(response),
            response => Err(format!(
                "{}: {}\n{}",
                response.status,
                response.text(),
                self.process.tail()
            )),
        });
        for _ in 0..REPEATS {
            let again = self.send(request);
            assert!(
                wanted(&again),
                "{what}, but then {}: {}",
                again.status,
                again.text()
            );
        }
        response
    }

    /// Asks until the status changes: no other status in between, and never the old one again.
    pub fn flips(&self, request: &Request, from: u16, to: u16) -> Response {
        self.until(request, &format!("{from} becomes {to}"), |response| {
            assert!(
                [from, to].contains(&response.status),
                "neither {from} nor {to} but {}: {}\n{}",
                response.status,
                response.text(),
                self.process.tail()
            );
            response.status == to
        })
    }

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
            match client::send(self.address.port(BARRIER_PORT), &request) {
                Ok(response) if response.status != 404 => Ok(()),
                Ok(_) => Err(format!(
                    "the barrier's route is not there\n{}",
                    self.process.tail()
                )),
                Err(e) => Err(format!("{e}\n{}", self.process.tail())),
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
            self.process.tail()
        );
        response
    }

    /// Waits until its output has a line with all of these words.
    pub fn says(&self, words: &[&str]) -> String {
        eventually(&format!("a line says {words:?}"), || {
            let output = self.process.output();
            output
                .lines()
                .find(|line| words.iter().all(|word| line.contains(word)))
                .map(str::to_owned)
                .ok_or_else(|| self.process.tail())
        })
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
