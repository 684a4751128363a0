//! I5: only a complete list proves absence, and it does so in one commit.

use serde_json::{Value, json};

use super::support::*;
use crate::object::Kind;

fn api(n: usize) -> Value {
    route(&format!("r-{n}"), &[&format!("h-{n}")], &json!([rule("/")]))
}

fn served(world: &World) -> Vec<usize> {
    (0..4)
        .filter(|n| world.get(&format!("h-{n}"), "/") != "nothing")
        .collect()
}

/// Serves routes 0 to 3.
fn four() -> World {
    let world = World::of(base().into_iter().chain((0..4).map(api)));
    assert_eq!(served(&world), [0, 1, 2, 3]);
    world
}

#[test]
fn what_a_complete_list_does_not_name_is_gone_in_one_commit() {
    let mut world = four();
    world.router.relist_begin(Kind::HttpRoute, None);
    world.apply([api(1), api(2)]);
    assert_eq!(served(&world), [0, 1, 2, 3], "the list is not complete");
    assert_eq!(world.router.relist_end(Kind::HttpRoute, None), 2);
    assert_eq!(served(&world), [0, 1, 2, 3], "nothing is committed");
    world.commit();
    assert_eq!(served(&world), [1, 2]);
}

#[test]
fn a_list_that_breaks_removes_nothing_and_forgets_nothing() {
    let mut world = four();
    world.router.relist_begin(Kind::HttpRoute, None);
    world.apply([api(0)]);
    // Deleted before the list begins again.
    world.router.relist_begin(Kind::HttpRoute, None);
    world.apply([api(1), api(2), api(3)]);
    assert_eq!(served(&world), [0, 1, 2, 3]);
    assert_eq!(world.router.relist_end(Kind::HttpRoute, None), 1);
    world.commit();
    assert_eq!(served(&world), [1, 2, 3]);
}

#[test]
fn an_end_without_a_begin_removes_nothing() {
    let mut world = four();
    assert_eq!(world.router.relist_end(Kind::HttpRoute, None), 0);
    world.router.relist_begin(Kind::HttpRoute, Some("default"));
    assert_eq!(world.router.relist_end(Kind::HttpRoute, None), 0);
    world.commit();
    assert_eq!(served(&world), [0, 1, 2, 3]);
}

#[test]
fn a_list_speaks_of_its_kind_and_namespace_alone() {
    let elsewhere = route("other/r-3", &["h-3"], &json!([rule("/")]));
    let mut world = World::of(base().into_iter().chain([api(0), elsewhere]));
    assert_eq!(served(&world), [0, 3]);
    world.router.relist_begin(Kind::HttpRoute, Some("other"));
    world.router.relist_begin(Kind::Gateway, Some("other"));
    world.apply([api(0)]);
    assert_eq!(world.router.relist_end(Kind::HttpRoute, Some("other")), 1);
    assert_eq!(world.router.relist_end(Kind::Gateway, Some("other")), 0);
    world.commit();
    assert_eq!(served(&world), [0]);
}

#[test]
fn an_object_that_cannot_be_read_is_named_all_the_same() {
    let mut world = four();
    world.router.relist_begin(Kind::Gateway, None);
    world.unreadable(Kind::Gateway, "gw");
    assert_eq!(world.router.relist_end(Kind::Gateway, None), 0);
}

#[test]
fn what_changes_while_a_list_runs_is_as_the_last_word_says() {
    let mut world = four();
    world.router.relist_begin(Kind::HttpRoute, None);
    world.apply([api(0), api(1)]);
    world.delete(Kind::HttpRoute, "r-1");
    assert_eq!(world.router.relist_end(Kind::HttpRoute, None), 2);
    world.commit();
    assert_eq!(served(&world), [0]);
}

#[test]
fn objects_of_every_kind_are_swept() {
    let kinds = [
        (Kind::Gateway, gateway("it", &json!([]))),
        (Kind::HttpRoute, route("it", &[], &json!([]))),
        (Kind::ReferenceGrant, grant("it", "from")),
        (Kind::AuthPolicy, policy("it", &[])),
        (Kind::Service, service("it")),
        (Kind::EndpointSlice, slice("it", "it", &[])),
        (Kind::Namespace, namespace("it", &json!({}))),
    ];
    for (kind, object) in kinds {
        let mut world = World::of([object.clone()]);
        world.router.relist_begin(kind, None);
        world.apply([object]);
        assert_eq!(world.router.relist_end(kind, None), 0, "{kind:?}");
        world.router.relist_begin(kind, None);
        assert_eq!(world.router.relist_end(kind, None), 1, "{kind:?}");
    }
}
