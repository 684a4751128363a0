use serde_json::json;

use super::*;

fn filter(value: &Value) -> (Filter, Vec<(Reason, String)>) {
    let mut problems = Vec::new();
    let filter = read(value, &mut problems).expect("a filter");
    let problems = problems.into_iter().map(|problem| (problem.reason, problem.path));
    (filter, problems.collect())
}

fn modifier(fields: &Value) -> (Filter, Vec<(Reason, String)>) {
    filter(&json!({ "type": "RequestHeaderModifier", "requestHeaderModifier": fields }))
}

#[test]
fn a_header_modifier_is_compiled() {
    let (read, problems) = modifier(&json!({
        "set": [{ "name": "X-A", "value": "1" }, { "name": "x-a", "value": "2" }],
        "add": [{ "name": "x-b", "value": "" }],
        "remove": ["X-C"],
    }));
    assert!(problems.is_empty(), "{problems:?}");
    let Filter::RequestHeaders(modifier) = read else {
        panic!("a modifier");
    };
    let mut headers: http::HeaderMap = [("x-a", "0"), ("x-b", "0"), ("x-c", "0")]
        .into_iter()
        .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
        .collect();
    modifier.apply(&mut headers);
    let lines: Vec<_> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_bytes()))
        .collect();
    assert_eq!(lines, [("x-a", &b"1"[..]), ("x-b", b"0"), ("x-b", b"")]);
}

#[test]
fn headers_of_the_connection_or_of_the_identity_are_not_for_routes() {
    for name in [
        "Host",
        "Content-Length",
        "content_length",
        "Transfer-Encoding",
        "Connection",
        "TE",
        "Trailer",
        "Upgrade",
        "Keep-Alive",
        "Proxy-Authorization",
        "X-Consumer-Username",
        "x_consumer_id",
        "no name",
        "",
    ] {
        if !name.is_empty() {
            let (_, set) = modifier(&json!({ "set": [{ "name": name, "value": "" }] }));
            let path = "requestHeaderModifier.set[0].name".to_owned();
            assert_eq!(set, [(Reason::UnsupportedValue, path)], "{name}");
        }
        let (_, removed) = modifier(&json!({ "remove": ["ok", name] }));
        let path = "requestHeaderModifier.remove[1]".to_owned();
        assert_eq!(removed, [(Reason::UnsupportedValue, path)], "{name}");
    }
}

#[test]
fn what_is_not_supported_is_told_by_path() {
    let cases = [
        (json!({ "type": "URLRewrite", "urlRewrite": {} }), "type"),
        (
            json!({ "type": "RequestHeaderModifier" }),
            "requestHeaderModifier",
        ),
        (json!({ "type": "ExtensionRef" }), "extensionRef"),
        (
            json!({ "type": "RequestHeaderModifier", "requestHeaderModifier": { "rename": [] } }),
            "requestHeaderModifier.rename",
        ),
        (
            json!({ "type": "RequestHeaderModifier", "requestHeaderModifier": {}, "when": 1 }),
            "when",
        ),
        (
            json!({ "type": "RequestHeaderModifier", "requestHeaderModifier": {
                "add": [{ "name": "a", "value": "line\nend" }],
            } }),
            "requestHeaderModifier.add[0].value",
        ),
    ];
    for (value, path) in cases {
        let (_, problems) = filter(&value);
        assert_eq!(problems, [(Reason::UnsupportedValue, path.to_owned())], "{value}");
    }
}

#[test]
fn an_extension_is_an_auth_policy_or_an_invalid_kind() {
    let extension = |group: &str, kind: &str| {
        filter(&json!({ "type": "ExtensionRef", "extensionRef": {
            "group": group, "kind": kind, "name": "keys",
        } }))
    };
    let (read, problems) = extension("latchkey.dev", "AuthPolicy");
    assert_eq!(read, Filter::Policy("keys".to_owned()));
    assert!(problems.is_empty());
    for (group, kind) in [("latchkey.dev", "Consumer"), ("", "AuthPolicy")] {
        let (read, problems) = extension(group, kind);
        assert_eq!(read, Filter::Unsupported);
        assert_eq!(problems, [(Reason::InvalidKind, "extensionRef.kind".to_owned())]);
    }
}
