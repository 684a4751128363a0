//! Who a key belongs to: tenancy, ownership, and what closes, over one and two peppers.

use std::sync::Arc;

use latchkey_core::{
    digest::{KeyHash, Pepper},
    reason::Reason,
    tenancy::{Admission, Namespaces},
    time::UnixSeconds,
};

use crate::{Consumer, ConsumerParts, Entry, EntryParts, Snapshot};

const KEY: &[u8] = b"a key of one credential";
const NOW: UnixSeconds = UnixSeconds(1_000);

fn entry<'a>(namespace: &'a str, name: &'a str) -> EntryParts<'a> {
    EntryParts {
        namespace,
        name,
        consumer: 0,
        created: UnixSeconds(10),
        not_before: None,
        expires: None,
        disabled: false,
        terminating: false,
    }
}

fn consumer() -> ConsumerParts<'static> {
    ConsumerParts {
        uid: "u",
        namespace: "a",
        name: "alice",
        username: "",
        custom_id: "",
        groups: &[],
        expires: None,
        disabled: false,
        terminating: false,
    }
}

/// A snapshot of two peppers with these entries (under the numbered pepper each).
fn snapshot(entries: &[(u16, EntryParts<'_>)]) -> Snapshot {
    let peppers = [Pepper::new("old", &[1; 32]), Pepper::new("new", &[2; 32])];
    let mut snapshot = Snapshot::new(7);
    for (pepper, parts) in entries {
        let digest = peppers[usize::from(*pepper)].digest(&KeyHash::of(KEY));
        snapshot.insert(Arc::new(Entry::new(parts, *pepper, digest)));
    }
    snapshot.set_peppers(peppers.into());
    snapshot.set_consumer(0, Arc::new(Consumer::new(&consumer())));
    snapshot
}

fn these(own: &str, admitted: &[&str]) -> Admission {
    Admission {
        own: own.into(),
        namespaces: Namespaces::These(admitted.iter().map(|&name| name.into()).collect()),
    }
}

fn all(own: &str) -> Admission {
    Admission {
        own: own.into(),
        namespaces: Namespaces::All,
    }
}

fn answer(snapshot: &Snapshot, admission: &Admission) -> Result<String, Reason> {
    let found = snapshot.look_up(KEY, admission, NOW)?;
    Ok(String::from_utf8(found.credential.identifier().to_vec()).unwrap())
}

#[test]
fn a_namespace_that_is_not_admitted_holds_nothing() {
    let snapshot = snapshot(&[(0, entry("a", "c"))]);
    assert_eq!(answer(&snapshot, &these("a", &["a"])), Ok("a/c".into()));
    assert_eq!(answer(&snapshot, &these("b", &["a"])), Ok("a/c".into()));
    assert_eq!(answer(&snapshot, &all("b")), Ok("a/c".into()));
    assert_eq!(answer(&snapshot, &these("b", &["b"])), Err(Reason::UnknownKey));
    // A policy may admit others and not its own.
    assert_eq!(answer(&snapshot, &these("a", &["b"])), Err(Reason::UnknownKey));
    let other = snapshot.look_up(b"another key of nobody", &all("a"), NOW);
    assert_eq!(other.unwrap_err(), Reason::UnknownKey);
}

#[test]
fn the_policys_own_namespace_wins_and_else_two_are_ambiguous() {
    for peppers in [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 0, 0]] {
        let snapshot = snapshot(&[
            (peppers[0], entry("a", "c")),
            (peppers[1], entry("b", "c")),
            (peppers[2], entry("d", "c")),
        ]);
        assert_eq!(answer(&snapshot, &all("b")), Ok("b/c".into()));
        assert_eq!(answer(&snapshot, &these("a", &["a", "b"])), Ok("a/c".into()));
        assert_eq!(answer(&snapshot, &all("x")), Err(Reason::Ambiguous));
        assert_eq!(
            answer(&snapshot, &these("x", &["b", "d", "x"])),
            Err(Reason::Ambiguous)
        );
        assert_eq!(answer(&snapshot, &these("x", &["d", "x"])), Ok("d/c".into()));
        assert_eq!(
            answer(&snapshot, &these("d", &["a", "b"])),
            Err(Reason::Ambiguous)
        );
    }
}

#[test]
fn the_oldest_owns_then_the_first_by_name_whatever_the_order_and_pepper() {
    let young = EntryParts {
        created: UnixSeconds(11),
        ..entry("a", "a")
    };
    let (c, d) = (entry("a", "c"), entry("a", "d"));
    for order in [[young, c, d], [d, c, young], [c, young, d], [d, young, c]] {
        for peppers in 0..8 {
            let entries: Vec<_> = (0..3).map(|n| (peppers >> n & 1, order[n])).collect();
            assert_eq!(answer(&snapshot(&entries), &all("x")), Ok("a/c".into()));
        }
    }
}

#[test]
fn one_credential_under_two_peppers_is_one_claimant() {
    let snapshot = snapshot(&[(0, entry("a", "c")), (1, entry("a", "c"))]);
    assert_eq!(answer(&snapshot, &all("x")), Ok("a/c".into()));
    assert_eq!(snapshot.stats().entries, 2);
}

#[test]
fn an_owner_that_may_not_pass_still_owns() {
    let closed = [
        (
            Reason::Terminating,
            EntryParts {
                terminating: true,
                ..entry("a", "c")
            },
        ),
        (
            Reason::Disabled,
            EntryParts {
                disabled: true,
                ..entry("a", "c")
            },
        ),
        (
            Reason::NotYetValid,
            EntryParts {
                not_before: Some(UnixSeconds(1_001)),
                ..entry("a", "c")
            },
        ),
        (
            Reason::Expired,
            EntryParts {
                expires: Some(NOW),
                ..entry("a", "c")
            },
        ),
        (
            Reason::Orphaned,
            EntryParts {
                consumer: 1,
                ..entry("a", "c")
            },
        ),
    ];
    for (reason, owner) in closed {
        let snapshot = snapshot(&[(0, owner), (0, entry("a", "d")), (1, entry("a", "d"))]);
        assert_eq!(answer(&snapshot, &all("a")), Err(reason));
    }
}

#[test]
fn times_begin_and_end_on_their_second() {
    let parts = EntryParts {
        not_before: Some(NOW),
        expires: Some(UnixSeconds(1_001)),
        ..entry("a", "c")
    };
    let snapshot = snapshot(&[(0, parts)]);
    let at = |second| {
        snapshot
            .look_up(KEY, &all("a"), UnixSeconds(second))
            .map(|found| found.consumer.name().to_owned())
    };
    assert_eq!(at(999), Err(Reason::NotYetValid));
    assert_eq!(at(1_000), Ok("alice".into()));
    assert_eq!(at(1_001), Err(Reason::Expired));
}

#[test]
fn a_consumer_that_may_not_pass_closes_its_credentials() {
    for (reason, parts) in [
        (
            Reason::ConsumerTerminating,
            ConsumerParts {
                terminating: true,
                ..consumer()
            },
        ),
        (
            Reason::ConsumerDisabled,
            ConsumerParts {
                disabled: true,
                ..consumer()
            },
        ),
        (
            Reason::ConsumerExpired,
            ConsumerParts {
                expires: Some(NOW),
                ..consumer()
            },
        ),
    ] {
        let mut snapshot = snapshot(&[(0, entry("a", "c"))]);
        snapshot.set_consumer(0, Arc::new(Consumer::new(&parts)));
        assert_eq!(answer(&snapshot, &all("a")), Err(reason));
    }
}

#[test]
fn an_entry_that_is_removed_leaves_the_next_owner_and_then_nothing() {
    let mut snapshot = snapshot(&[(0, entry("a", "d")), (0, entry("a", "c")), (0, entry("b", "c"))]);
    let digest = snapshot.peppers()[0].digest(&KeyHash::of(KEY));
    for (parts, left) in [
        (entry("a", "c"), Ok("a/d".into())),
        (entry("a", "d"), Ok("b/c".into())),
        (entry("b", "c"), Err(Reason::UnknownKey)),
    ] {
        let removed = Entry::new(&parts, 0, digest);
        snapshot.remove(&removed);
        snapshot.remove(&removed);
        assert_eq!(answer(&snapshot, &all("a")), left);
    }
    assert_eq!((snapshot.stats().entries, snapshot.stats().digests), (0, 0));
}

#[test]
fn debug_shows_no_digest() {
    let snapshot = snapshot(&[(0, entry("a", "c"))]);
    let found = snapshot.look_up(KEY, &all("a"), NOW).unwrap();
    let digest = snapshot.peppers()[0].digest(&KeyHash::of(KEY));
    let text = format!("{found:?} {snapshot:?}");
    for secret in [
        digest.to_hex(),
        format!("{:?}", digest.0),
        format!("{:?}", [1; 32]),
    ] {
        assert!(!text.contains(&secret), "{text}");
    }
}
