//! Peppers come, overlap in a rotation, and go; keys live through it.

mod support;

use latchkey_core::{digest::Pepper, reason::Reason};
use support::{World, consumer, credential, pepper, published};

const INLINE: &str = "the key of an inline digest";
const SECRET: &str = "the key in a secret";

fn world(blocks: &[Pepper]) -> World {
    World::of([
        consumer("ns/alice").into(),
        credential("ns/inline", "alice", INLINE).into(),
        published("ns/secret", "alice", SECRET, blocks).into(),
    ])
}

fn set(world: &mut World, peppers: &[&str]) {
    world
        .index
        .set_peppers(peppers.iter().map(|id| pepper(id)).collect());
    world.commit();
}

#[test]
fn a_rotation_never_loses_a_key() {
    let mut world = world(&[pepper("1")]);
    let alive = |world: &World| {
        assert_eq!(world.who(INLINE), Ok("alice".into()));
        assert_eq!(world.who(SECRET), Ok("alice".into()));
    };
    alive(&world);
    set(&mut world, &["1", "2"]);
    alive(&world);
    assert_eq!(world.index.stats().entries, 3);
    world.apply(published(
        "ns/secret",
        "alice",
        SECRET,
        &[pepper("1"), pepper("2")],
    ));
    alive(&world);
    assert_eq!(world.index.stats().entries, 4);
    set(&mut world, &["2"]);
    alive(&world);
    world.apply(published("ns/secret", "alice", SECRET, &[pepper("2")]));
    alive(&world);
    assert_eq!((world.index.stats().entries, world.index.stats().peppers), (2, 1));
}

#[test]
fn a_block_that_came_before_its_pepper_counts_once_the_pepper_is_known() {
    let mut world = world(&[pepper("2")]);
    assert_eq!(world.who(SECRET), Err(Reason::UnknownKey));
    set(&mut world, &["1", "2"]);
    assert_eq!(world.who(SECRET), Ok("alice".into()));
}

#[test]
fn a_pepper_that_comes_back_brings_its_digests_back() {
    let mut world = world(&[pepper("1")]);
    set(&mut world, &["2"]);
    assert_eq!(world.who(SECRET), Err(Reason::UnknownKey));
    assert_eq!(world.who(INLINE), Ok("alice".into()));
    set(&mut world, &["1"]);
    assert_eq!(world.who(SECRET), Ok("alice".into()));
}

#[test]
fn another_secret_under_the_same_id_proves_nothing_of_the_old_one() {
    let mut world = world(&[pepper("1")]);
    world.index.set_peppers(vec![Pepper::new("1", &[9; 32])]);
    world.commit();
    assert_eq!(world.who(SECRET), Err(Reason::UnknownKey));
    assert_eq!(world.who(INLINE), Ok("alice".into()));
}

#[test]
fn two_peppers_of_one_secret_are_no_conflict_of_a_credential_with_itself() {
    let same = [Pepper::new("1", &[5; 32]), Pepper::new("2", &[5; 32])];
    let mut world = World::new();
    world.index.set_peppers(same.to_vec());
    world.apply(consumer("ns/alice"));
    world.apply(credential("ns/inline", "alice", INLINE));
    world.apply(published("ns/secret", "alice", SECRET, &same));
    assert_eq!(world.index.ledger_stats().conflicted, 0);
    assert_eq!(world.index.stats().entries, 2);
    for left in [&same[1..], &same[..1]] {
        world.index.set_peppers(left.to_vec());
        world.commit();
        assert_eq!(world.who(INLINE), Ok("alice".into()));
        assert_eq!(world.who(SECRET), Ok("alice".into()));
    }
}

#[test]
fn the_same_peppers_again_swap_nothing() {
    let mut world = world(&[pepper("1")]);
    let before = world.index.stats().revision;
    set(&mut world, &["1"]);
    set(&mut world, &["1", "1"]);
    assert_eq!(world.index.stats().revision, before);
}

#[test]
fn a_block_with_a_wrong_tag_counts_for_nothing() {
    let mut facts = published("ns/secret", "alice", SECRET, &[pepper("1")]);
    let Some(latchkey_index::object::KeySource::Published(_, blocks)) = &mut facts.source else {
        panic!("not published")
    };
    blocks[0].tag = "00".repeat(32);
    let world = World::of([consumer("ns/alice").into(), facts.into()]);
    assert_eq!(world.who(SECRET), Err(Reason::UnknownKey));
}
