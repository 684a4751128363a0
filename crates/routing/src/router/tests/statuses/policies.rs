//! AuthPolicies, ancestor by ancestor.

use serde_json::json;

use super::*;

fn said(world: &World, name: &str) -> Vec<(String, String)> {
    ancestors(world, name)
        .into_iter()
        .map(|(ancestor, condition, _)| (ancestor, condition))
        .collect()
}

fn at(ancestor: &str, condition: &str) -> (String, String) {
    (ancestor.to_owned(), format!("Accepted={condition}"))
}

#[test]
fn a_policy_says_at_each_target_whether_it_holds() {
    let api = route("api", &["t"], &json!([rule("/")]));
    let keys = policy(
        "keys",
        &[
            "HTTPRoute/api",
            "Gateway/gw/web",
            "Gateway/gw",
            "Gateway/gw/none",
            "HTTPRoute/none",
        ],
    );
    let world = World::of(base().into_iter().chain([api, keys]));
    assert_eq!(
        said(&world, "keys"),
        [
            at("Gateway default/gw", "True Accepted"),
            at("Gateway default/gw#none", "False TargetNotFound"),
            at("Gateway default/gw#web", "True Accepted"),
            at("HTTPRoute default/api", "True Accepted"),
            at("HTTPRoute default/none", "False TargetNotFound"),
        ]
    );
}

#[test]
fn the_younger_policy_is_told_who_holds_there_and_keeps_its_other_targets() {
    let old = created(policy("old", &["Gateway/gw"]), "2020-01-01T00:00:00Z");
    let keys = policy("keys", &["Gateway/gw", "Gateway/gw/web"]);
    let mut world = World::of(base().into_iter().chain([old, keys]));
    let found = ancestors(&world, "keys");
    assert_eq!(found[0].1, "Accepted=False Conflicted");
    assert!(found[0].2.contains("older AuthPolicy default/old"), "{found:?}");
    assert_eq!(found[1].1, "Accepted=True Accepted");
    assert_eq!(said(&world, "old"), [at("Gateway default/gw", "True Accepted")]);
    world.delete(Kind::AuthPolicy, "old");
    assert_eq!(said(&world, "keys")[0].1, "Accepted=True Accepted");
}

#[test]
fn a_policy_on_a_gateway_of_another_class_is_told_that_nothing_holds_there() {
    let mut other = plain_gateway();
    other["spec"]["gatewayClassName"] = json!("other");
    let world = World::of([other, policy("keys", &["Gateway/gw"])]);
    let found = ancestors(&world, "keys");
    assert_eq!(found[0].1, "Accepted=False TargetNotFound");
    assert!(found[0].2.contains("is not of class latchkey"), "{found:?}");
}

#[test]
fn a_policy_that_cannot_be_honoured_says_so_at_all_its_targets() {
    let mut keys = policy("keys", &["Gateway/gw", "HTTPRoute/none"]);
    keys["spec"]["methods"][0]["type"] = json!("Magic");
    let world = World::of(base().into_iter().chain([keys]));
    let found = ancestors(&world, "keys");
    assert_eq!(found.len(), 2);
    for (_, condition, message) in &found {
        assert_eq!(condition, "Accepted=False Invalid");
        assert!(message.starts_with("spec.methods[0].type"), "{message}");
    }
}

#[test]
fn a_policy_without_targets_names_the_routes_that_use_it_at_most_sixteen() {
    let mut using = json!([rule("/")]);
    using[0]["filters"] = json!([{ "type": "ExtensionRef", "extensionRef": {
        "group": "latchkey.dev", "kind": "AuthPolicy", "name": "keys",
    } }]);
    let mut world = World::of(base().into_iter().chain([policy("keys", &[])]));
    assert!(said(&world, "keys").is_empty());
    world.apply([
        route("api", &["t"], &using),
        route("other", &["t"], &json!([rule("/")])),
    ]);
    assert_eq!(
        said(&world, "keys"),
        [at("HTTPRoute default/api", "True Accepted")]
    );
    world.apply((0..20).map(|n| route(&format!("r-{n}"), &["t"], &using)));
    assert_eq!(said(&world, "keys").len(), 16);
    let mut broken = policy("keys", &[]);
    broken["spec"]["surprise"] = json!(1);
    world.apply([broken]);
    assert_eq!(said(&world, "keys")[0].1, "Accepted=False Invalid");
}
