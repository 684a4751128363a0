//! A slot that is used again never makes Alice's key Bob's.

mod support;

use latchkey_core::reason::Reason;
use latchkey_index::object::Kind;
use support::{World, consumer, credential};

const KEY: &str = "the key of alice";

#[test]
fn a_slot_that_a_credential_refers_to_goes_to_nobody_else() {
    let mut world = World::of([
        consumer("ns/alice").into(),
        credential("ns/c", "alice", KEY).into(),
    ]);
    world.delete(Kind::Consumer, "ns/alice");
    for n in 0..100 {
        world.apply(consumer(&format!("ns/bob-{n}")));
        assert_eq!(world.who(KEY), Err(Reason::Orphaned));
    }
    assert_eq!(world.index.ledger_stats().slots, 101);
    world.apply(consumer("ns/alice"));
    assert_eq!(world.who(KEY), Ok("alice".into()));
    assert_eq!(world.index.ledger_stats().slots, 101, "the vacant one was hers");
}

#[test]
fn deleting_and_creating_in_one_commit_moves_no_key() {
    let mut world = World::of([
        consumer("ns/alice").into(),
        credential("ns/c", "alice", KEY).into(),
    ]);
    let slot = world.slot(KEY);
    world.index.delete(Kind::Consumer, &support::name("ns/alice"));
    world.index.delete(Kind::Credential, &support::name("ns/c"));
    let new: [support::Applied; 3] = [
        consumer("ns/bob").into(),
        credential("ns/d", "bob", "the key of bob, new").into(),
        credential("ns/c", "alice", KEY).into(),
    ];
    for object in new {
        world.add(object);
    }
    world.commit();
    assert_eq!(
        world.slot("the key of bob, new"),
        slot,
        "the slot was free to be used again"
    );
    assert_eq!(world.who(KEY), Err(Reason::Orphaned));
    assert_eq!(world.who("the key of bob, new"), Ok("bob".into()));
}

#[test]
fn a_slot_is_free_once_neither_consumer_nor_credential_refers_to_it() {
    let mut world = World::new();
    for n in 0..1_000 {
        let (who, key) = (format!("consumer-{n}"), format!("the key of consumer {n}"));
        world.apply(credential("ns/c", &who, &key));
        world.apply(consumer(&format!("ns/{who}")));
        assert_eq!(world.who(&key), Ok(who.clone()));
        assert!(world.slot(&key) < 2, "two slots suffice for ever");
        world.delete(Kind::Consumer, &format!("ns/{who}"));
        assert!(world.index.ledger_stats().slots <= 2);
    }
    world.delete(Kind::Credential, "ns/c");
    assert_eq!(world.index.ledger_stats().slots, 0);
}
