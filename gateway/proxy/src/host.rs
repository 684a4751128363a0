//! Who a request says it is for. The value is matched against hostnames and passed on; no connection
//! is ever made to it.
//!
//! ```text
//! Host line (exactly one) -> checked -> lower case, no port, no final dot -> routing
//!       ^ must equal the authority of an absolute-form target
//! ```

use std::{borrow::Cow, net::Ipv6Addr};

use http::{HeaderMap, Uri, Version, header, uri::Scheme};

/// Why a host is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// HTTP/1.1 without a Host line.
    Missing,
    /// More than one Host line.
    Repeated,
    /// Not a host name, an IPv4 address or a bracketed IPv6 address with an optional port.
    Malformed,
    /// An absolute-form target that names a user or is not `http`.
    Target,
    /// An absolute-form target for another authority than the Host line's.
    Mismatch,
}

/// A host as it stands in a Host line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Authority<'r> {
    name: &'r str,
    port: Option<u16>,
}

/// The host that routing reads; empty for an HTTP/1.0 request that names none.
pub(crate) fn of<'r>(
    headers: &'r HeaderMap,
    target: &Uri,
    version: Version,
) -> Result<Cow<'r, str>, Refusal> {
    let mut lines = headers.get_all(header::HOST).iter();
    let line = lines.next();
    if lines.next().is_some() {
        return Err(Refusal::Repeated);
    }
    let Some(line) = line else {
        // An HTTP/1.0 request in absolute form has its host in a place we would have to rewrite into
        // a Host line; no such client was ever seen.
        return match (version, target.authority()) {
            (Version::HTTP_10, None) => Ok(Cow::Borrowed("")),
            _ => Err(Refusal::Missing),
        };
    };
    let line = line.to_str().map_err(|_| Refusal::Malformed)?;
    let host = Authority::parse(line).ok_or(Refusal::Malformed)?;
    check_target(target, host)?;
    Ok(lower_case(host.name))
}

/// Whether a text could stand in a Host line.
pub(crate) fn is_well_formed(text: &str) -> bool {
    Authority::parse(text).is_some()
}

/// RFC 9112 section 3.2.2 lets the target win over the Host line. Two names for one request are how
/// caches and filters get fooled, so they must agree.
fn check_target(target: &Uri, host: Authority<'_>) -> Result<(), Refusal> {
    let Some(authority) = target.authority() else {
        return Ok(());
    };
    if target.scheme() != Some(&Scheme::HTTP) {
        return Err(Refusal::Target);
    }
    let named = Authority::parse(authority.as_str()).ok_or(Refusal::Target)?;
    let same =
        named.name.eq_ignore_ascii_case(host.name) && named.port_or_default() == host.port_or_default();
    if same { Ok(()) } else { Err(Refusal::Mismatch) }
}

impl<'r> Authority<'r> {
    fn parse(text: &'r str) -> Option<Self> {
        let (name, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, after) = rest.split_once(']')?;
                address.parse::<Ipv6Addr>().ok()?;
                (&text[..address.len() + 2], after)
            }
            None => {
                let end = text.find(':').unwrap_or(text.len());
                let name = &text[..end];
                let name = name.strip_suffix('.').unwrap_or(name);
                if name.len() > 253 || !name.split('.').all(is_label) {
                    return None;
                }
                (name, &text[end..])
            }
        };
        let port = match port.strip_prefix(':') {
            None if port.is_empty() => None,
            // RFC 3986 section 3.2.3 allows a colon without a port.
            Some("") => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            _ => return None,
        };
        Some(Self { name, port })
    }

    fn port_or_default(&self) -> u16 {
        self.port.unwrap_or(80)
    }
}

/// Whether this may stand between dots. An empty one means nothing in the DNS, and others skip it.
fn is_label(label: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~');
    !label.is_empty() && label.bytes().all(allowed)
}

fn lower_case(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests;
