//! Which AuthPolicies a request must pass.

use serde_json::{Value, json};

use super::support::*;
use crate::{object::Kind, policy, table::Found};

fn world(policies: impl IntoIterator<Item = Value>) -> World {
    let api = route("api", &[], &json!([rule("/")]));
    World::of(base().into_iter().chain([api]).chain(policies))
}

/// The policies that stand before the route of [`world`].
fn checks(world: &World) -> String {
    let answer = world.get("t", "/");
    match answer.strip_suffix(&sent_by("api")) {
        Some(checks) => checks.trim_end_matches(" > ").to_owned(),
        None => answer,
    }
}

#[test]
fn the_most_specific_policy_replaces_the_rest() {
    let mut world = world([policy("of-gateway", &["Gateway/gw"])]);
    assert_eq!(checks(&world), "of-gateway");
    world.apply([policy("of-listener", &["Gateway/gw/web"])]);
    assert_eq!(checks(&world), "of-listener");
    world.apply([policy("of-route", &["HTTPRoute/api"])]);
    assert_eq!(checks(&world), "of-route");
    let mut filtered = route("api", &[], &json!([rule("/")]));
    filtered["spec"]["rules"][0]["filters"] = json!([extension("of-rule")]);
    world.apply([policy("of-rule", &[]), filtered]);
    assert_eq!(checks(&world), "of-rule");
    for (gone, next) in [
        ("of-listener", "of-rule"),
        ("of-route", "of-rule"),
        ("of-gateway", "of-rule"),
    ] {
        world.delete(Kind::AuthPolicy, gone);
        assert_eq!(checks(&world), next);
    }
}

fn extension(name: &str) -> Value {
    json!({
        "type": "ExtensionRef",
        "extensionRef": { "group": "latchkey.dev", "kind": "AuthPolicy", "name": name },
    })
}

#[test]
fn overrides_of_gateway_and_listener_must_pass_in_addition() {
    let mut world = world([
        override_policy("gateway-override", &["Gateway/gw"]),
        override_policy("listener-override", &["Gateway/gw/web"]),
    ]);
    assert_eq!(checks(&world), "gateway-override > listener-override");
    world.apply([
        policy("of-gateway", &["Gateway/gw"]),
        policy("of-route", &["HTTPRoute/api"]),
    ]);
    assert_eq!(checks(&world), "gateway-override > listener-override > of-route");
    world.delete(Kind::AuthPolicy, "of-route");
    assert_eq!(
        checks(&world),
        "gateway-override > listener-override > of-gateway"
    );
}

#[test]
fn the_oldest_policy_wins_per_target_and_the_other_keeps_its_remaining_targets() {
    let young = policy("a-young", &["HTTPRoute/api", "HTTPRoute/www"]);
    let old = created(policy("z-old", &["HTTPRoute/api"]), "2020-01-01T00:00:00Z");
    let mut world = world([young, route("www", &["www"], &json!([rule("/")]))]);
    assert_eq!(checks(&world), "a-young");
    world.apply([old]);
    assert_eq!(checks(&world), "z-old");
    assert_eq!(world.get("www", "/"), format!("a-young > {}", sent_by("www")));
    assert_eq!(world.reasons(Kind::AuthPolicy, "a-young"), ["Conflicted"]);
    assert!(world.reasons(Kind::AuthPolicy, "z-old").is_empty());
    world.delete(Kind::AuthPolicy, "z-old");
    assert_eq!(checks(&world), "a-young");
    assert!(world.open.is_empty(), "{:?}", world.open);
}

#[test]
fn of_equally_old_policies_the_first_by_name_wins() {
    let world = world([policy("b", &["HTTPRoute/api"]), policy("a", &["HTTPRoute/api"])]);
    assert_eq!(checks(&world), "a");
    assert_eq!(world.reasons(Kind::AuthPolicy, "b"), ["Conflicted"]);
}

#[test]
fn a_rule_whose_policy_filters_say_nothing_definite_fails() {
    let mut world = world([policy("keys", &[]), policy("more", &[])]);
    let cases = [
        (json!([extension("gone")]), "filter_invalid", "InvalidKind"),
        (
            json!([extension("keys"), extension("more")]),
            "filter_invalid",
            "IncompatibleFilters",
        ),
        (
            json!([{ "type": "ExtensionRef", "extensionRef": {
                "group": "other.dev", "kind": "AuthPolicy", "name": "keys",
            } }]),
            "unsupported_value",
            "InvalidKind",
        ),
    ];
    for (filters, answer, reason) in cases {
        let mut api = route("api", &[], &json!([rule("/")]));
        api["spec"]["rules"][0]["filters"] = filters;
        world.apply([api]);
        assert_eq!(world.get("t", "/"), format!("api fails {answer}"));
        assert_eq!(world.reasons(Kind::HttpRoute, "api"), [reason]);
    }
}

