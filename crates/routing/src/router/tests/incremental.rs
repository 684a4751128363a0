//! A change costs what it changes, and keeps what it does not.

use std::sync::Arc;

use latchkey_core::object::RouteLabel;
use serde_json::json;

use super::support::*;
use crate::{object::Kind, table::Found};

/// A thousand routes, each on its hostname, on one Gateway.
fn thousand() -> World {
    let routes = (0..1000).map(|i| {
        let host = format!("host-{i}.test");
        route(&format!("route-{i}"), &[&host], &json!([rule("/")]))
    });
    World::of(base().into_iter().chain(routes))
}

#[test]
fn a_change_of_one_route_of_a_thousand_compiles_its_hostnames_alone() {
    let mut world = thousand();
    let changed = route("route-7", &["host-7.test"], &json!([rule("/new")]));
    let commit = world.apply([changed.clone()]);
    assert_eq!((commit.changed, commit.hosts_compiled), (true, 1));
    assert_eq!(world.get("host-7.test", "/new"), sent_by("route-7"));
    assert_eq!(world.get("host-8.test", "/"), sent_by("route-8"));
    let moved = route("route-7", &["a.test", "b.test"], &json!([rule("/new")]));
    assert_eq!(world.apply([moved]).hosts_compiled, 2);
    assert_eq!(world.get("host-7.test", "/new"), "nothing");
}

#[test]
fn what_reads_the_same_changes_nothing() {
    let mut world = thousand();
    let revision = world.router.tables().load().stats().revision;
    let mut same = route("route-7", &["host-7.test"], &json!([rule("/")]));
    same["status"] = json!({ "parents": [] });
    same["metadata"]["resourceVersion"] = json!("77");
    let commit = world.apply([same, plain_gateway(), service("svc")]);
    assert_eq!(commit, crate::router::Commit::default());
    assert_eq!(world.router.tables().load().stats().revision, revision);
}

#[test]
fn a_change_of_endpoints_writes_one_set_and_swaps_no_table() {
    let mut world = thousand();
    let commit = world.apply([slice("svc-1", "svc", &["10.0.0.2"])]);
    assert_eq!(commit.endpoint_sets_written, 1);
    assert_eq!((commit.changed, commit.hosts_compiled), (false, 0));
    assert_eq!(world.get("host-9.test", "/"), "route-9 -> 1:[10.0.0.2:8080]");
    let commit = world.delete(Kind::EndpointSlice, "svc-1");
    assert_eq!((commit.changed, commit.endpoint_sets_written), (false, 1));
    assert_eq!(world.get("host-9.test", "/"), "route-9 -> 1:[]");
}

#[test]
fn a_policy_of_a_gateway_or_listener_compiles_no_hostname() {
    let mut world = thousand();
    for keys in [
        policy("keys", &["Gateway/gw"]),
        override_policy("more", &["Gateway/gw/web"]),
    ] {
        let commit = world.apply([keys]);
        assert_eq!((commit.changed, commit.hosts_compiled), (true, 0));
    }
    let expected = format!("more > keys > {}", sent_by("route-1"));
    assert_eq!(world.get("host-1.test", "/"), expected);
    let commit = world.unreadable(Kind::AuthPolicy, "broken");
    assert_eq!((commit.changed, commit.hosts_compiled), (true, 0));
}

#[test]
fn a_policy_of_a_route_compiles_its_hostnames_alone() {
    let mut world = thousand();
    let commit = world.apply([policy("keys", &["HTTPRoute/route-3"])]);
    assert_eq!(commit.hosts_compiled, 1);
}

#[test]
fn a_namespaces_labels_compile_only_what_they_attach_or_detach() {
    let mut world = thousand();
    let commit = world.apply([namespace("default", &json!({ "team": "a" }))]);
    assert_eq!((commit.changed, commit.hosts_compiled), (false, 0));
}

fn label(world: &World, host: &str) -> Arc<RouteLabel> {
    let table = world.router.tables();
    let table = table.load();
    match table.find(80, &Ask::new(host, "/").view()) {
        Found::Rule(rule, _) => Arc::clone(&rule.route),
        Found::Closed(_, Some(label)) => Arc::clone(label),
        other => panic!("no label in {other:?}"),
    }
}

#[test]
fn a_routes_label_belongs_to_its_uid() {
    let api = || route("api", &["t"], &json!([rule("/")]));
    let mut world = World::of(base().into_iter().chain([api()]));
    let first = label(&world, "t");
    world.apply([route("api", &["t"], &json!([rule("/"), rule("/x")]))]);
    assert!(Arc::ptr_eq(&first, &label(&world, "t")), "recompiled");
    world.apply([route("api", &["t"], &json!("broken"))]);
    assert!(Arc::ptr_eq(&first, &label(&world, "t")), "broken");
    let mut other = api();
    other["metadata"]["uid"] = json!("another");
    world.apply([other]);
    let second = label(&world, "t");
    assert_ne!(first.id, second.id, "replaced");
    world.delete(Kind::HttpRoute, "api");
    assert_eq!(Arc::strong_count(&second), 1, "gone with its route");
    world.apply([api()]);
    let third = label(&world, "t");
    assert!(third.id > second.id, "recreated");
}

#[test]
fn endpoints_of_what_no_route_uses_are_not_kept() {
    let mut world = World::of(
        base()
            .into_iter()
            .chain([route("api", &["t"], &json!([rule("/")]))]),
    );
    world.apply([route("api", &["t"], &json!([{}]))]);
    let commit = world.apply([slice("svc-1", "svc", &["10.0.0.2"])]);
    assert_eq!(commit.endpoint_sets_written, 0);
    world.apply([route("api", &["t"], &json!([rule("/")]))]);
    assert_eq!(world.get("t", "/"), "api -> 1:[10.0.0.2:8080]");
}

#[test]
fn a_version_that_a_reader_holds_stays_as_it_was() {
    let mut world = thousand();
    let cell = world.router.tables();
    let held = Arc::clone(&cell.load());
    world.apply([route("route-1", &["moved.test"], &json!([rule("/")]))]);
    let ask = Ask::new("host-1.test", "/");
    assert_eq!(answer(&held, 80, &ask), sent_by("route-1"));
    assert_eq!(world.ask(80, &ask), "nothing");
    assert_eq!(world.router.retired.len(), 1);
    drop(held);
    world.apply([route("route-2", &["moved.test"], &json!([rule("/")]))]);
    assert!(world.router.retired.is_empty(), "freed by the writer");
}
