//! I10: what grants fails to nothing; a deletion always works; others go on.

mod support;

use latchkey_core::reason::Reason;
use latchkey_crds::credential::SecretKeyRef;
use latchkey_index::object::{Fact, KeySource, Kind};
use support::{World, block, consumer, credential, name, pepper, secret};

const KEY: &str = "the key of alice";

fn world() -> World {
    let world = World::of([
        consumer("ns/alice").into(),
        credential("ns/c", "alice", KEY).into(),
        consumer("ns/bob").into(),
        credential("ns/d", "bob", "the key of bob, too").into(),
    ]);
    assert_eq!(world.who(KEY), Ok("alice".into()));
    world
}

fn assert_bob(world: &World) {
    assert_eq!(world.who("the key of bob, too"), Ok("bob".into()));
}

#[test]
fn an_object_that_cannot_be_read_grants_nothing_until_it_is_mended() {
    for (kind, object, reason) in [
        (Kind::Consumer, "ns/alice", Reason::Orphaned),
        (Kind::Credential, "ns/c", Reason::UnknownKey),
    ] {
        let mut world = world();
        let done = world.apply(Fact::Undecodable(kind, name(object)));
        assert_eq!(done.undecodable, 1);
        assert_eq!(world.who(KEY), Err(reason));
        assert_eq!(world.index.ledger_stats().undecodable, 1);
        assert_bob(&world);
        match kind {
            Kind::Consumer => world.apply(consumer(object)),
            Kind::Credential => world.apply(credential(object, "alice", KEY)),
        };
        assert_eq!(world.who(KEY), Ok("alice".into()));
        assert_eq!(world.index.ledger_stats().undecodable, 0);
    }
}

#[test]
fn an_object_that_cannot_be_read_can_be_deleted() {
    for (kind, object) in [(Kind::Consumer, "ns/alice"), (Kind::Credential, "ns/c")] {
        let mut world = world();
        world.apply(Fact::Undecodable(kind, name(object)));
        world.delete(kind, object);
        assert_eq!(world.index.ledger_stats().undecodable, 0);
        assert!(world.who(KEY).is_err());
        assert_bob(&world);
    }
}

#[test]
fn a_terminating_object_grants_nothing() {
    let mut world = world();
    let mut alice = consumer("ns/alice");
    alice.terminating = true;
    world.apply(alice);
    assert_eq!(world.who(KEY), Err(Reason::ConsumerTerminating));
    let mut facts = credential("ns/c", "alice", KEY);
    facts.terminating = true;
    world.apply(facts);
    assert_eq!(world.who(KEY), Err(Reason::Terminating));
    assert_bob(&world);
}

#[test]
fn nothing_is_known_before_a_pepper_is() {
    let mut world = world();
    world.index.set_peppers(Vec::new());
    world.commit();
    assert_eq!(world.who(KEY), Err(Reason::UnknownKey));
    assert_eq!(world.index.stats().entries, 0);
}

#[test]
fn an_object_whose_texts_fit_no_request_grants_nothing() {
    let mut world = world();
    let mut alice = consumer("ns/alice");
    alice.groups = vec!["x".repeat(100); 700];
    assert_eq!(world.apply(alice).undecodable, 1);
    assert_eq!(world.who(KEY), Err(Reason::Orphaned));
    let long = "n".repeat(300);
    let facts = credential(&format!("{long}/c"), "alice", "a key in a long namespace");
    assert_eq!(world.apply(facts).undecodable, 1);
    assert_eq!(world.who("a key in a long namespace"), Err(Reason::UnknownKey));
    assert_bob(&world);
}

#[test]
fn a_block_that_nobody_can_have_published_is_counted_and_one_that_is_early_or_late_is_not() {
    let (held, other) = (pepper("1"), pepper("2"));
    let another = SecretKeyRef {
        name: "another".to_owned(),
        ..secret()
    };
    let own = || block("uid of ns/c", KEY, &held);
    let neighbours = || block("uid of ns/neighbour", KEY, &held);
    let mut world = World::of([consumer("ns/alice").into()]);
    for (source, blocks, refused) in [
        (secret(), vec![own()], 0),
        (secret(), vec![neighbours()], 1),
        (secret(), vec![block("uid of ns/neighbour", KEY, &other)], 0),
        (secret(), vec![own(), neighbours()], 1),
        (another.clone(), vec![own()], 0),
        (another, vec![neighbours()], 1),
    ] {
        let mut facts = credential("ns/c", "alice", KEY);
        facts.source = Some(KeySource::Published(source, blocks));
        let done = world.apply(facts.clone());
        assert_eq!(done.refused_blocks, refused, "{facts:?}");
        assert_eq!(world.apply(facts).refused_blocks, 0, "it is counted once");
    }
}
