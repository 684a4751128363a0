//! Fields that are for one hop only (RFC 9110 section 7.6.1): the standard ones, and those that the
//! sender nominated in `Connection`.
//!
//! Must run before anything of ours is added, so that a client cannot nominate it away. A nomination of
//! what frames or addresses the message (`Content-Length`, `Transfer-Encoding`, `Host`) is ignored.

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// Removes them from a request or a response.
pub(crate) fn strip(headers: &mut HeaderMap) {
    let nominated = nominated(headers);
    let mut standard = 0_u16;
    for name in headers.keys() {
        if let Some(index) = position(name) {
            standard |= 1 << index;
        }
    }
    for (index, name) in STANDARD.iter().enumerate() {
        if standard & (1 << index) != 0 {
            headers.remove(name);
        }
    }
    for name in nominated {
        headers.remove(name);
    }
}

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const PROXY_AUTHENTICATION_INFO: HeaderName = HeaderName::from_static("proxy-authentication-info");
const HTTP2_SETTINGS: HeaderName = HeaderName::from_static("http2-settings");

static STANDARD: [HeaderName; 11] = [
    header::CONNECTION,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
    header::PROXY_AUTHORIZATION,
    header::PROXY_AUTHENTICATE,
    // We answer `Expect: 100-continue` ourselves, once the body is wanted.
    header::EXPECT,
    KEEP_ALIVE,
    PROXY_CONNECTION,
    PROXY_AUTHENTICATION_INFO,
    HTTP2_SETTINGS,
];

/// Where a name stands in [`STANDARD`]. A match on well-known names compiles to a jump, which is much
/// cheaper than a look-up of each of them in the map.
fn position(name: &HeaderName) -> Option<usize> {
    Some(match *name {
        header::CONNECTION => 0,
        header::TRANSFER_ENCODING => 1,
        header::UPGRADE => 2,
        header::TE => 3,
        header::PROXY_AUTHORIZATION => 4,
        header::PROXY_AUTHENTICATE => 5,
        header::EXPECT => 6,
        _ => match name.as_str() {
            "keep-alive" => 7,
            "proxy-connection" => 8,
            "proxy-authentication-info" => 9,
            "http2-settings" => 10,
            _ => return None,
        },
    })
}

/// Whether a name is one of the standard ones.
pub(crate) fn is_standard(name: &HeaderName) -> bool {
    position(name).is_some()
}

fn nominated(headers: &HeaderMap) -> Vec<HeaderName> {
    headers
        .get_all(header::CONNECTION)
        .iter()
        .flat_map(tokens)
        // Nearly every nomination is one of these, and needs no copy of a name.
        .filter(|token| !token.eq_ignore_ascii_case(b"keep-alive") && !token.eq_ignore_ascii_case(b"close"))
        .filter_map(|token| HeaderName::from_bytes(token).ok())
        .filter(|name| {
            !matches!(
                *name,
                header::CONTENT_LENGTH | header::TRANSFER_ENCODING | header::HOST
            )
        })
        .collect()
}

fn tokens(value: &HeaderValue) -> impl Iterator<Item = &[u8]> {
    value
        .as_bytes()
        .split(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
}

#[cfg(test)]
mod tests;
