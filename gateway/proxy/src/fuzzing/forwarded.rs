//! Who the client is, and what an upstream is told of it.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName};

use super::{first_line, head, lines};
use crate::headers::forwarded::{Cidr, Forwarded, is_ours};

const MAX_HOPS: usize = 32;

/// A head, from a stranger (the first line is `stranger`) or a trusted proxy: a stranger is believed nothing, and a
/// proxy no more than what stands right of the first address that is not trusted.
pub fn forwarded(data: &[u8]) {
    let (peer, rest) = first_line(data);
    let received = head(rest);
    let ip: [u8; 4] = if peer == b"stranger" {
        [203, 0, 113, 9]
    } else {
        [10, 0, 0, 1]
    };
    let trusted: Vec<Cidr> = ["10.0.0.0/8", "fd00::/8"]
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    let peer = IpAddr::from(ip);
    let connection = Forwarded::new(SocketAddr::new(peer, 999), 80, &trusted);
    let way = connection.way(&received, &trusted);
    let client = way.client();
    let mut told = received.clone();
    way.replace(&mut told);

    let hops = expected_hops(peer, &received);
    let listed: Vec<String> = hops.iter().rev().map(ToString::to_string).collect();
    assert_eq!(only(&told, "x-forwarded-for"), Some(listed.join(", ")));
    assert_eq!(Some(&client), hops.last());
    if !is_trusted(peer) {
        assert_eq!(only(&told, "x-forwarded-proto").as_deref(), Some("http"));
        assert_eq!(only(&told, "x-forwarded-port").as_deref(), Some("80"));
        let host = received
            .get("host")
            .map(|host| String::from_utf8_lossy(host.as_bytes()));
        assert_eq!(only(&told, "x-forwarded-host").as_deref(), host.as_deref());
    }
    let proto = only(&told, "x-forwarded-proto");
    assert!(proto.is_some_and(|proto| ["http", "https"].contains(&&*proto)));
    let port = only(&told, "x-forwarded-port").and_then(|port| port.parse::<u16>().ok());
    assert!(port.is_some_and(|port| port > 0));

    let ours = [
        "x-forwarded-for",
        "x-forwarded-proto",
        "x-forwarded-host",
        "x-forwarded-port",
    ];
    for name in told.keys().map(HeaderName::as_str) {
        let folded = name.replace('_', "-");
        let is_claim = folded.starts_with("x-forwarded-") || folded == "x-real-ip" || folded == "forwarded";
        assert!(!is_claim || ours.contains(&name), "{name} got through");
        if !is_claim {
            assert_eq!(lines(&told, name), lines(&received, name), "{name}");
        }
    }
    let others = |head: &HeaderMap| head.keys().filter(|name| !is_ours(name.as_str())).count();
    assert_eq!(others(&told), others(&received), "something else was removed");
}

/// The one line of a field.
fn only(head: &HeaderMap, name: &str) -> Option<String> {
    let lines = lines(head, name);
    assert!(lines.len() < 2, "{name} stands more than once");
    lines
        .first()
        .map(|line| String::from_utf8_lossy(line).into_owned())
}

/// All lines as one list, each entry kept for as long as who wrote it is trusted.
fn expected_hops(peer: IpAddr, received: &HeaderMap) -> Vec<IpAddr> {
    let mut hops = vec![peer];
    let list = lines(received, "x-forwarded-for").join(&b","[..]);
    for entry in list.split(|byte| *byte == b',').rev() {
        let trusted = hops.last().is_some_and(|hop| is_trusted(*hop));
        match address(entry) {
            Some(address) if trusted && hops.len() < MAX_HOPS => hops.push(address),
            _ => break,
        }
    }
    hops
}

fn is_trusted(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.octets()[0] == 10,
        IpAddr::V6(address) => address.octets()[0] == 0xfd,
    }
}

fn address(entry: &[u8]) -> Option<IpAddr> {
    let text = String::from_utf8_lossy(entry);
    let text = text.trim_matches([' ', '\t']);
    let (host, port) = match text.rfind(':') {
        Some(colon) if text.find(':') == Some(colon) || text[..colon].ends_with(']') => {
            (&text[..colon], Some(&text[colon + 1..]))
        }
        _ => (text, None),
    };
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
    if !port.is_none_or(is_port) {
        return None;
    }
    let address: IpAddr = match host.strip_prefix('[') {
        Some(rest) => IpAddr::V6(rest.strip_suffix(']')?.parse().ok()?),
        None => host.parse().ok()?,
    };
    Some(address.to_canonical())
}
