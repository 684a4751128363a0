//! The lengths that the schemas limit: the longest passes, one more does not, in CRDs and in files alike.

use serde_json::{Value, json};

use crate::admission::KINDS;

/// Puts a text or a list of the given length into a spec.
type Make = fn(usize) -> Value;

const LIMITS: &[(&str, &str, usize, Make)] = &[
    (
        "consumers",
        "spec.username",
        256,
        |n| json!({ "username": "a".repeat(n) }),
    ),
    (
        "consumers",
        "spec.customID",
        256,
        |n| json!({ "customID": "a".repeat(n) }),
    ),
    (
        "consumers",
        "spec.groups[0]",
        128,
        |n| json!({ "groups": ["a".repeat(n)] }),
    ),
    (
        "consumers",
        "spec.groups",
        64,
        |n| json!({ "groups": vec!["a"; n] }),
    ),
    (
        "credentials",
        "spec.consumerRef.name",
        253,
        |n| json!({ "consumerRef": { "name": "a".repeat(n) } }),
    ),
    ("credentials", "spec.apiKey.secretKeyRef.name", 253, |n| {
        secret(&json!({ "name": "a".repeat(n), "key": "key" }))
    }),
    ("credentials", "spec.apiKey.secretKeyRef.key", 253, |n| {
        secret(&json!({ "name": "alice", "key": "a".repeat(n) }))
    }),
    (
        "credentials",
        "spec.apiKey.sha256",
        64,
        |n| json!({ "consumerRef": { "name": "alice" }, "apiKey": { "sha256": "a".repeat(n) } }),
    ),
    ("authpolicies", "spec.targetRefs", 16, |n| {
        target_refs(&vec![target("public", "https"); n].into())
    }),
    ("authpolicies", "spec.targetRefs[0].name", 253, |n| {
        target_refs(&json!([target(&"a".repeat(n), "https")]))
    }),
    ("authpolicies", "spec.targetRefs[0].sectionName", 253, |n| {
        target_refs(&json!([target("public", &"a".repeat(n))]))
    }),
    (
        "authpolicies",
        "spec.consumerNamespaces",
        64,
        |n| json!({ "methods": [{ "type": "APIKey" }], "consumerNamespaces": vec!["shop"; n] }),
    ),
    (
        "authpolicies",
        "spec.consumerNamespaces[0]",
        63,
        |n| json!({ "methods": [{ "type": "APIKey" }], "consumerNamespaces": ["a".repeat(n)] }),
    ),
    ("authpolicies", "spec.methods[0].apiKey.extractFrom", 16, |n| {
        places(
            &(0..n)
                .map(|i| json!({ "query": { "name": format!("key{i}") } }))
                .collect(),
        )
    }),
    (
        "authpolicies",
        "spec.methods[0].apiKey.extractFrom[0].header.name",
        128,
        |n| places(&json!([{ "header": { "name": "a".repeat(n) } }])),
    ),
    (
        "authpolicies",
        "spec.methods[0].apiKey.extractFrom[0].query.name",
        128,
        |n| places(&json!([{ "query": { "name": "a".repeat(n) } }])),
    ),
];

fn secret(secret_key_ref: &Value) -> Value {
    json!({ "consumerRef": { "name": "alice" }, "apiKey": { "secretKeyRef": secret_key_ref } })
}

fn target(name: &str, section: &str) -> Value {
    json!({ "group": "gateway.networking.k8s.io", "kind": "Gateway", "name": name, "sectionName": section })
}

fn target_refs(targets: &Value) -> Value {
    json!({ "methods": [{ "type": "APIKey" }], "targetRefs": targets })
}

fn places(places: &Value) -> Value {
    json!({ "methods": [{ "type": "APIKey", "apiKey": { "extractFrom": places } }] })
}

#[test]
fn the_longest_passes_and_one_more_does_not() {
    for (plural, field, longest, make) in LIMITS {
        let kind = KINDS.into_iter().find(|kind| kind.plural == *plural).unwrap();
        let (longest_spec, longer_spec) = (make(*longest), make(longest + 1));
        assert_eq!(kind.refused(&longest_spec), [""; 0], "{field} of {longest}");
        assert_eq!((kind.validate)(&longest_spec), [], "{field} of {longest}");
        assert_eq!(kind.refused(&longer_spec), [*field], "{field} of {}", longest + 1);
        let violations: Vec<_> = (kind.validate)(&longer_spec)
            .into_iter()
            .map(|v| v.field)
            .collect();
        assert_eq!(violations, [*field], "{field} of {}", longest + 1);
    }
}

#[test]
fn a_limit_counts_characters_not_bytes() {
    let kind = &KINDS[0];
    let spec = json!({ "username": "é".repeat(256) });
    let words = kind.refusals(&spec);
    assert_eq!(words, kind.violations(&spec));
    assert!(words[0].message.contains("printable ASCII"), "{words:?}");
}
