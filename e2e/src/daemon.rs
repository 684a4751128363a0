//! A process of ours with an admin server: whether it is ready, its metrics, what it says.

use std::net::SocketAddr;

use crate::{
    client::{self, Request, Response},
    metrics::Scrape,
    process::Process,
    wait::eventually,
};

/// A running gateway or operator, as its operator sees it.
#[derive(Debug)]
pub struct Daemon {
    name: String,
    process: Process,
    admin: SocketAddr,
}

impl Daemon {
    /// A process whose admin server is there; the name is for messages.
    pub(crate) fn new(name: &str, process: Process, admin: SocketAddr) -> Self {
        Self {
            name: name.to_owned(),
            process,
            admin,
        }
    }

    /// Where its admin server is.
    pub fn admin(&self) -> SocketAddr {
        self.admin
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
        eventually(&format!("{} is ready", self.name), || self.ready());
    }

    /// Whether it says that it is ready.
    ///
    /// # Errors
    /// What it says instead.
    pub fn ready(&mut self) -> Result<(), String> {
        if let Some(status) = self.process.ended() {
            panic!("{} ended with {status}:\n{}", self.name, self.process.tail());
        }
        match client::send(self.admin, &Request::get("/readyz")) {
            Ok(response) if response.status == 200 => Ok(()),
            Ok(response) => Err(format!("{}: {}", response.status, response.text())),
            Err(e) => Err(e.to_string()),
        }
    }

    /// Waits until its admin server says that it is not ready, and gives what is said.
    pub fn until_unready(&self) -> String {
        eventually(
            &format!("{} says that it is not ready", self.name),
            || match client::send(self.admin, &Request::get("/readyz")) {
                Ok(response) if response.status == 503 => Ok(response.text()),
                Ok(response) => Err(format!("{}: {}", response.status, response.text())),
                Err(e) => Err(e.to_string()),
            },
        )
    }

    /// Asks the admin server.
    pub fn ask_admin(&self, target: &str) -> Response {
        client::send(self.admin, &Request::get(target))
            .unwrap_or_else(|e| panic!("no answer to {target}: {e}\n{}", self.process.tail()))
    }

    /// Scrapes its metrics.
    pub fn metrics(&self) -> Scrape {
        let response = self.ask_admin("/metrics");
        assert_eq!(response.status, 200, "{}", response.text());
        Scrape::parse(&response.text())
    }

    /// Waits until the sum of a metric's samples with these labels is as wanted. A text that is refused for
    /// its age, as on a busy machine, is asked for again.
    pub fn until_metric(&self, name: &str, labels: &[(&str, &str)], wanted: impl Fn(f64) -> bool) {
        eventually(&format!("{name} of {} is as wanted", self.name), || {
            let response = self.ask_admin("/metrics");
            if response.status != 200 {
                return Err(response.text());
            }
            let sum = Scrape::parse(&response.text()).sum(name, labels);
            sum.is_some_and(&wanted)
                .then_some(())
                .ok_or_else(|| format!("{sum:?}"))
        });
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