#[test]
fn a_filter_names_a_policy_of_the_routes_own_namespace() {
    let mut api = route("tenant/api", &[], &json!([rule("/")]));
    api["spec"]["rules"][0]["filters"] = json!([extension("keys")]);
    let mut world = World::of(base().into_iter().chain([api, policy("keys", &[])]));
    assert_eq!(world.get("t", "/"), "api fails filter_invalid");
    world.apply([policy("tenant/keys", &[])]);
    assert_eq!(world.get("t", "/"), "keys > api -> 1:backend_invalid");
}

#[test]
fn a_policy_holds_in_its_own_namespace_only() {
    let world = world([policy("tenant/keys", &["HTTPRoute/api", "Gateway/gw"])]);
    assert_eq!(checks(&world), "");
    assert_eq!(
        world.reasons(Kind::AuthPolicy, "tenant/keys"),
        ["TargetNotFound", "TargetNotFound"]
    );
}

#[test]
fn a_missing_object_closes_nothing() {
    let mut world = world([policy(
        "keys",
        &["HTTPRoute/api", "HTTPRoute/none", "Gateway/none/web"],
    )]);
    assert_eq!(checks(&world), "keys");
    assert_eq!(world.reasons(Kind::AuthPolicy, "keys"), ["TargetNotFound"; 2]);
    for finding in &world.open {
        assert!(!finding.message.contains("503"), "{}", finding.message);
    }
    world.apply([gateway("none", &plain_gateway()["spec"]["listeners"])]);
    assert_eq!(checks(&world), "keys");
    assert_eq!(world.reasons(Kind::AuthPolicy, "keys"), ["TargetNotFound"]);
}

#[test]
fn routes_without_a_policy_are_closed_if_so_configured() {
    let objects = || {
        base().into_iter().chain([
            route("api", &[], &json!([rule("/")])),
            route("broken", &["broken"], &json!([{ "retry": {} }])),
        ])
    };
    let mut world = World::with(true);
    world.apply(objects());
    assert_eq!(world.get("t", "/"), format!("no_policy > {}", sent_by("api")));
    assert_eq!(world.get("broken", "/"), "broken fails unsupported_value");
    world.apply([override_policy("keys", &["Gateway/gw"])]);
    assert_eq!(checks(&world), "keys");
}

#[test]
fn unprotected_routes_are_counted() {
    let mut world = world([]);
    let count = |world: &World| world.router.tables().load().stats().unprotected_routes;
    assert_eq!(count(&world), 1);
    world.apply([policy("keys", &["Gateway/gw/web"])]);
    assert_eq!(count(&world), 0);
    world.apply([policy("keys", &["HTTPRoute/www"])]);
    assert_eq!(count(&world), 1);
    world.apply([policy("keys", &["HTTPRoute/api"])]);
    assert_eq!(count(&world), 0);
    world.delete(Kind::AuthPolicy, "keys");
    assert_eq!(count(&world), 1);
    world.delete(Kind::HttpRoute, "api");
    assert_eq!(count(&world), 0);
}

#[test]
fn a_terminating_policy_holds_until_it_is_gone() {
    let mut keys = policy("keys", &["HTTPRoute/api"]);
    keys["metadata"]["deletionTimestamp"] = json!("2026-01-02T00:00:00Z");
    let mut world = world([keys]);
    assert_eq!(checks(&world), "keys");
    world.delete(Kind::AuthPolicy, "keys");
    assert_eq!(checks(&world), "");
}

#[test]
fn the_default_place_of_a_key_is_a_header() {
    let world = world([policy("keys", &["HTTPRoute/api"])]);
    let table = world.router.tables();
    let table = table.load();
    let ask = Ask::new("t", "/");
    let Found::Rule(_, protection) = table.find(80, &ask.view()) else {
        panic!("a rule");
    };
    let keys = protection.specific.expect("a policy");
    let header = policy::Place::Header(http::HeaderName::from_static("x-api-key"));
    assert_eq!(keys.methods, [policy::Method::ApiKey(vec![header])]);
    assert!(keys.hide_credentials);
    assert!(keys.admission.admits("default") && !keys.admission.admits("other"));
}
