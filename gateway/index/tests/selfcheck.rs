//! I11: whatever is wrong with the snapshot that requests read is found within a round, by value, and
//! mended by one commit.

mod support;

use std::sync::Arc;

use latchkey_core::{digest::KeyHash, reason::Reason, time::UnixSeconds};
use latchkey_index::{Differences, Index, object::Kind};
use latchkey_snapshot::{Consumer, ConsumerParts, Entry, EntryParts, Snapshot};
use support::{World, consumer, credential, name, pepper};

const ALICES: &str = "the key of alice";
const BOBS: &str = "the key of bob";

/// Alice and Bob with a key each, and a second holder of Alice's, among others.
fn world() -> World {
    let mut world = World::of([
        consumer("ns/alice").into(),
        consumer("ns/bob").into(),
        credential("ns/a", "alice", ALICES).into(),
        credential("ns/b", "bob", BOBS).into(),
    ]);
    let mut second = credential("ns/late", "bob", ALICES);
    second.created = UnixSeconds(20);
    world.add(second);
    for n in 0..300 {
        let who = format!("other-{n}");
        world.add(consumer(&format!("ns/{who}")));
        world.add(credential(&format!("ns/{who}"), &who, &format!("key number {n}")));
    }
    world.commit();
    world
}

/// What goes wrong with a snapshot, beside any commit.
fn corrupt(world: &World, wrong: impl FnOnce(&mut Snapshot)) {
    let mut snapshot = Snapshot::clone(&world.cell.load());
    wrong(&mut snapshot);
    drop(world.cell.swap(Arc::new(snapshot)));
}

/// One whole round, in slices, and what it found.
fn round(index: &mut Index, at_most: usize) -> Vec<Differences> {
    let (mut found, mut finished) = (Vec::new(), false);
    while !finished {
        let checked = index.check(at_most);
        assert!(checked.examined > 0);
        found.extend(checked.repaired);
        finished = checked.finished;
    }
    found
}

/// The entry of a Credential that holds a key.
fn entry(snapshot: &Snapshot, key: &str, object: &str) -> Arc<Entry> {
    let (digest, name) = (pepper("1").digest(&KeyHash::of(key.as_bytes())), name(object));
    let mut claimants = snapshot.claimants(&digest, &name.namespace).iter();
    Arc::clone(
        claimants
            .find(|held| held.name() == name.name)
            .expect("it holds the key"),
    )
}

