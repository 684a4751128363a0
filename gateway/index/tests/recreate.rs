//! An object that was deleted and made again between two looks is another object (O-B2).

mod support;

use latchkey_core::reason::Reason;
use latchkey_index::object::{CredentialFacts, Kind};
use support::{Applied, World, consumer, credential, pepper, published};

const OLD: &str = "the key of alice";
const NEW: &str = "the key of bob, new";

fn world() -> World {
    World::of([
        consumer("ns/alice").into(),
        consumer("ns/bob").into(),
        credential("ns/c", "alice", OLD).into(),
    ])
}

fn recreated() -> CredentialFacts {
    CredentialFacts {
        uid: "another uid".to_owned(),
        ..credential("ns/c", "bob", NEW)
    }
}

#[test]
fn a_credential_recreated_unseen_is_the_new_owners() {
    for by_list in [false, true] {
        let mut world = world();
        if by_list {
            world.relist(Kind::Credential, [Applied::from(recreated())]);
        } else {
            world.apply(recreated());
        }
        assert_eq!(world.who(OLD), Err(Reason::UnknownKey));
        assert_eq!(world.who(NEW), Ok("bob".into()));
        assert_eq!(world.index.stats().entries, 1);
    }
}

#[test]
fn what_was_published_for_the_old_object_counts_for_nothing_with_the_new_one() {
    let mut world = world();
    let mut facts = published("ns/d", "alice", "a published key", &[pepper("1")]);
    world.apply(facts.clone());
    assert_eq!(world.who("a published key"), Ok("alice".into()));
    facts.uid = "another uid".to_owned();
    world.apply(facts);
    assert_eq!(world.who("a published key"), Err(Reason::UnknownKey));
}

#[test]
fn a_recreated_consumer_is_seen_by_its_new_uid() {
    let mut world = world();
    let mut again = consumer("ns/alice");
    again.uid = "another uid".to_owned();
    assert!(world.apply(again).changed);
    let admission = latchkey_core::tenancy::Admission {
        own: "ns".into(),
        namespaces: latchkey_core::tenancy::Namespaces::All,
    };
    let snapshot = world.cell.load();
    let found = snapshot
        .look_up(OLD.as_bytes(), &admission, support::NOW)
        .unwrap();
    assert_eq!(found.consumer.uid(), "another uid");
}
