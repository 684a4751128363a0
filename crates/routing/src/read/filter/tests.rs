use serde_json::json;

use super::*;

fn filter(value: &Value) -> (Filter, Vec<(Reason, String)>) {
    let mut problems = Vec::new();
    let filter = read(value, None, &mut problems).expect("a filter");
    let problems = problems.into_iter().map(|problem| (problem.reason, problem.path));
    (filter, problems.collect())
}

#[test]
fn what_is_not_supported_is_told_by_path() {
    let cases = [
        (json!({ "type": "RequestMirror", "requestMirror": {} }), "type"),
        (
            json!({ "type": "RequestHeaderModifier" }),
            "requestHeaderModifier",
        ),
        (
            json!({ "type": "ResponseHeaderModifier", "requestHeaderModifier": {}, "responseHeaderModifier": {} }),
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
