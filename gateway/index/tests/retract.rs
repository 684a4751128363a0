//! I3: an update first takes out what the object put in before. "Nothing to index now" is a removal.

mod support;

use latchkey_core::reason::Reason;
use latchkey_index::object::{Fact, Kind};
use support::{World, consumer, credential, name, pepper, published};

const KEY: &str = "the key of alice";

fn alice() -> World {
    let world = World::of([
        consumer("ns/alice").into(),
        credential("ns/c", "alice", KEY).into(),
    ]);
    assert_eq!(world.who(KEY), Ok("alice".into()));
    assert_eq!(world.index.stats().entries, 1);
    world
}

fn assert_gone(world: &World) {
    assert_eq!(world.who(KEY), Err(Reason::UnknownKey));
    assert_eq!(world.index.stats().entries, 0);
    assert_eq!(world.index.ledger_stats().credentials, 0);
}

#[test]
fn a_credential_without_a_method_is_taken_out() {
    let mut world = alice();
    let mut facts = credential("ns/c", "alice", KEY);
    facts.source = None;
    assert!(world.apply(facts).changed);
    assert_gone(&world);
}

#[test]
fn a_credential_that_switched_to_a_secret_nobody_published_is_taken_out() {
    let mut world = alice();
    assert!(world.apply(published("ns/c", "alice", KEY, &[])).changed);
    assert_gone(&world);
}

#[test]
fn a_credential_that_cannot_be_read_is_taken_out() {
    let mut world = alice();
    world.apply(Fact::Undecodable(Kind::Credential, name("ns/c")));
    assert_gone(&world);
}

#[test]
fn a_deleted_credential_is_taken_out() {
    let mut world = alice();
    assert!(world.delete(Kind::Credential, "ns/c").changed);
    assert_gone(&world);
}

#[test]
fn another_key_ends_the_one_before() {
    let mut world = alice();
    world.apply(credential("ns/c", "alice", "another key of alice"));
    assert_eq!(world.who(KEY), Err(Reason::UnknownKey));
    assert_eq!(world.who("another key of alice"), Ok("alice".into()));
    assert_eq!(world.index.stats().entries, 1);
}

#[test]
fn a_changed_source_ends_what_was_published_for_the_one_before() {
    let peppers = [pepper("1")];
    let mut world = World::of([
        consumer("ns/alice").into(),
        published("ns/c", "alice", KEY, &peppers).into(),
    ]);
    assert_eq!(world.who(KEY), Ok("alice".into()));
    let mut facts = published("ns/c", "alice", KEY, &peppers);
    if let Some(latchkey_index::object::KeySource::Published(source, _)) = &mut facts.source {
        source.key = "another data key".to_owned();
    }
    world.apply(facts);
    assert_eq!(world.who(KEY), Err(Reason::UnknownKey));
    assert_eq!(world.index.stats().entries, 0);
}