/// It changed its mind about something.
fn changed(entry: &Entry, change: impl FnOnce(&mut EntryParts<'_>)) -> Arc<Entry> {
    let mut parts = EntryParts {
        namespace: "ns",
        name: entry.name(),
        consumer: entry.consumer(),
        created: UnixSeconds(10),
        not_before: None,
        expires: None,
        disabled: false,
        terminating: false,
    };
    change(&mut parts);
    Arc::new(Entry::new(&parts, entry.pepper(), *entry.digest()))
}

fn replace(snapshot: &mut Snapshot, key: &str, object: &str, change: impl FnOnce(&mut EntryParts<'_>)) {
    let held = entry(snapshot, key, object);
    snapshot.remove(&held);
    snapshot.insert(changed(&held, change));
}

fn stranger(custom_id: &str) -> Arc<Consumer> {
    Arc::new(Consumer::new(&ConsumerParts {
        uid: "uid of ns/alice",
        namespace: "ns",
        name: "alice",
        username: "alice",
        custom_id,
        groups: &[],
        expires: None,
        disabled: false,
        terminating: false,
    }))
}

/// Found and mended by exactly one commit, after which all is quiet.
fn assert_repairs(what: &str, expected: Differences, wrong: impl Fn(&mut Snapshot)) {
    for at_most in [1, 7, 100_000] {
        let mut world = world();
        assert_eq!(
            round(&mut world.index, at_most),
            [],
            "{what}: nothing is wrong yet"
        );
        let (before, good) = (world.index.stats(), Arc::clone(&world.cell.load()));
        corrupt(&world, &wrong);
        assert_eq!(round(&mut world.index, at_most), [expected], "{what}");
        assert_eq!(
            world.index.stats().revision,
            before.revision + 1,
            "{what}: one commit"
        );
        assert_same(&good, &world.cell.load());
        for _ in 0..3 {
            assert_eq!(round(&mut world.index, at_most), [], "{what}: it is mended");
        }
        assert!(!world.commit().changed, "{what}: no commit brings it back");

        // What comes after it builds on the mended one.
        world.apply(credential("ns/new", "bob", "a key that comes later"));
        assert_eq!(round(&mut world.index, at_most), [], "{what}: it stays mended");
        assert_eq!(world.who(ALICES), Ok("alice".into()));
        assert_eq!(world.who(BOBS), Ok("bob".into()));
    }
}

/// Both hold the very same entries and Consumers, so that what counts their use goes on.
fn assert_same(one: &Snapshot, other: &Snapshot) {
    let pointers = |snapshot: &Snapshot| {
        let (mut pointers, mut place) = (Vec::new(), Some(0));
        while let Some(at) = place {
            let (lists, beyond) = snapshot.holders_at(at);
            pointers.extend(lists.flat_map(|list| list.entries().iter().map(Arc::as_ptr)));
            place = beyond;
        }
        let consumers = (0..1_000).map(|slot| snapshot.consumer(slot).map(std::ptr::from_ref));
        (pointers, consumers.collect::<Vec<_>>())
    };
    let ((entries, consumers), (others, their_consumers)) = (pointers(one), pointers(other));
    assert_eq!((entries.len(), consumers), (others.len(), their_consumers));
    assert!(others.iter().all(|entry| entries.contains(entry)));
}

#[test]
fn a_missing_entry_is_put_back() {
    let expected = Differences {
        missing: 1,
        ..Differences::default()
    };
    assert_repairs("missing", expected, |snapshot| {
        snapshot.remove(&entry(snapshot, BOBS, "ns/b"));
    });
}

#[test]
fn a_foreign_entry_is_taken_out() {
    let expected = Differences {
        foreign: 1,
        ..Differences::default()
    };
    let digest = pepper("1").digest(&KeyHash::of(b"a key that was revoked"));
    for object in ["b", "mallory"] {
        assert_repairs("a foreign key", expected, |snapshot| {
            let held = entry(snapshot, BOBS, "ns/b");
            let foreign = changed(&held, |parts| parts.name = object).under(held.pepper(), digest);
            snapshot.insert(Arc::new(foreign));
        });
    }
    assert_repairs("a foreign holder of a key", expected, |snapshot| {
        let foreign = changed(&entry(snapshot, BOBS, "ns/b"), |parts| {
            parts.name = "mallory";
            parts.created = UnixSeconds(1);
        });
        snapshot.insert(foreign);
    });
}

/// Same counts, same names, another value.
#[test]
fn an_entry_with_another_value_is_replaced() {
    let expected = Differences {
        missing: 1,
        foreign: 1,
        ..Differences::default()
    };
    type Change = fn(&mut EntryParts<'_>);
    let changes: [(&str, Change); 5] = [
        ("expiry", |parts| parts.expires = Some(UnixSeconds(5_000))),
        ("not before", |parts| parts.not_before = Some(UnixSeconds(1))),
        ("disabled", |parts| parts.disabled = true),
        ("slot", |parts| parts.consumer += 1),
        ("age", |parts| parts.created = UnixSeconds(11)),
    ];
    for (what, change) in changes {
        assert_repairs(what, expected, |snapshot| replace(snapshot, BOBS, "ns/b", change));
    }
}

/// The second holder of a key would own it.
#[test]
fn a_claim_that_comes_before_the_owners_is_put_behind_it() {
    let expected = Differences {
        missing: 1,
        foreign: 1,
        ..Differences::default()
    };
    assert_repairs("owner", expected, |snapshot| {
        replace(snapshot, ALICES, "ns/late", |parts| {
            parts.created = UnixSeconds(1);
        });
    });
}

#[test]
fn an_entry_that_stands_twice_is_taken_out_once() {
    let expected = Differences {
        misplaced: 1,
        ..Differences::default()
    };
    assert_repairs("twice", expected, |snapshot| {
        snapshot.insert(entry(snapshot, BOBS, "ns/b"));
    });
}

#[test]
fn slots_hold_the_consumers_that_exist_and_no_others() {
    let expected = Differences {
        consumers: 1,
        ..Differences::default()
    };
    let alices = world().slot(ALICES);
    assert_repairs("emptied", expected, |snapshot| snapshot.clear_consumer(alices));
    assert_repairs("another value", expected, |snapshot| {
        snapshot.set_consumer(alices, stranger("42"));
    });
    // Next to others, and where no ledger ever had one.
    for slot in [310, 400, 70_000, u32::MAX] {
        assert_repairs("filled", expected, |snapshot| {
            snapshot.set_consumer(slot, stranger(""));
        });
    }
}

#[test]
fn the_active_peppers_are_the_ledgers() {
    let expected = Differences {
        peppers: 1,
        ..Differences::default()
    };
    for peppers in [vec![], vec![pepper("2")], vec![pepper("1"), pepper("2")]] {
        assert_repairs("peppers", expected, |snapshot| {
            snapshot.set_peppers(peppers.clone().into());
        });
    }
}

#[test]
fn all_that_differs_is_told_and_mended_at_once() {
    let mut world = world();
    let alices = world.slot(ALICES);
    corrupt(&world, |snapshot| {
        for n in 0..10 {
            let gone = entry(snapshot, &format!("key number {n}"), &format!("ns/other-{n}"));
            snapshot.remove(&gone);
        }
        snapshot.clear_consumer(alices);
        snapshot.insert(entry(snapshot, BOBS, "ns/b"));
    });
    let expected = Differences {
        missing: 10,
        consumers: 1,
        misplaced: 1,
        ..Differences::default()
    };
    assert_eq!(round(&mut world.index, 5), [expected]);
    assert_eq!(
        expected.to_string(),
        "10 missing entries, 1 misplaced entries, 1 wrong consumers"
    );
    assert_eq!(round(&mut world.index, 5), []);
}

/// A fault that comes back is repaired once a round, and never faster.
#[test]
fn what_comes_back_is_repaired_once_a_round() {
    let mut world = world();
    for turn in 1..5 {
        corrupt(&world, |snapshot| {
            snapshot.remove(&entry(snapshot, BOBS, "ns/b"));
        });
        let before = world.index.stats().revision;
        assert_eq!(round(&mut world.index, 64).len(), 1, "turn {turn}");
        assert_eq!(world.index.stats().revision, before + 1);
    }
    assert_eq!(round(&mut world.index, 64), []);
}

/// What waits for a commit is no difference, and nothing is looked at meanwhile.
#[test]
fn what_is_not_committed_is_not_compared() {
    let mut world = world();
    world.add(credential("ns/b", "alice", BOBS));
    assert_eq!(world.index.check(1_000_000), latchkey_index::Checked::default());
    world.commit();
    assert_eq!(round(&mut world.index, 1_000), []);
    world.index.delete(Kind::Consumer, &name("ns/alice"));
    assert_eq!(world.index.check(1_000_000).examined, 0);
    world.commit();
    assert_eq!(round(&mut world.index, 1_000), []);
    assert_eq!(world.who(BOBS), Err(Reason::Orphaned));
}

/// A round costs what exists, and a slice what it may.
#[test]
fn a_round_is_linear_and_a_slice_is_bounded() {
    let examined = |size: usize| {
        let mut world = World::new();
        for n in 0..size {
            world.add(consumer(&format!("ns/{n}")));
            // Every tenth holds one and the same key: a list that is longer than any slice.
            let key = if n % 10 == 0 {
                "shared".into()
            } else {
                format!("the key of number {n}")
            };
            world.add(credential(&format!("ns/{n}"), &n.to_string(), &key));
        }
        world.commit();
        let (mut examined, mut finished) = (0, false);
        while !finished {
            let checked = world.index.check(50);
            assert!(checked.examined <= 50 + 33, "{} in a slice", checked.examined);
            assert_eq!(checked.repaired, None);
            (examined, finished) = (examined + checked.examined, checked.finished);
        }
        examined
    };
    let fixed = examined(0);
    let (few, many) = (examined(5_000) - fixed, examined(50_000) - fixed);
    assert!(many <= 11 * few, "{few} for 5,000 and {many} for 50,000");
    assert!(many <= 4 * 50_000, "{many} for 50,000");
}
