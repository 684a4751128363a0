//! What the upstream is told about the client's connection: `X-Forwarded-For`, `-Proto`, `-Host` and
//! `-Port`, always ours alone. Whatever the client sent under these names, `Forwarded`, `X-Real-IP` or
//! any other `X-Forwarded-*` (also with `_` for `-`) is removed: no proxy is trusted.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{folds_to, remove_where, starts_folded};

const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const PORT: HeaderName = HeaderName::from_static("x-forwarded-port");

/// The values that are the same for all requests of one client connection.
#[derive(Clone, Debug)]
pub(crate) struct Forwarded {
    client: HeaderValue,
    port: HeaderValue,
}

impl Forwarded {
    /// For a connection from `peer` to a listener's port.
    pub(crate) fn new(peer: SocketAddr, port: u16) -> Self {
        Self {
            client: address(peer.ip().to_canonical()),
            port: HeaderValue::from(port),
        }
    }

    /// Adds ours to a request that [`remove`] has cleaned.
    pub(crate) fn set(&self, headers: &mut HeaderMap) {
        headers.insert(FOR, self.client.clone());
        headers.insert(PROTO, HeaderValue::from_static("http"));
        headers.insert(PORT, self.port.clone());
        if let Some(host) = headers.get(header::HOST).cloned() {
            headers.insert(HOST, host);
        }
    }
}

/// Removes all that a client may have said about itself.
pub(crate) fn remove(headers: &mut HeaderMap) {
    remove_where(headers, |name| is_ours(name.as_str()));
}

/// Whether only the gateway may set this name.
pub(crate) fn is_ours(name: &str) -> bool {
    match name.as_bytes() {
        [b'x', ..] => starts_folded(name, "x-forwarded-") || folds_to(name, "x-real-ip"),
        [b'f', ..] => name == "forwarded",
        _ => false,
    }
}

fn address(ip: IpAddr) -> HeaderValue {
    // An address is digits, dots, colons and hex letters, all of which a field value may hold.
    HeaderValue::try_from(ip.to_string()).unwrap_or_else(|_| HeaderValue::from_static("unknown"))
}

#[cfg(test)]
mod tests;
