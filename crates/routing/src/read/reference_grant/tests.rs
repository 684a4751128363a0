use serde_json::json;

use super::*;

fn permits(from: &Value, to: &Value) -> bool {
    let object = json!({ "spec": { "from": [from], "to": [to] } });
    ReferenceGrant::read(&Manifest::Value(object)).permits("tenant", "svc")
}

#[test]
fn a_grant_permits_what_it_says_and_no_near_miss() {
    let from = json!({
        "group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": "tenant",
    });
    let to = json!({ "group": "", "kind": "Service" });
    assert!(permits(&from, &to));
    assert!(permits(&from, &json!({ "kind": "Service", "name": "svc" })));
    let misses = |value: &Value, field: &str, other: Value| {
        let mut value = value.clone();
        value[field] = other;
        value
    };
    for (field, other) in [
        ("group", json!("")),
        ("kind", json!("GRPCRoute")),
        ("namespace", json!("other")),
        ("namespace", json!(5)),
        ("name", json!("api")),
    ] {
        assert!(!permits(&misses(&from, field, other), &to), "from.{field}");
    }
    for (field, other) in [
        ("group", json!("apps")),
        ("kind", json!("Secret")),
        ("name", json!("other")),
        ("name", json!(5)),
        ("port", json!(80)),
    ] {
        assert!(!permits(&from, &misses(&to, field, other)), "to.{field}");
    }
}

#[test]
fn what_cannot_be_read_grants_nothing_and_says_so() {
    for manifest in [
        Manifest::Unreadable,
        Manifest::Value(json!({ "spec": 5 })),
        Manifest::Value(json!({})),
    ] {
        let grant = ReferenceGrant::read(&manifest);
        assert!(!grant.permits("tenant", "svc"));
        assert!(grant.problem.is_some());
    }
}
