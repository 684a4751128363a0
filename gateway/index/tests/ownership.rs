//! I9: who owns a key that several Credentials hold, and who takes over (O-A4).

mod support;

use latchkey_core::{reason::Reason, time::UnixSeconds};
use latchkey_index::object::{CredentialFacts, Fact, Kind};
use support::{NOW, World, consumer, credential, name};

const KEY: &str = "the key that two hold";

fn of(object: &str, who: &str, created: i64) -> CredentialFacts {
    CredentialFacts {
        created: UnixSeconds(created),
        ..credential(object, who, KEY)
    }
}

/// Alice was first; mallory wants her key; twenty others look on.
fn world(order: [usize; 2]) -> World {
    let mut world = World::of([consumer("ns/alice").into(), consumer("ns/mallory").into()]);
    let claims = [of("ns/b", "alice", 10), of("ns/a", "mallory", 11)];
    for at in order {
        world.apply(claims[at].clone());
    }
    for n in 0..20 {
        world.apply(credential(&format!("ns/other-{n}"), "alice", &other(n)));
    }
    world
}

fn other(n: usize) -> String {
    format!("an unrelated key, {n}")
}

fn assert_others(world: &World) {
    for n in 0..20 {
        assert_eq!(world.who(&other(n)), Ok("alice".into()));
    }
}

/// Told of each credential: whether it became conflicted.
fn told(world: &World) -> Vec<(String, bool)> {
    let changes = world.index.conflict_changes().iter();
    changes
        .map(|change| (change.credential.to_string(), change.conflicted))
        .collect()
}

#[test]
fn the_oldest_owns_whatever_the_order_of_arrival() {
    for order in [[0, 1], [1, 0]] {
        let mut world = world(order);
        assert_eq!(world.who(KEY), Ok("alice".into()));
        assert_eq!(world.index.ledger_stats().conflicted, 1);
        let list = [of("ns/a", "mallory", 11).into(), of("ns/b", "alice", 10).into()];
        world.relist(Kind::Credential, list);
        assert_eq!(world.who(KEY), Ok("alice".into()));
    }
}

#[test]
fn of_one_age_the_first_by_name_owns() {
    let world = World::of([
        consumer("ns/alice").into(),
        consumer("ns/mallory").into(),
        of("ns/b", "mallory", 10).into(),
        of("ns/a", "alice", 10).into(),
    ]);
    assert_eq!(world.who(KEY), Ok("alice".into()));
}

#[test]
fn when_the_owner_goes_the_next_takes_over_by_itself() {
    let mut world = world([0, 1]);
    world.delete(Kind::Credential, "ns/b");
    assert_eq!(world.who(KEY), Ok("mallory".into()));
    assert_eq!(told(&world), [("ns/a".into(), false)]);
    assert_others(&world);
    world.apply(of("ns/b", "alice", 10));
    assert_eq!(world.who(KEY), Ok("alice".into()), "recreated as the older one");
    assert_eq!(told(&world), [("ns/a".into(), true)]);
}

#[test]
fn removing_one_that_does_not_own_leaves_the_owner() {
    let mut world = world([0, 1]);
    world.delete(Kind::Credential, "ns/a");
    assert_eq!(world.who(KEY), Ok("alice".into()));
    assert_eq!(told(&world), [("ns/a".into(), false)]);
    assert_eq!(world.index.ledger_stats().conflicted, 0);
}

#[test]
fn an_owner_that_may_not_pass_keeps_its_key_dead() {
    type Change = fn(&mut CredentialFacts);
    let changes: [(Change, Reason); 5] = [
        (|facts| facts.disabled = true, Reason::Disabled),
        (|facts| facts.terminating = true, Reason::Terminating),
        (|facts| facts.expires = Some(NOW), Reason::Expired),
        (
            |facts| facts.not_before = Some(UnixSeconds(NOW.0 + 1)),
            Reason::NotYetValid,
        ),
        (|facts| facts.consumer = "nobody".to_owned(), Reason::Orphaned),
    ];
    for (change, reason) in changes {
        let mut world = world([0, 1]);
        let mut facts = of("ns/b", "alice", 10);
        change(&mut facts);
        world.apply(facts);
        assert_eq!(world.who(KEY), Err(reason));
        assert_eq!(told(&world), [], "it owns its key as before");
    }
}

#[test]
fn one_that_cannot_be_read_owns_nothing() {
    let mut world = world([0, 1]);
    world.apply(Fact::Undecodable(Kind::Credential, name("ns/b")));
    assert_eq!(world.who(KEY), Ok("mallory".into()));
    assert_eq!(told(&world), [("ns/a".into(), false)]);
}

#[test]
fn namespaces_do_not_see_each_others_claims() {
    let mut world = World::of([
        consumer("ns1/alice").into(),
        consumer("ns2/bob").into(),
        of("ns1/c", "alice", 10).into(),
        of("ns2/c", "bob", 11).into(),
    ]);
    assert_eq!(world.index.ledger_stats().conflicted, 0);
    assert_eq!(world.who_in(KEY, "ns1", NOW), Ok("alice".into()));
    assert_eq!(world.who_in(KEY, "ns2", NOW), Ok("bob".into()));
    assert_eq!(world.who_in(KEY, "ns3", NOW), Err(Reason::Ambiguous));
    let mut disabled = of("ns2/c", "bob", 11);
    disabled.disabled = true;
    world.apply(disabled);
    assert_eq!(world.who_in(KEY, "ns1", NOW), Ok("alice".into()));
    assert_eq!(world.who_in(KEY, "ns3", NOW), Err(Reason::Ambiguous));
    world.delete(Kind::Credential, "ns2/c");
    assert_eq!(world.who_in(KEY, "ns3", NOW), Ok("alice".into()));
}

#[test]
fn a_long_list_of_claims_costs_a_change_of_another_key_nothing() {
    let mut world = world([0, 1]);
    for n in 0..2_000 {
        world.add(of(&format!("ns/dup-{n}"), "mallory", 20));
    }
    world.commit();
    assert_eq!(world.who(KEY), Ok("alice".into()));
    assert_eq!(world.index.ledger_stats().conflicted, 2_001);
    let done = world.apply(credential("ns/new", "alice", "a new key of alice"));
    assert!(done.pages_written < 10);
    assert_eq!(told(&world), []);
    world.delete(Kind::Credential, "ns/b");
    assert_eq!(told(&world), [("ns/a".into(), false)], "the next one alone");
}
