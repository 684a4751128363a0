//! A policy for a listener that its Gateway does not have closes all of the Gateway.

use serde_json::Value;

use super::support::*;
use crate::object::Kind;

/// Gateway `gw` with its one listener under this name.
fn named(listener: &str) -> Value {
    let mut gateway = plain_gateway();
    gateway["spec"]["listeners"][0]["name"] = listener.into();
    gateway
}

/// A route `api` on [`plain_gateway`], and these policies.
fn world(policies: impl IntoIterator<Item = Value>) -> World {
    let api = route("api", &[], &serde_json::json!([rule("/")]));
    World::of(base().into_iter().chain([api]).chain(policies))
}

fn closed() -> String {
    format!("policy_invalid > {}", sent_by("api"))
}

fn unprotected(world: &World) -> usize {
    world.router.tables().load().stats().unprotected_routes
}

#[test]
fn a_renamed_listener_closes_its_gateway_until_the_name_is_there_again() {
    for keys in [policy, override_policy] {
        let mut world = world([keys("keys", &["Gateway/gw/web"])]);
        let held = format!("keys > {}", sent_by("api"));
        assert_eq!(world.get("t", "/"), held);
        world.apply([named("public")]);
        assert_eq!(world.get("t", "/"), closed());
        assert_eq!(world.reasons(Kind::AuthPolicy, "keys"), ["TargetNotFound"]);
        let message = &world.open[0].message;
        for part in ["listener web of Gateway default/gw", "correct", "answer 503"] {
            assert!(message.contains(part), "{message}");
        }
        world.apply([named("web")]);
        assert_eq!(world.get("t", "/"), held);
        assert!(world.open.is_empty(), "{:?}", world.open);
    }
}

#[test]
fn correcting_or_removing_the_policy_opens_the_gateway() {
    let astray = || world([policy("keys", &["Gateway/gw/none"])]);
    let mut world = astray();
    assert_eq!(world.get("t", "/"), closed());
    world.apply([policy("keys", &["Gateway/gw/web"])]);
    assert_eq!(world.get("t", "/"), format!("keys > {}", sent_by("api")));
    let mut world = astray();
    world.delete(Kind::AuthPolicy, "keys");
    assert_eq!(world.get("t", "/"), sent_by("api"));
}

#[test]
fn what_the_policy_holds_for_besides_and_what_is_more_specific_does_not_open_the_gateway() {
    let mut world = world([
        policy("keys", &["Gateway/gw/none", "Gateway/gw"]),
        policy("specific", &["HTTPRoute/api"]),
    ]);
    assert_eq!(world.get("t", "/"), closed());
    world.delete(Kind::AuthPolicy, "keys");
    assert_eq!(world.get("t", "/"), format!("specific > {}", sent_by("api")));
}

#[test]
fn a_gateway_made_anew_without_the_listener_is_closed_and_others_are_not() {
    let mut world = world([policy("keys", &["Gateway/gw/web"])]);
    world.delete(Kind::Gateway, "gw");
    world.apply([named("public")]);
    assert_eq!(world.get("t", "/"), closed());
    world.delete(Kind::Gateway, "gw");
    let mut other = named("public");
    other["metadata"]["name"] = "gw2".into();
    let mut api = route("api", &[], &serde_json::json!([rule("/")]));
    api["spec"]["parentRefs"][0]["name"] = "gw2".into();
    world.apply([other, api]);
    assert_eq!(world.get("t", "/"), sent_by("api"));
}

#[test]
fn routes_of_a_gateway_that_is_closed_so_are_not_unprotected() {
    let mut www = route("www", &["www"], &serde_json::json!([rule("/")]));
    www["spec"]["parentRefs"][0]["sectionName"] = "web".into();
    let mut two = plain_gateway();
    let mut alt = two["spec"]["listeners"][0].clone();
    alt["name"] = "alt".into();
    alt["hostname"] = "alt.test".into();
    two["spec"]["listeners"].as_array_mut().expect("a list").push(alt);
    let mut world = world([policy("keys", &["Gateway/gw/alt"]), www, two.clone()]);
    assert_eq!(unprotected(&world), 2, "listener web has no policy");
    world.apply([plain_gateway()]);
    assert_eq!(unprotected(&world), 0);
    world.apply([two]);
    assert_eq!(unprotected(&world), 2);
}

#[test]
fn a_gateway_of_another_class_is_not_said_to_answer_503() {
    let mut foreign = named("public");
    foreign["spec"]["gatewayClassName"] = "other".into();
    let world = world([policy("keys", &["Gateway/gw/web"]), foreign]);
    let message = &world.open[0].message;
    assert!(!message.contains("503"), "{message}");
}
