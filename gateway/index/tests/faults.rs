//! Faults that reviewers found in another gateway's incremental index, each as a test that it is not here.
//!
//! The background check is a net and never the mechanism: all of this holds without it. The last test tells
//! the same with it between any two commits, where it never finds anything.

mod support;

use latchkey_core::reason::Reason;
use latchkey_index::{
    Index,
    object::{KeySource, Kind},
};
use support::{World, block_of, consumer, credential, pepper, published, secret};

const UNKNOWN: Result<String, Reason> = Err(Reason::UnknownKey);

fn key(n: usize) -> String {
    format!("the key of holder {n:03}")
}

fn is(name: &str) -> Result<String, Reason> {
    Ok(name.to_owned())
}

/// What is done between commits: nothing, or checks.
type Between = fn(&mut Index);

/// A Consumer loses its last method of authentication: the old key dies at once (O-A1).
fn the_last_method_goes(between: Between) {
    let mut world = World::of([
        consumer("ns/alice").into(),
        credential("ns/c", "alice", &key(1)).into(),
    ]);
    between(&mut world.index);
    let mut without = credential("ns/c", "alice", &key(1));
    without.source = None;
    world.apply(without);
    between(&mut world.index);
    assert_eq!(world.who(&key(1)), UNKNOWN);
    assert_eq!(world.index.stats().entries, 0);
}

/// A Credential's identity is the same in a list and in an event, and never its leaf name (O-A2).
fn one_leaf_name_in_two_namespaces(between: Between) {
    for listed_first in [true, false] {
        let mut world = World::of([consumer("a/alice").into(), consumer("b/bob").into()]);
        let both = [
            credential("a/c", "alice", &key(1)),
            credential("b/c", "bob", &key(2)),
        ];
        if listed_first {
            world.relist(Kind::Credential, both.map(Into::into));
        } else {
            both.into_iter().for_each(|facts| world.add(facts));
            world.commit();
        }
        between(&mut world.index);
        let rotated = credential("a/c", "alice", &key(3));
        if listed_first {
            world.apply(rotated);
        } else {
            let bobs = credential("b/c", "bob", &key(2));
            world.relist(Kind::Credential, [rotated.into(), bobs.into()]);
        }
        between(&mut world.index);
        let who = [1, 2, 3].map(|n| world.who(&key(n)));
        assert_eq!(who, [UNKNOWN, is("bob"), is("alice")]);
        world.delete(Kind::Credential, "b/c");
        between(&mut world.index);
        assert_eq!([2, 3].map(|n| world.who(&key(n))), [UNKNOWN, is("alice")]);
    }
}

/// A parent changes, and its Credentials' answers with it (O-A3).
fn a_parent_changes(between: Between) {
    let mut world = World::of([
        consumer("ns/alice").into(),
        credential("ns/c", "alice", &key(1)).into(),
    ]);
    let mut changed = consumer("ns/alice");
    changed.username = "alice the second".to_owned();
    changed.custom_id = Some("42".to_owned());
    changed.groups = vec!["gold".to_owned()];
    world.apply(changed);
    between(&mut world.index);
    assert_eq!(world.who(&key(1)), is("alice the second"));
    let snapshot = world.cell.load();
    let alice = snapshot.consumer(world.slot(&key(1))).expect("she exists");
    assert_eq!(alice.custom_id().as_deref(), Some(&b"42"[..]));
    assert_eq!(alice.groups().as_deref(), Some(&b"gold"[..]));
    world.delete(Kind::Consumer, "ns/alice");
    between(&mut world.index);
    assert_eq!(world.who(&key(1)), Err(Reason::Orphaned));
    world.apply(consumer("ns/alice"));
    between(&mut world.index);
    assert_eq!(world.who(&key(1)), is("alice"));
}

/// A value that lies in a Secret is refreshed: what is published anew replaces what was.
fn a_secret_backed_value_refreshes(between: Between) {
    let peppers = [pepper("1")];
    let mut world = World::of([
        consumer("ns/alice").into(),
        published("ns/c", "alice", &key(1), &peppers).into(),
    ]);
    for n in 2..5 {
        let mut facts = published("ns/c", "alice", &key(n), &peppers);
        let block = block_of(&facts.uid, &key(n), &peppers[0], &n.to_string());
        facts.source = Some(KeySource::Published(secret(), vec![block]));
        world.apply(facts);
        between(&mut world.index);
        assert_eq!([n - 1, n].map(|n| world.who(&key(n))), [UNKNOWN, is("alice")]);
    }
}

