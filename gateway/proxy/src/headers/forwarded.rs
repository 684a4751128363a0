//! What the upstream is told about the way of a request: `X-Forwarded-For`, `-Proto`, `-Host` and
//! `-Port`, always written by us. Whatever came under these names, as `Forwarded`, `X-Real-IP` or any
//! other `X-Forwarded-*` (also with `_` for `-`), is removed.
//!
//! ```text
//! peer not trusted:  its address, http, the Host line, the listener's port
//! peer trusted:      For: the hops that are vouched for, the client first, the peer last
//!                    Proto, Host, Port: the peer's, where each is one well-formed line
//! ```
//!
//! Of a trusted proxy nothing else is read. `Forwarded` is not: a proxy that writes one of both lists
//! passes on its client's own copy of the other, and nothing tells which one it wrote.

mod cidr;
mod hops;

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{folds_to, remove_where, single, starts_folded};
use crate::host;

pub use cidr::{Cidr, CidrError};

const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const PORT: HeaderName = HeaderName::from_static("x-forwarded-port");

const HTTP: HeaderValue = HeaderValue::from_static("http");
const HTTPS: HeaderValue = HeaderValue::from_static("https");

/// What is the same for all requests of one client connection.
#[derive(Debug)]
pub(crate) struct Forwarded {
    peer: IpAddr,
    peer_trusted: bool,
    address: HeaderValue,
    port: HeaderValue,
}

/// By which way one request came.
#[derive(Debug)]
pub(crate) struct Way<'c> {
    connection: &'c Forwarded,
    vouched: Option<Vouched>,
}

/// What a trusted peer says of a request.
#[derive(Debug)]
struct Vouched {
    client: IpAddr,
    hops: HeaderValue,
    https: Option<bool>,
    host: Option<HeaderValue>,
    port: Option<u16>,
}

impl Forwarded {
    /// For a connection from `peer` to a listener's port.
    pub(crate) fn new(peer: SocketAddr, port: u16, trusted: &[Cidr]) -> Self {
        let peer = peer.ip().to_canonical();
        Self {
            peer,
            peer_trusted: is_trusted(trusted, peer),
            address: text(&peer.to_string()),
            port: HeaderValue::from(port),
        }
    }

    /// For a request with this head as received.
    pub(crate) fn way(&self, headers: &HeaderMap, trusted: &[Cidr]) -> Way<'_> {
        Way {
            connection: self,
            vouched: self
                .peer_trusted
                .then(|| Vouched::read(self.peer, headers, trusted)),
        }
    }
}

impl Vouched {
    fn read(peer: IpAddr, headers: &HeaderMap, trusted: &[Cidr]) -> Self {
        let lines = headers.get_all(FOR).iter().map(HeaderValue::as_bytes);
        let passed = hops::walk(peer, lines, |address| is_trusted(trusted, address));
        let texts: Vec<_> = passed.iter().rev().map(ToString::to_string).collect();
        let is_host = |value: &&HeaderValue| value.to_str().is_ok_and(host::is_well_formed);
        Self {
            client: passed.last().copied().unwrap_or(peer),
            hops: text(&texts.join(", ")),
            https: single(headers, &PROTO).and_then(|proto| match proto.as_bytes() {
                proto if proto.eq_ignore_ascii_case(b"https") => Some(true),
                proto if proto.eq_ignore_ascii_case(b"http") => Some(false),
                _ => None,
            }),
            host: single(headers, &HOST).filter(is_host).cloned(),
            port: single(headers, &PORT).and_then(port),
        }
    }
}

impl Way<'_> {
    /// Who sent the request, as far as anybody trusted can say.
    pub(crate) fn client(&self) -> IpAddr {
        self.vouched
            .as_ref()
            .map_or(self.connection.peer, |vouched| vouched.client)
    }

    /// Whether the client spoke TLS, which today only a trusted proxy can know.
    pub(crate) fn is_https(&self) -> bool {
        self.vouched.as_ref().and_then(|vouched| vouched.https) == Some(true)
    }

    /// The port that the client spoke to, where it was a trusted proxy's.
    pub(crate) fn port(&self) -> Option<u16> {
        let named = self.vouched.as_ref().and_then(|vouched| vouched.port);
        // The listener's would contradict the scheme.
        named.or(self.is_https().then_some(443))
    }

    /// Puts ours in the place of all that was said under these names.
    pub(crate) fn replace(self, headers: &mut HeaderMap) {
        remove(headers);
        headers.insert(PROTO, if self.is_https() { HTTPS } else { HTTP });
        let port = self.port().map(HeaderValue::from);
        headers.insert(PORT, port.unwrap_or_else(|| self.connection.port.clone()));
        let (hops, host) = match self.vouched {
            None => (self.connection.address.clone(), None),
            Some(vouched) => (vouched.hops, vouched.host),
        };
        headers.insert(FOR, hops);
        if let Some(host) = host.or_else(|| headers.get(header::HOST).cloned()) {
            headers.insert(HOST, host);
        }
    }
}

/// Removes all that a client may have said about itself.
fn remove(headers: &mut HeaderMap) {
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

fn is_trusted(trusted: &[Cidr], address: IpAddr) -> bool {
    trusted.iter().any(|network| network.contains(address))
}

/// A port that something can listen on.
fn port(value: &HeaderValue) -> Option<u16> {
    let digits = value.to_str().ok()?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|port| plain && *port > 0)
}

fn text(addresses: &str) -> HeaderValue {
    // Addresses are digits, dots, colons and hex letters, all of which a field value may hold.
    HeaderValue::from_str(addresses).unwrap_or_else(|_| HeaderValue::from_static("unknown"))
}

#[cfg(test)]
mod tests;
