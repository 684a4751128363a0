//! Trailer fields. Only names that the `Trailer` line declares are sent on, and only after a chunked
//! body; names that the gateway owns are neither declared nor sent.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::{forwarded, hop_by_hop, identity, remove_where, request_id};

/// Removes from a message's `Trailer` lines what must not come after its body: what the gateway owns,
/// and what `hidden` names.
pub(crate) fn restrict(headers: &mut HeaderMap, hidden: impl Fn(&HeaderName) -> bool) {
    if !headers.contains_key(header::TRAILER) {
        return;
    }
    let allowed: Vec<HeaderName> = headers
        .get_all(header::TRAILER)
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b','))
        .filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        .filter(|name| !is_forbidden(name) && !hidden(name))
        .collect();
    headers.remove(header::TRAILER);
    for name in allowed {
        if let Ok(value) = HeaderValue::from_str(name.as_str()) {
            headers.append(header::TRAILER, value);
        }
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