/// What was resolved from a source that `spec` names no more is dead, however late it comes.
fn an_older_value_comes_late(between: Between) {
    let peppers = [pepper("1")];
    let mut world = World::of([consumer("ns/alice").into()]);
    let mut moved = published("ns/c", "alice", &key(2), &peppers);
    let mut elsewhere = secret();
    elsewhere.name = "another".to_owned();
    let Some(KeySource::Published(_, late)) = moved.source.take() else {
        unreachable!("it is published")
    };
    moved.source = Some(KeySource::Published(elsewhere, late));
    world.apply(moved);
    between(&mut world.index);
    assert_eq!(world.who(&key(2)), UNKNOWN);
    assert_eq!(world.index.stats().entries, 0);
}

/// A list omits a Consumer and a Credential, and no event says that they are gone: both end in the commit
/// of its end, and others go on (O-B3).
fn a_list_omits_without_a_delete(between: Between) {
    let holders = 0..20;
    let all = holders.clone().flat_map(|n| {
        let name = format!("holder-{n}");
        [
            consumer(&format!("ns/{name}")).into(),
            credential(&format!("ns/c-{n}"), &name, &key(n)).into(),
        ]
    });
    let mut world = World::of(all);
    let stays = |n: &usize| !n.is_multiple_of(5);
    let consumers = holders.clone().filter(stays);
    world.relist(
        Kind::Consumer,
        consumers.map(|n| consumer(&format!("ns/holder-{n}")).into()),
    );
    between(&mut world.index);
    for n in holders.clone() {
        let wanted = if stays(&n) {
            is(&format!("holder-{n}"))
        } else {
            Err(Reason::Orphaned)
        };
        assert_eq!(world.who(&key(n)), wanted, "{n}");
    }
    let credentials = holders.clone().filter(stays);
    let list = credentials.map(|n| credential(&format!("ns/c-{n}"), &format!("holder-{n}"), &key(n)).into());
    let done = world.relist(Kind::Credential, list);
    between(&mut world.index);
    assert_eq!(done.swept, 4);
    for n in holders {
        let wanted = if stays(&n) {
            is(&format!("holder-{n}"))
        } else {
            UNKNOWN
        };
        assert_eq!(world.who(&key(n)), wanted, "{n}");
    }
}

/// A deletion hidden among creations that keep the count equal, or let it rise.
fn net_positive_churn(between: Between) {
    for created in [1, 5] {
        for by_list in [false, true] {
            let mut world = World::of([consumer("ns/alice").into()]);
            let holder = |n: usize| credential(&format!("ns/c-{n}"), "alice", &key(n));
            (0..10).for_each(|n| world.add(holder(n)));
            world.commit();
            let after = (0..10 + created).filter(|n| *n != 7);
            if by_list {
                world.relist(Kind::Credential, after.map(|n| holder(n).into()));
            } else {
                world.add(holder(10));
                world.index.delete(Kind::Credential, &support::name("ns/c-7"));
                (11..10 + created).for_each(|n| world.add(holder(n)));
                world.commit();
            }
            between(&mut world.index);
            assert_eq!(world.index.stats().entries, 9 + created);
            for n in 0..10 + created {
                let wanted = if n == 7 { UNKNOWN } else { is("alice") };
                assert_eq!(world.who(&key(n)), wanted, "{n} of {created}, by list: {by_list}");
            }
        }
    }
}

const ALL: [fn(Between); 7] = [
    the_last_method_goes,
    one_leaf_name_in_two_namespaces,
    a_parent_changes,
    a_secret_backed_value_refreshes,
    an_older_value_comes_late,
    a_list_omits_without_a_delete,
    net_positive_churn,
];

/// Nothing looks at the index but what changed it.
fn unchecked(_: &mut Index) {}

/// A whole round, in the smallest slices, which must find nothing.
fn checked(index: &mut Index) {
    loop {
        let slice = index.check(1);
        assert_eq!(slice.repaired, None);
        if slice.finished {
            return;
        }
    }
}

macro_rules! without_the_check {
    ($($fault:ident => $test:ident;)*) => {
        $(#[test]
        fn $test() {
            $fault(unchecked);
        })*
    };
}

without_the_check! {
    the_last_method_goes => a_consumer_that_loses_its_last_method_loses_its_key_at_once;
    one_leaf_name_in_two_namespaces => objects_of_one_leaf_name_never_meet;
    a_parent_changes => a_parents_change_shows_without_an_event_of_its_credentials;
    a_secret_backed_value_refreshes => a_value_published_anew_replaces_the_one_before;
    an_older_value_comes_late => a_value_of_a_source_that_is_named_no_more_never_opens;
    a_list_omits_without_a_delete => what_a_list_omits_ends_with_it_and_others_go_on;
    net_positive_churn => a_deletion_among_creations_is_not_lost;
}

#[test]
fn with_the_check_all_of_it_holds_and_nothing_is_ever_repaired() {
    for fault in ALL {
        fault(checked);
    }
}
