//! What a line says.

use std::{
    net::{IpAddr, SocketAddr},
    time::SystemTime,
};

use http::{HeaderValue, Method};
use jiff::Timestamp;
use latchkey_core::{object::RouteLabel, reason::Reason};
use latchkey_snapshot::Identity;
use serde_json::json;

/// The longest text of a line, in bytes. Texts are copied: a slice would keep a whole read buffer.
const MAX_TEXT: usize = 1024;

/// A request, as much as is known of it.
#[derive(Debug)]
pub(crate) struct Entry {
    time: SystemTime,
    request_id: String,
    client: IpAddr,
    method: String,
    path: String,
    host: Option<String>,
    route: Option<String>,
    consumer: Option<String>,
    credential: Option<String>,
    pub(crate) code: u16,
    pub(crate) reason: Reason,
    pub(crate) bytes: u64,
    pub(crate) micros: u64,
    pub(crate) upstream: Option<SocketAddr>,
}

impl Entry {
    /// Of a request that has just begun.
    pub(crate) fn new(request_id: &HeaderValue, method: &Method, path: &str, client: IpAddr) -> Box<Self> {
        Box::new(Self {
            time: SystemTime::now(),
            request_id: cut(request_id.to_str().unwrap_or_default()),
            client,
            method: cut(method.as_str()),
            path: cut(path),
            host: None,
            route: None,
            consumer: None,
            credential: None,
            code: 0,
            reason: Reason::ClientGone,
            bytes: 0,
            micros: 0,
            upstream: None,
        })
    }

    /// It was understood.
    pub(crate) fn target(&mut self, host: &str, path: &str) {
        self.host = Some(cut(host));
        self.path = cut(path);
    }

    /// A route matched.
    pub(crate) fn route(&mut self, route: &RouteLabel) {
        self.route = Some(route.name.to_string());
    }

    /// A credential proved who calls.
    pub(crate) fn caller(&mut self, identity: &Identity<'_>) {
        let credential = identity.credential;
        self.consumer = Some(format!("{}/{}", credential.namespace(), identity.consumer.name()));
        self.credential = Some(format!("{}/{}", credential.namespace(), credential.name()));
    }

    /// Writes the line, with its end.
    pub(super) fn render(&self, line: &mut Vec<u8>) {
        let value = json!({
            "time": rfc3339(self.time),
            "requestId": self.request_id,
            "client": self.client.to_string(),
            "method": self.method,
            "path": self.path,
            "host": self.host,
            "code": self.code,
            "reason": self.reason.as_str(),
            "route": self.route,
            "consumer": self.consumer,
            "credential": self.credential,
            "bytes": self.bytes,
            "durationMicros": self.micros,
            "upstream": self.upstream.map(|address| address.to_string()),
        });
        // Writing to memory cannot fail, and all of the above is JSON.
        let _ = serde_json::to_writer(&mut *line, &value);
        line.push(b'\n');
    }
}

/// UTC, to the microsecond, always of one length.
fn rfc3339(time: SystemTime) -> String {
    // A clock that far off the years 0 to 9999 tells nothing.
    let time = Timestamp::try_from(time).unwrap_or_default();
    format!("{time:.6}")
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_utc_with_six_digits() {
        for (micros, expected) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (1_764_529_561_000_007, "2025-11-30T19:06:01.000007Z"),
            (1_764_529_561_500_000, "2025-11-30T19:06:01.500000Z"),
        ] {
            let time = SystemTime::UNIX_EPOCH + Duration::from_micros(micros);
            assert_eq!(rfc3339(time), expected);
        }
    }
}
