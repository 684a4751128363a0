//! `latchkey-echo` as a process, and its answers: what an upstream saw of a request.

use std::{
    net::{Ipv4Addr, SocketAddr},
    process::Command,
};

use serde_json::Value;

use crate::{binaries, client::Response, logs::Logs, process::Process, wait::eventually};

/// A running echo server.
#[derive(Debug)]
pub struct Echo {
    process: Process,
    address: SocketAddr,
}

impl Echo {
    /// Starts one on a free port of loopback; its answers carry this name.
    pub fn start(name: &str, logs: &Logs) -> Self {
        Self::start_on(Ipv4Addr::LOCALHOST, name, logs)
    }

    /// Starts one on a free port of an address.
    pub fn start_on(ip: Ipv4Addr, name: &str, logs: &Logs) -> Self {
        let mut command = Command::new(binaries::echo());
        command.args(["--listen", &format!("{ip}:0"), "--name", name]);
        let mut process = Process::spawn(&format!("echo-{name}"), &mut command, logs);
        let address = eventually("the echo server listens", || {
            if let Some(status) = process.ended() {
                panic!("the echo server ended with {status}:\n{}", process.tail());
            }
            process
                .output()
                .lines()
                .find_map(|line| line.split("listening on ").nth(1)?.trim().parse().ok())
                .ok_or_else(|| process.tail())
        });
        Self { process, address }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its process.
    pub fn process(&self) -> &Process {
        &self.process
    }
}

/// A request as the echo server saw it.
#[derive(Clone, Debug)]
pub struct Seen {
    json: Value,
    text: String,
}

impl Seen {
    /// Reads an echo server's 200.
    pub fn of(response: &Response) -> Self {
        assert_eq!(response.status, 200, "{}", response.text());
        Self {
            json: response.json(),
            text: response.text(),
        }
    }

    /// The request target.
    pub fn target(&self) -> &str {
        self.json["target"].as_str().unwrap_or_default()
    }

    /// The `--name` of the server that answered.
    pub fn upstream(&self) -> &str {
        self.json["name"].as_str().unwrap_or_default()
    }

    /// All values of a header, and of what an upstream may take for it: any case, `_` for `-`.
    pub fn header_all(&self, name: &str) -> Vec<String> {
        let wanted = name.to_ascii_lowercase();
        self.lines("headers")
            .into_iter()
            .filter(|(name, _)| name.to_ascii_lowercase().replace('_', "-") == wanted)
            .map(|(_, value)| value)
            .collect()
    }

    /// The only value of a header; `None` if it is absent.
    pub fn header(&self, name: &str) -> Option<String> {
        let mut all = self.header_all(name);
        assert!(all.len() < 2, "{name} stands {} times", all.len());
        all.pop()
    }

    /// Whether a text stands anywhere in what the upstream saw.
    pub fn has_trace_of(&self, text: &str) -> bool {
        self.text.contains(text)
    }

    /// The identity headers, sorted, with names in lower case.
    pub fn identity(&self) -> Vec<(String, String)> {
        let mut lines: Vec<_> = self
            .lines("headers")
            .into_iter()
            .chain(self.lines("trailers"))
            .map(|(name, value)| (name.to_ascii_lowercase().replace('_', "-"), value))
            .filter(|(name, _)| {
                ["x-consumer-", "x-credential-", "x-anonymous-"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
            })
            .collect();
        lines.sort();
        lines
    }

    /// The length of the body that arrived.
    pub fn body_length(&self) -> u64 {
        self.json["body_length"].as_u64().unwrap_or_default()
    }

    fn lines(&self, member: &str) -> Vec<(String, String)> {
        let Some(lines) = self.json[member].as_array() else {
            return Vec::new();
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        lines
            .iter()
            .map(|line| (text(&line[0]), text(&line[1])))
            .collect()
    }
}
