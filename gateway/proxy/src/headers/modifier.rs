//! A route's RequestHeaderModifier and ResponseHeaderModifier. Neither can touch what frames or addresses
//! the message, what belongs to one hop, or what only the gateway says. Routing refuses such names
//! already; they are looked at here once more, since what follows relies on it.

use http::{HeaderMap, HeaderName, header};
use latchkey_routing::filter::HeaderModifier;

use super::{forwarded, hop_by_hop, identity, request_id};

/// Changes the head that the upstream gets.
pub(crate) fn on_request(modifier: &HeaderModifier, headers: &mut HeaderMap) {
    apply(modifier, headers, |name| {
        is_free(name) && !identity::is_ours(name) && !forwarded::is_ours(name.as_str())
    });
}

/// Changes the head that the client gets.
pub(crate) fn on_response(modifier: &HeaderModifier, headers: &mut HeaderMap) {
    apply(modifier, headers, is_free);
}

/// Set, then add, then remove.
fn apply(modifier: &HeaderModifier, headers: &mut HeaderMap, is_free: impl Fn(&HeaderName) -> bool) {
    for (name, value) in modifier.set.iter().filter(|(name, _)| is_free(name)) {
        headers.insert(name.clone(), value.clone());
    }
    for (name, value) in modifier.add.iter().filter(|(name, _)| is_free(name)) {
        headers.append(name.clone(), value.clone());
    }
    for name in modifier.remove.iter().filter(|name| is_free(name)) {
        headers.remove(name);
    }
}

/// Whether a route may change it on either side.
fn is_free(name: &HeaderName) -> bool {
    let framing = matches!(*name, header::CONTENT_LENGTH | header::TRAILER | header::HOST);
    !framing && !hop_by_hop::is_standard(name) && *name != request_id::NAME
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    const OWNED: [&str; 5] = ["host", "content-length", "connection", "trailer", "x-request-id"];
    const OWNED_IN_REQUESTS: [&str; 2] = ["x-consumer-username", "x_forwarded_for"];

    /// A modifier that would do all it can do to these names.
    fn of(names: &[&'static str]) -> HeaderModifier {
        let names: Vec<_> = names.iter().map(|name| HeaderName::from_static(name)).collect();
        let route = |name: &HeaderName| (name.clone(), HeaderValue::from_static("route"));
        HeaderModifier {
            set: names.iter().map(route).collect(),
            add: names.iter().map(route).collect(),
            remove: Vec::new(),
        }
    }

    fn lines(headers: &HeaderMap) -> Vec<String> {
        let mut lines: Vec<_> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        lines.sort();
        lines
    }

    #[test]
    fn a_head_is_set_then_added_to_then_removed_from() {
        let pair = |name| (HeaderName::from_static(name), HeaderValue::from_static("route"));
        let modifier = HeaderModifier {
            set: vec![pair("x-set"), pair("x-gone")],
            add: vec![pair("x-add"), pair("x-set")],
            remove: vec![HeaderName::from_static("x-gone")],
        };
        for change in [on_request, on_response] {
            let mut headers = HeaderMap::new();
            for name in ["x-set", "x-set", "x-add", "x-gone", "x-kept"] {
                headers.append(HeaderName::from_static(name), HeaderValue::from_static("theirs"));
            }
            change(&modifier, &mut headers);
            let expected = [
                "x-add: route",
                "x-add: theirs",
                "x-kept: theirs",
                "x-set: route",
                "x-set: route",
            ];
            assert_eq!(lines(&headers), expected);
        }
    }

    #[test]
    fn what_the_gateway_owns_stays() {
        let modifier = of(&[OWNED.as_slice(), &OWNED_IN_REQUESTS].concat());
        let removing = HeaderModifier {
            remove: modifier.set.iter().map(|(name, _)| name.clone()).collect(),
            ..HeaderModifier::default()
        };
        let mut headers = HeaderMap::new();
        for name in OWNED {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static("theirs"));
        }
        let before = lines(&headers);
        for modifier in [&modifier, &removing] {
            on_request(modifier, &mut headers);
            assert_eq!(lines(&headers), before);
        }
        on_response(&modifier, &mut headers);
        assert_eq!(headers.len(), OWNED.len() + 2 * OWNED_IN_REQUESTS.len());
        on_response(&removing, &mut headers);
        assert_eq!(lines(&headers), before);
    }
}
