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
    world.index.relist_begin(Kind::Credential, None);
    for n in 10..1_000 {
        world.index.relist_apply(object(n).0);
    }
    world.index.relist_end(Kind::Credential, None);
    assert_present(&world, 0..1_000);
    let done = world.commit();
    assert_eq!((done.swept, done.corrected), (10, 10));
    assert_eq!(world.index.stats().revision, before + 1);
    assert_present(&world, 10..1_000);
    for n in 0..10 {
        assert_eq!(world.who(&key(n)), Err(Reason::UnknownKey));
    }
}

#[test]
fn a_list_that_breaks_removes_nothing_and_forgets_nothing() {
    let mut world = thousand();
    world.index.relist_begin(Kind::Credential, None);
    for n in 0..300 {
        world.index.relist_apply(object(n).0);
    }
    assert!(!world.commit().changed);
    assert_present(&world, 0..1_000);

    // Number 0 was named by the broken list, and was deleted before the next one.
    world.index.relist_begin(Kind::Credential, None);
    for n in 1..990 {
        world.index.relist_apply(object(n).0);
        assert!(!world.commit().changed);
    }
    world.index.relist_end(Kind::Credential, None);
    assert_eq!(world.commit().swept, 11);
    assert_present(&world, 1..990);
    for n in [0, 990, 999] {
        assert_eq!(world.who(&key(n)), Err(Reason::UnknownKey));
    }
}

#[test]
fn a_list_that_breaks_at_once_removes_nothing() {
    let mut world = thousand();
    world.index.relist_begin(Kind::Credential, None);
    world.index.relist_begin(Kind::Credential, None);
    world.commit();
    assert_present(&world, 0..1_000);
}

#[test]
fn an_end_without_a_begin_removes_nothing() {
    let mut world = thousand();
    world.index.relist_end(Kind::Credential, None);
    assert_eq!(world.commit().swept, 0);
    world.relist(Kind::Credential, (0..1_000).map(object));
    world.index.relist_end(Kind::Credential, None);
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
    world.index.relist_begin(Kind::Credential, None);
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

#[test]
fn a_list_of_one_namespace_says_nothing_about_others() {
    let mut world = thousand();
    world.apply(consumer("other/bob"));
    world.apply(credential("other/c", "bob", "the key of bob, there"));
    world.relist_of(Kind::Credential, Some("ns"), (0..10).map(object));
    assert_present(&world, 0..10);
    assert_eq!(world.who(&key(10)), Err(Reason::UnknownKey));
    assert_eq!(world.who("the key of bob, there"), Ok("bob".into()));
    world.relist_of(Kind::Credential, Some("other"), []);
    assert_eq!(world.who("the key of bob, there"), Err(Reason::UnknownKey));
    world.relist_of(Kind::Consumer, Some("other"), []);
    assert_present(&world, 0..10);
}

#[test]
fn lists_of_two_namespaces_may_run_at_a_time() {
    let there =
        |n: usize| -> Applied { credential(&format!("b/c-{n}"), "bob", &format!("{n} of bob")).into() };
    let mut world = thousand();
    world.apply(consumer("b/bob"));
    world.relist_of(Kind::Credential, Some("b"), (0..3).map(there));
    world.index.relist_begin(Kind::Credential, Some("ns"));
    world.index.relist_apply(object(1).0);
    world.index.relist_begin(Kind::Credential, Some("b"));
    world.index.relist_apply(object(2).0);
    world.index.relist_apply(there(1).0);
    world.index.relist_end(Kind::Credential, Some("ns"));
    assert_eq!(world.commit().swept, 998, "the one that began first ends first");
    assert_present(&world, 1..3);
    assert_eq!(world.who("0 of bob"), Ok("bob".into()), "its list still runs");
    world.index.relist_apply(there(2).0);
    world.index.relist_end(Kind::Credential, Some("b"));
    assert_eq!(world.commit().swept, 1);
    assert_eq!(world.who("0 of bob"), Err(Reason::UnknownKey));
    assert_eq!(world.who("1 of bob"), Ok("bob".into()));
    assert_present(&world, 1..3);
}

#[test]
fn a_second_end_removes_nothing() {
    let mut world = thousand();
    world.index.relist_begin(Kind::Credential, Some("ns"));
    world.index.relist_end(Kind::Credential, None);
    assert_eq!(world.commit().swept, 0, "a list of all never began");
    world.index.relist_end(Kind::Credential, Some("ns"));
    world.index.relist_end(Kind::Credential, Some("ns"));
    assert_eq!(world.commit().swept, 1_000);
}

#[test]
fn what_could_not_be_read_is_told_when_it_is_gone() {
    let broken = |object| Fact::Undecodable(Kind::Consumer, name(object)).into();
    let mut world = World::of([broken("a/x"), broken("b/y")]);
    world.index.relist_begin(Kind::Consumer, Some("a"));
    assert_eq!(world.index.relist_end(Kind::Consumer, Some("a")), [name("a/x")]);
    assert_eq!(world.index.undecodable(Kind::Consumer), 1);
}
