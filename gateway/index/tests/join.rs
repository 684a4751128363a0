//! I4: the answer joins Credential and Consumer; either moving is seen by the next request.

mod support;

use latchkey_core::{reason::Reason, time::UnixSeconds};
use latchkey_index::object::Kind;
use support::{NOW, World, consumer, credential};

const KEY: &str = "the key of alice";

fn alice() -> World {
    World::of([
        consumer("ns/alice").into(),
        credential("ns/c", "alice", KEY).into(),
    ])
}

#[test]
fn a_changed_consumer_is_seen_without_an_event_of_its_credential() {
    let mut world = alice();
    let mut changed = consumer("ns/alice");
    changed.username = "Alice".to_owned();
    changed.groups = vec!["admins".to_owned(), "users".to_owned()];
    world.apply(changed.clone());
    assert_eq!(world.who(KEY), Ok("Alice".into()));
    changed.disabled = true;
    world.apply(changed.clone());
    assert_eq!(world.who(KEY), Err(Reason::ConsumerDisabled));
    changed.disabled = false;
    changed.expires = Some(NOW);
    world.apply(changed.clone());
    assert_eq!(world.who(KEY), Err(Reason::ConsumerExpired));
    changed.expires = None;
    changed.terminating = true;
    world.apply(changed);
    assert_eq!(world.who(KEY), Err(Reason::ConsumerTerminating));
}

#[test]
fn a_deleted_consumer_orphans_its_credential_until_one_of_its_name_comes_back() {
    let mut world = alice();
    world.delete(Kind::Consumer, "ns/alice");
    assert_eq!(world.who(KEY), Err(Reason::Orphaned));
    world.apply(consumer("other/alice"));
    assert_eq!(world.who(KEY), Err(Reason::Orphaned), "of another namespace");
    world.apply(consumer("ns/alice"));
    assert_eq!(world.who(KEY), Ok("alice".into()));
}

#[test]
fn a_credential_may_come_before_its_consumer() {
    let mut world = World::of([credential("ns/c", "alice", KEY).into()]);
    assert_eq!(world.who(KEY), Err(Reason::Orphaned));
    world.apply(consumer("ns/alice"));
    assert_eq!(world.who(KEY), Ok("alice".into()));
}

#[test]
fn a_credential_may_move_to_another_consumer() {
    let mut world = alice();
    world.apply(consumer("ns/bob"));
    world.apply(credential("ns/c", "bob", KEY));
    assert_eq!(world.who(KEY), Ok("bob".into()));
    world.delete(Kind::Consumer, "ns/alice");
    assert_eq!(world.who(KEY), Ok("bob".into()));
}

#[test]
fn times_take_effect_without_an_event() {
    let mut facts = credential("ns/c", "alice", KEY);
    facts.not_before = Some(UnixSeconds(100));
    facts.expires = Some(UnixSeconds(200));
    let world = World::of([consumer("ns/alice").into(), facts.into()]);
    for (now, answer) in [
        (99, Err(Reason::NotYetValid)),
        (100, Ok("alice".to_owned())),
        (199, Ok("alice".to_owned())),
        (200, Err(Reason::Expired)),
    ] {
        assert_eq!(world.who_in(KEY, "ns", UnixSeconds(now)), answer, "at {now}");
    }
}
