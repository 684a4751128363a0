use serde_json::json;

use super::*;
use crate::object::Manifest;

fn policy(name: &str, spec: &serde_json::Value) -> (ObjectName, AuthPolicy) {
    let name = ObjectName::new("n", name);
    let object = json!({
        "apiVersion": "latchkey.dev/v1alpha1",
        "kind": "AuthPolicy",
        "metadata": { "name": name.name, "namespace": name.namespace },
        "spec": spec,
    });
    let policy = AuthPolicy::read(&Manifest::Value(object), &name);
    (name, policy)
}

fn holding(policies: &[(ObjectName, AuthPolicy)]) -> Holding {
    Holding::of(policies.iter().map(|(_, policy)| policy))
}

fn name(policy: Option<&Arc<Policy>>) -> Option<&str> {
    policy.map(|policy| policy.name.name.as_str())
}

fn keys(overriding: bool) -> serde_json::Value {
    json!({
        "targetRefs": [{
            "group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "gw",
        }],
        "methods": [{ "type": "APIKey" }],
        "override": overriding,
    })
}

#[test]
fn the_first_default_and_the_first_override_hold() {
    let policies = [
        policy("a", &keys(false)),
        policy("b", &keys(true)),
        policy("c", &keys(false)),
        policy("d", &keys(true)),
    ];
    let holding = holding(&policies);
    assert_eq!(name(holding.default.as_ref()), Some("a"));
    assert_eq!(name(holding.overriding.as_ref()), Some("b"));
    let holders: Vec<_> = policies
        .iter()
        .map(|(_, policy)| holding.holder(policy).map(|name| name.name.as_str()))
        .collect();
    assert_eq!(holders, [Some("a"), Some("b"), Some("a"), Some("b")]);
    assert!(!holding.closed && holding.any());
}

#[test]
fn one_that_cannot_be_honoured_closes_whatever_its_age() {
    for at in 0..2 {
        let mut policies = vec![policy("good", &keys(false))];
        policies.insert(at, policy("bad", &json!({ "methods": 5 })));
        let holding = holding(&policies);
        assert!(holding.closed && holding.any());
        assert_eq!(name(holding.default.as_ref()), Some("good"));
    }
}

#[test]
fn without_policies_nothing_holds() {
    assert_eq!(holding(&[]), Holding::default());
    assert!(!Holding::default().any());
}
