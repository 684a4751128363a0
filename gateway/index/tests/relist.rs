//! I5: only a complete list proves absence, and it does so in one commit.

mod support;

use latchkey_core::reason::Reason;
use latchkey_index::object::{Fact, Kind};
use support::{Applied, World, consumer, credential, name};

fn key(n: usize) -> String {
    format!("the key of number {n}")
}

fn object(n: usize) -> Applied {
    credential(&format!("ns/c-{n}"), "alice", &key(n)).into()
}

/// Alice with credentials 0..1000.
fn thousand() -> World {
    let mut world = World::of([consumer("ns/alice").into()]);
    world.relist(Kind::Credential, (0..1_000).map(object));
    assert_eq!(world.index.stats().entries, 1_000);
    world
}

fn assert_present(world: &World, present: impl Iterator<Item = usize>) {
    for n in present {
        assert_eq!(world.who(&key(n)), Ok("alice".into()), "number {n}");
    }
}

#[test]
fn what_a_complete_list_does_not_name_is_gone_in_one_commit() {
    let mut world = thousand();
    let before = world.index.stats().revision;
    world.index.relist_begin(Kind::Credential);
    for n in 10..1_000 {
        world.index.relist_apply(object(n).0);
    }
    world.index.relist_end(Kind::Credential);
    assert_present(&world, 0..1_000);
    let done = world.commit();
    assert_eq!(done.swept, 10);
    assert_eq!(world.index.stats().revision, before + 1);
    assert_present(&world, 10..1_000);
    for n in 0..10 {
        assert_eq!(world.who(&key(n)), Err(Reason::UnknownKey));
    }
}

#[test]
fn a_list_that_breaks_removes_nothing_and_forgets_nothing() {
    let mut world = thousand();
    world.index.relist_begin(Kind::Credential);
    for n in 0..300 {
        world.index.relist_apply(object(n).0);
    }
    assert!(!world.commit().changed);
    assert_present(&world, 0..1_000);

    // Number 0 was named by the broken list, and was deleted before the next one.
    world.index.relist_begin(Kind::Credential);
    for n in 1..990 {
        world.index.relist_apply(object(n).0);
        assert!(!world.commit().changed);
    }
    world.index.relist_end(Kind::Credential);
    assert_eq!(world.commit().swept, 11);
    assert_present(&world, 1..990);
    for n in [0, 990, 999] {
        assert_eq!(world.who(&key(n)), Err(Reason::UnknownKey));
    }
}

#[test]
fn a_list_that_breaks_at_once_removes_nothing() {
    let mut world = thousand();
    world.index.relist_begin(Kind::Credential);
    world.index.relist_begin(Kind::Credential);
    world.commit();
    assert_present(&world, 0..1_000);
}

#[test]
fn an_end_without_a_begin_removes_nothing() {
    let mut world = thousand();
    world.index.relist_end(Kind::Credential);
    assert_eq!(world.commit().swept, 0);
    world.relist(Kind::Credential, (0..1_000).map(object));
    world.index.relist_end(Kind::Credential);
    world.commit();
    assert_present(&world, 0..1_000);
}

#[test]
fn an_item_outside_of_a_list_is_an_apply() {
    let mut world = World::of([consumer("ns/alice").into()]);
    world.index.relist_apply(object(1).0);
    world.commit();
    assert_present(&world, 1..2);
}

#[test]
fn items_are_seen_before_the_list_ends() {
    let mut world = World::of([consumer("ns/alice").into()]);
    world.index.relist_begin(Kind::Credential);
    world.index.relist_apply(object(1).0);
    world.commit();
    assert_present(&world, 1..2);
}

#[test]
fn a_list_of_one_kind_says_nothing_about_the_other() {
    let mut world = thousand();
    world.relist(Kind::Consumer, [consumer("ns/bob").into()]);
    assert_eq!(world.who(&key(1)), Err(Reason::Orphaned));
    assert_eq!(world.index.stats().entries, 1_000);
    world.relist(Kind::Consumer, [consumer("ns/alice").into()]);
    assert_present(&world, 0..1_000);
}

#[test]
fn an_object_that_cannot_be_read_is_named_but_grants_nothing() {
    let mut world = thousand();
    let broken = Fact::Undecodable(Kind::Credential, name("ns/c-0"));
    world.relist(Kind::Credential, (1..1_000).map(object).chain([broken.into()]));
    assert_eq!(world.index.ledger_stats().undecodable, 1);
    assert_eq!(world.who(&key(0)), Err(Reason::UnknownKey));
    assert_present(&world, 1..1_000);
    world.relist(Kind::Credential, (1..1_000).map(object));
    assert_eq!(world.index.ledger_stats().undecodable, 0);
}
