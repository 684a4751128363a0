//! I2: an object is its kind, namespace and name, the same in a list and in events.

mod support;

use latchkey_core::reason::Reason;
use latchkey_index::object::Kind;
use support::{Applied, World, consumer, credential};

const KEYS: [&str; 3] = [
    "the first key of all",
    "the second key here",
    "the third key there",
];

fn consumers() -> [Applied; 2] {
    [consumer("ns1/alice").into(), consumer("ns2/bob").into()]
}

fn credentials() -> [Applied; 2] {
    [
        credential("ns1/cred-1", "alice", KEYS[0]).into(),
        credential("ns2/cred-1", "bob", KEYS[1]).into(),
    ]
}

/// `ns1/cred-1` changes its key and `ns2/cred-1` is deleted, as events and as a list.
#[test]
fn one_leaf_name_in_two_namespaces_is_two_objects() {
    for listed_first in [false, true] {
        let mut world = World::of(consumers());
        if listed_first {
            world.relist(Kind::Credential, credentials());
        } else {
            for object in credentials() {
                world.apply(object);
            }
        }
        if listed_first {
            world.apply(credential("ns1/cred-1", "alice", KEYS[2]));
        } else {
            let changed = credential("ns1/cred-1", "alice", KEYS[2]).into();
            let [_, unchanged] = credentials();
            world.relist(Kind::Credential, [changed, unchanged]);
        }
        assert_eq!(world.who(KEYS[0]), Err(Reason::UnknownKey));
        assert_eq!(world.who(KEYS[1]), Ok("bob".into()));
        assert_eq!(world.who(KEYS[2]), Ok("alice".into()));
        if listed_first {
            world.delete(Kind::Credential, "ns2/cred-1");
        } else {
            let left = credential("ns1/cred-1", "alice", KEYS[2]).into();
            world.relist(Kind::Credential, [left]);
        }
        assert_eq!(world.who(KEYS[1]), Err(Reason::UnknownKey));
        assert_eq!(world.who(KEYS[2]), Ok("alice".into()));
    }
}

#[test]
fn a_consumer_and_a_credential_of_one_name_are_two_objects() {
    let mut world = World::of([
        consumer("ns/same").into(),
        credential("ns/same", "same", KEYS[0]).into(),
    ]);
    assert_eq!(world.who(KEYS[0]), Ok("same".into()));
    world.delete(Kind::Consumer, "ns/same");
    assert_eq!(world.who(KEYS[0]), Err(Reason::Orphaned));
    world.apply(consumer("ns/same"));
    world.delete(Kind::Credential, "ns/same");
    assert_eq!(world.who(KEYS[0]), Err(Reason::UnknownKey));
    assert_eq!(world.index.stats().consumers, 1);
}

/// Namespaces and names that join to one text are still apart.
#[test]
fn a_slash_moves_nothing_between_namespaces() {
    let mut world = World::of([consumer("a/x").into(), credential("a/b/c", "x", KEYS[0]).into()]);
    let mut other = credential("a/c", "x", KEYS[1]);
    other.name.namespace = "a/b".to_owned();
    world.apply(other);
    assert_eq!(world.index.ledger_stats().credentials, 2);
    assert_eq!(world.who(KEYS[0]), Ok("x".into()), "of namespace `a`, name `b/c`");
    assert_eq!(
        world.who(KEYS[1]),
        Err(Reason::Orphaned),
        "of namespace `a/b`, name `c`"
    );
}
