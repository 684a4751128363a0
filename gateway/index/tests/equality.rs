//! I7: what is equal commits nothing, and a complete list wins whatever was known.

mod support;

use latchkey_core::{reason::Reason, time::UnixSeconds};
use latchkey_index::object::{CredentialFacts, Fact, KeySource, Kind};
use support::{World, consumer, credential, name, pepper, published};

const KEY: &str = "the key of alice";

fn world() -> World {
    World::of([
        consumer("ns/alice").into(),
        credential("ns/c", "alice", KEY).into(),
        published("ns/d", "alice", "another key of alice", &[pepper("1")]).into(),
    ])
}

#[test]
fn equal_facts_swap_nothing() {
    let mut world = world();
    let before = world.index.stats();
    let known: [support::Applied; 3] = [
        consumer("ns/alice").into(),
        credential("ns/c", "alice", KEY).into(),
        published("ns/d", "alice", "another key of alice", &[pepper("1")]).into(),
    ];
    for object in known {
        let done = world.apply(object);
        assert!(!done.changed);
        assert_eq!((done.events, done.unchanged, done.pages_written), (1, 1, 0));
    }
    assert_eq!(world.index.stats(), before);
}

#[test]
fn what_is_not_known_cannot_be_deleted() {
    let mut world = world();
    assert!(!world.delete(Kind::Credential, "other/c").changed);
    assert!(!world.delete(Kind::Consumer, "ns/c").changed);
    let unknown = Fact::Undecodable(Kind::Consumer, name("ns/bob"));
    assert!(!world.apply(unknown).changed);
}

#[test]
fn a_commit_of_nothing_swaps_nothing() {
    let mut world = world();
    let before = world.index.stats().revision;
    assert!(!world.commit().changed);
    assert_eq!(world.index.stats().revision, before);
}

#[test]
fn revisions_count_commits_that_changed_something() {
    let mut index = latchkey_index::Index::new(1);
    assert_eq!(index.stats().revision, 0);
    index.commit();
    assert_eq!(index.stats().revision, 0);
    index.apply(Fact::Consumer(consumer("ns/alice")));
    index.commit();
    assert_eq!(index.stats().revision, 1);
}

#[test]
fn a_status_that_says_the_same_again_writes_no_page() {
    let mut world = world();
    let mut facts = published("ns/d", "alice", "another key of alice", &[pepper("1")]);
    if let Some(KeySource::Published(_, blocks)) = &mut facts.source {
        blocks.push(blocks[0].clone());
    }
    let done = world.apply(facts);
    assert!(!done.changed);
    assert_eq!(done.pages_written, 0);
}

#[test]
fn every_field_of_a_credential_tells() {
    type Change = fn(&mut CredentialFacts);
    let changes: [(Change, Result<&str, Reason>); 7] = [
        (|facts| facts.consumer = "bob".to_owned(), Err(Reason::Orphaned)),
        (|facts| facts.source = None, Err(Reason::UnknownKey)),
        (|facts| facts.disabled = true, Err(Reason::Disabled)),
        (|facts| facts.terminating = true, Err(Reason::Terminating)),
        (
            |facts| facts.not_before = Some(UnixSeconds(2_000)),
            Err(Reason::NotYetValid),
        ),
        (|facts| facts.expires = Some(UnixSeconds(1)), Err(Reason::Expired)),
        (|facts| facts.created = UnixSeconds(11), Ok("alice")),
    ];
    for (change, expected) in changes {
        let mut world = world();
        let mut facts = credential("ns/c", "alice", KEY);
        change(&mut facts);
        assert!(world.apply(facts).changed);
        assert_eq!(world.who(KEY), expected.map(ToOwned::to_owned));
    }
}

#[test]
fn a_list_from_before_wins_over_what_came_after() {
    let mut world = world();
    world.apply(credential("ns/c", "alice", "a rotated key of alice"));
    world.relist(Kind::Credential, [credential("ns/c", "alice", KEY).into()]);
    assert_eq!(world.who(KEY), Ok("alice".into()));
    assert_eq!(world.who("a rotated key of alice"), Err(Reason::UnknownKey));
    assert_eq!(world.who("another key of alice"), Err(Reason::UnknownKey));
}

#[test]
fn changes_between_two_commits_are_seen_as_one() {
    let mut world = world();
    world.index.delete(Kind::Credential, &name("ns/c"));
    world
        .index
        .apply(Fact::Credential(credential("ns/c", "alice", "in between, a key")));
    world.index.apply(Fact::Credential(credential(
        "ns/c",
        "alice",
        "the last key of all",
    )));
    assert_eq!(world.who(KEY), Ok("alice".into()), "before the commit");
    assert_eq!(world.commit().events, 3);
    assert_eq!(world.who(KEY), Err(Reason::UnknownKey));
    assert_eq!(world.who("in between, a key"), Err(Reason::UnknownKey));
    assert_eq!(world.who("the last key of all"), Ok("alice".into()));
}
