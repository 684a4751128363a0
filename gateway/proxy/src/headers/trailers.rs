//! Trailer fields. Only names that the `Trailer` line declares are sent on, and only after a chunked
//! body; names that the gateway owns are neither declared nor sent, and no more than a hundred names are.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{forwarded, hop_by_hop, identity, remove_where, request_id};

/// The most names that are declared. A line has room for more than a header map has.
const MAX_NAMES: usize = 100;

/// Removes from a message's `Trailer` lines what must not come after its body: what the gateway owns,
/// and what `hidden` names.
pub(crate) fn restrict(headers: &mut HeaderMap, hidden: impl Fn(&HeaderName) -> bool) {
    if !headers.contains_key(header::TRAILER) {
        return;
    }
    let mut allowed = Vec::new();
    let names = headers
        .get_all(header::TRAILER)
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        .filter(|name| !is_forbidden(name) && !hidden(name))
        .take(MAX_NAMES);
    for name in names {
        if !allowed.is_empty() {
            allowed.extend_from_slice(b", ");
        }
        allowed.extend_from_slice(name.as_str().as_bytes());
    }
    match HeaderValue::from_maybe_shared(Bytes::from(allowed)) {
        Ok(value) if !value.is_empty() => drop(headers.insert(header::TRAILER, value)),
        _ => drop(headers.remove(header::TRAILER)),
    }
}

/// Removes from a trailer section what must not stand there.
pub(crate) fn clean(trailers: &mut HeaderMap) {
    remove_where(trailers, is_forbidden);
}

/// RFC 9110 section 6.5.1: nothing that frames, routes or authenticates. hyper refuses some more.
fn is_forbidden(name: &HeaderName) -> bool {
    matches!(
        *name,
        header::CONTENT_LENGTH
            | header::HOST
            | header::AUTHORIZATION
            | header::COOKIE
            | header::SET_COOKIE
            | header::TRAILER
    ) || *name == request_id::NAME
        || hop_by_hop::is_standard(name)
        || identity::is_ours(name)
        || forwarded::is_ours(name.as_str())
}

#[cfg(test)]
mod tests;
