//! By which way a request came: the peer of the connection, and what `X-Forwarded-For` says, read from
//! its right end for as long as those who wrote it are trusted.
//!
//! ```text
//! X-Forwarded-For: forged, client, proxy      a proxy appends whom it heard; so each entry was written
//!                  `----+   +--^ +--^         by the address to its right, the last by the peer itself
//!                not read   client  trusted <- peer, trusted
//! ```
//!
//! The first address that is not trusted is the client: what is left of it is the client's own word
//! (RFC 7239 section 8.1). An entry that is no address ends the walk at the last good one.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

/// The longest way that is followed; who has more proxies than this has a loop.
pub(super) const MAX_HOPS: usize = 32;

/// The addresses that a request passed, the peer first and the client last; all but the last are trusted.
pub(super) fn walk<'r>(
    peer: IpAddr,
    lines: impl DoubleEndedIterator<Item = &'r [u8]>,
    is_trusted: impl Fn(IpAddr) -> bool,
) -> Vec<IpAddr> {
    let mut hops = vec![peer];
    let mut last = peer;
    let mut entries = lines.rev().flat_map(|line| line.rsplit(|byte| *byte == b','));
    while hops.len() < MAX_HOPS && is_trusted(last) {
        let Some(address) = entries.next().and_then(address) else {
            break;
        };
        hops.push(address);
        last = address;
    }
    hops
}

/// An address with or without a port; one of IPv6 may stand in brackets.
fn address(entry: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(entry.trim_ascii()).ok()?;
    // The zone of a link-local address means something on the proxy's machine only.
    if text.contains('%') {
        return None;
    }
    let address = if let Ok(address) = text.parse() {
        address
    } else if let Ok(socket) = text.parse::<SocketAddr>() {
        socket.ip()
    } else {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        IpAddr::V6(inner.parse::<Ipv6Addr>().ok()?)
    };
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests;
