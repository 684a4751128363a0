//! What is done to header fields on their way through, one concern a file.
//!
//! ```text
//! request:  identity::remove -> forwarded::way -> (routing, auth) -> hop_by_hop -> hidden credentials
//!           -> forwarded::replace -> modifier -> identity::set, request id
//! response: hop_by_hop -> content length -> modifier -> request id
//! ```

pub(crate) mod forwarded;
pub(crate) mod hop_by_hop;
pub(crate) mod identity;
pub(crate) mod length;
pub(crate) mod modifier;
pub(crate) mod request_id;
pub(crate) mod trailers;

use http::{HeaderMap, HeaderName, HeaderValue};

/// Removes all lines whose name is chosen. Allocates only if there are some.
pub(crate) fn remove_where(headers: &mut HeaderMap, chosen: impl Fn(&HeaderName) -> bool) {
    let found: Vec<HeaderName> = headers.keys().filter(|name| chosen(name)).cloned().collect();
    for name in found {
        headers.remove(name);
    }
}

/// The value of a field that stands there once: of two lines nobody knows which one counts.
pub(crate) fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut lines = headers.get_all(name).iter();
    match (lines.next(), lines.next()) {
        (Some(line), None) => Some(line),
        _ => None,
    }
}

/// Whether an application that folds `_` and `-` into one may read `name` as `known` (both lower case).
pub(crate) fn folds_to(name: &str, known: &str) -> bool {
    name.len() == known.len() && starts_folded(name, known)
}

/// Whether `name` begins with `known`, `_` and `-` counting as one.
pub(crate) fn starts_folded(name: &str, known: &str) -> bool {
    name.len() >= known.len()
        && name.bytes().zip(known.bytes()).all(|(byte, expected)| {
            byte == expected || matches!((byte, expected), (b'_', b'-') | (b'-', b'_'))
        })
}
