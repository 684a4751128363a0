//! A change names what it may say anew, and not what exists. That it leaves out nothing is checked at
//! every commit of every test here.

use serde_json::json;

use super::*;

fn named(world: &mut World) -> Vec<String> {
    world.router.commit();
    let named = world.router.take_status_changes();
    let show = |(kind, name)| format!("{kind:?} {name}");
    named.into_iter().map(show).collect()
}

/// A hundred routes on one Gateway.
fn hundred() -> World {
    let routes = (0..100).map(|n| route(&format!("r-{n}"), &[&format!("h-{n}")], &json!([rule("/")])));
    World::of(base().into_iter().chain(routes))
}

#[test]
fn a_new_route_names_itself_and_the_gateway_that_counts_it() {
    let mut world = hundred();
    world.put(route("new", &["new"], &json!([rule("/")])));
    assert_eq!(named(&mut world), ["Gateway default/gw", "HttpRoute default/new"]);
    world.put(route("new", &["other"], &json!([rule("/a")])));
    assert_eq!(
        named(&mut world),
        ["HttpRoute default/new"],
        "it counts as before"
    );
}

#[test]
fn a_service_and_a_grant_name_the_routes_that_refer_to_them() {
    let mut world = hundred();
    let mut far = route("far", &["far"], &json!([rule("/")]));
    far["spec"]["rules"][0]["backendRefs"][0] = json!({ "name": "x", "namespace": "other", "port": 80 });
    world.apply([far]);
    world.put(service("other/x"));
    assert_eq!(named(&mut world), ["HttpRoute default/far"]);
    world.put(grant("other/g", "default"));
    assert_eq!(named(&mut world), ["HttpRoute default/far"]);
}

#[test]
fn endpoints_and_what_reads_the_same_name_nothing() {
    let mut world = hundred();
    world.put(slice("svc-1", "svc", &["10.0.0.9"]));
    world.put(plain_gateway());
    world.put(route("r-1", &["h-1"], &json!([rule("/")])));
    assert!(named(&mut world).is_empty());
}

#[test]
fn an_older_policy_names_those_that_share_its_target() {
    let mut world = hundred();
    world.apply([policy("a", &["Gateway/gw"]), policy("b", &["Gateway/gw/web"])]);
    world.put(created(policy("old", &["Gateway/gw"]), "2020-01-01T00:00:00Z"));
    assert_eq!(
        named(&mut world),
        ["AuthPolicy default/a", "AuthPolicy default/old"]
    );
}

#[test]
fn a_commit_forgets_what_the_one_before_named() {
    let mut world = hundred();
    world.put(route("new", &["new"], &json!([rule("/")])));
    world.router.commit();
    world.router.commit();
    assert!(world.router.take_status_changes().is_empty());
}
