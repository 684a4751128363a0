//! A route's RequestHeaderModifier. It cannot touch what frames the message, what belongs to one hop,
//! or what an upstream may believe only from the gateway; `Host` can be replaced, never doubled.

use http::{HeaderMap, HeaderName, header};
use latchkey_routing::filter::HeaderModifier;

use super::{forwarded, hop_by_hop, identity};

/// Changes a head: set, then add, then remove.
pub(crate) fn apply(modifier: &HeaderModifier, headers: &mut HeaderMap) {
    for (name, value) in modifier.set.iter().filter(|(name, _)| is_free(name)) {
        headers.insert(name.clone(), value.clone());
    }
    for (name, value) in modifier
        .add
        .iter()
        .filter(|(name, _)| is_free(name) && *name != header::HOST)
    {
        headers.append(name.clone(), value.clone());
    }
    for name in modifier
        .remove
        .iter()
        .filter(|name| is_free(name) && **name != header::HOST)
    {
        headers.remove(name);
    }
}

fn is_free(name: &HeaderName) -> bool {
    let framing = matches!(*name, header::CONTENT_LENGTH | header::TRAILER) || hop_by_hop::is_standard(name);
    !framing && !identity::is_ours(name) && !forwarded::is_ours(name.as_str())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn what_the_gateway_owns_stays() {
        let pair = |name: &'static str| (HeaderName::from_static(name), HeaderValue::from_static("route"));
        let modifier = HeaderModifier {
            set: vec![
                pair("x-set"),
                pair("host"),
                pair("x-consumer-username"),
                pair("content-length"),
            ],
            add: vec![
                pair("x-kept"),
                pair("host"),
                pair("connection"),
                pair("x_forwarded_for"),
            ],
            remove: vec![
                HeaderName::from_static("x-gone"),
                header::HOST,
                header::CONTENT_LENGTH,
            ],
        };
        let mut headers = HeaderMap::new();
        for name in ["host", "content-length", "x-kept", "x-gone"] {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static("client"));
        }
        apply(&modifier, &mut headers);
        let mut lines: Vec<_> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
            .collect();
        lines.sort();
        assert_eq!(
            lines,
            [
                "content-length: client",
                "host: route",
                "x-kept: client",
                "x-kept: route",
                "x-set: route"
            ]
        );
    }
}
