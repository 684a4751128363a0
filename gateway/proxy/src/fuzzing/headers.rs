//! Which fields of a request do not get through: those by which a client says who it is, and those for
//! one hop only.

use std::collections::BTreeSet;

use http::{HeaderMap, HeaderName};

use super::{head, lines};
use crate::headers::{hop_by_hop, identity, trailers};

const IDENTITY: [&str; 7] = [
    "x-consumer-id",
    "x-consumer-namespace",
    "x-consumer-username",
    "x-consumer-custom-id",
    "x-consumer-groups",
    "x-credential-identifier",
    "x-anonymous-consumer",
];

const ONE_HOP: [&str; 11] = [
    "connection",
    "transfer-encoding",
    "upgrade",
    "te",
    "proxy-authorization",
    "proxy-authenticate",
    "expect",
    "keep-alive",
    "proxy-connection",
    "proxy-authentication-info",
    "http2-settings",
];

/// Lines of a head: what must not pass does not, all else is untouched.
pub fn headers(data: &[u8]) {
    let received = head(data);
    let nominated = nominated(&received);
    let must_go = |name: &str| is_identity(name) || ONE_HOP.contains(&name) || nominated.contains(name);
    let mut kept = received.clone();
    clean(&mut kept);
    for name in received.keys().map(HeaderName::as_str) {
        let expected = if must_go(name) {
            vec![]
        } else {
            lines(&received, name)
        };
        assert_eq!(lines(&kept, name), expected, "{name}");
    }
    assert!(
        kept.keys().all(|name| received.contains_key(name)),
        "something was added"
    );
    let mut again = kept.clone();
    clean(&mut again);
    assert_eq!(again, kept, "twice is not once");

    let mut section = received;
    trailers::clean(&mut section);
    for name in section.keys() {
        assert!(
            !is_identity(name.as_str()) && !ONE_HOP.contains(&name.as_str()),
            "{name}"
        );
    }
}

fn clean(headers: &mut HeaderMap) {
    identity::remove(headers);
    hop_by_hop::strip(headers);
}

/// CGI and its like read `_` and `-` as one.
fn is_identity(name: &str) -> bool {
    IDENTITY.contains(&&*name.replace('_', "-"))
}

/// What `Connection` names, but for what frames or addresses the message.
fn nominated(received: &HeaderMap) -> BTreeSet<String> {
    lines(received, "connection")
        .into_iter()
        .map(String::from_utf8_lossy)
        .flat_map(|line| {
            line.split(',')
                .map(|name| name.trim().to_lowercase())
                .collect::<Vec<_>>()
        })
        .filter(|name| !["content-length", "transfer-encoding", "host"].contains(&name.as_str()))
        .collect()
}
