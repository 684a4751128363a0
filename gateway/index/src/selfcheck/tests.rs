//! What is wrong with the draft alone, which only this crate can reach.

mod history;

use std::sync::Arc;

use latchkey_core::{
    digest::{Digest, KeyHash, Pepper},
    object::ObjectName,
    time::UnixSeconds,
};
use latchkey_snapshot::{Entry, EntryParts};

use super::Differences;
use crate::{
    Index,
    object::{CredentialFacts, Fact, KeySource},
};

fn credential(name: &str, key: &str) -> Fact {
    Fact::Credential(CredentialFacts {
        name: ObjectName::new("ns", name),
        uid: String::new(),
        created: UnixSeconds(10),
        consumer: "alice".to_owned(),
        source: Some(KeySource::Sha256(KeyHash::of(key.as_bytes()))),
        disabled: false,
        not_before: None,
        expires: None,
        terminating: false,
    })
}

fn pepper() -> Pepper {
    Pepper::new("1", &[7; 32])
}

/// An index with two Credentials, of which the draft has lost one and found another.
fn corrupted() -> Index {
    let mut index = Index::new(1);
    index.set_peppers(vec![pepper()]);
    index.apply(credential("a", "a key"));
    index.apply(credential("b", "another key"));
    index.commit();
    let draft = index.draft.snapshot_mut();
    let held = Arc::clone(&draft.claimants(&digest("a key"), "ns")[0]);
    draft.remove(&held);
    draft.insert(foreign());
    index
}

/// What nobody puts in.
fn foreign() -> Arc<Entry> {
    let parts = EntryParts {
        namespace: "ns",
        name: "mallory",
        consumer: 0,
        created: UnixSeconds(1),
        not_before: None,
        expires: None,
        disabled: false,
        terminating: false,
    };
    Arc::new(Entry::new(&parts, 1, digest("no key")))
}

fn digest(key: &str) -> Digest {
    pepper().digest(&KeyHash::of(key.as_bytes()))
}

/// The names of those that hold these keys.
fn holders(index: &Index) -> [Option<String>; 3] {
    let cell = index.snapshots();
    let snapshot = cell.load();
    ["a key", "another key", "no key"].map(|key| {
        let claimants = snapshot.claimants(&digest(key), "ns");
        claimants.first().map(|entry| entry.name().to_owned())
    })
}

fn round(index: &mut Index) -> Vec<Differences> {
    let (mut found, mut finished) = (Vec::new(), false);
    while !finished {
        let checked = index.check(10);
        found.extend(checked.repaired);
        finished = checked.finished;
    }
    found
}

const LOST_AND_FOUND: Differences = Differences {
    missing: 1,
    foreign: 1,
    misplaced: 0,
    consumers: 0,
    peppers: 0,
};

#[test]
fn a_fault_of_the_draft_is_mended_before_a_commit_publishes_it() {
    let mut index = corrupted();
    let good = holders(&index);
    assert_eq!(good, [Some("a".to_owned()), Some("b".to_owned()), None]);
    assert_eq!(round(&mut index), [LOST_AND_FOUND]);
    assert_eq!(holders(&index), good);
    index.apply(credential("c", "a third key"));
    assert!(index.commit().changed);
    assert_eq!(holders(&index), good, "no later commit publishes it");
    assert_eq!(round(&mut index), []);
}

#[test]
fn a_fault_of_the_draft_that_was_published_is_mended_in_both() {
    let mut index = corrupted();
    index.apply(credential("c", "a third key"));
    let revision = index.commit().changed.then(|| index.stats().revision);
    assert_eq!(holders(&index)[2].as_deref(), Some("mallory"));
    assert_eq!(round(&mut index), [LOST_AND_FOUND]);
    let good = [Some("a".to_owned()), Some("b".to_owned()), None];
    assert_eq!(holders(&index), good);
    assert_eq!(
        Some(index.stats().revision),
        revision.map(|revision| revision + 1)
    );
    index.apply(credential("d", "a fourth key"));
    index.commit();
    assert_eq!(holders(&index), good);
    assert_eq!(round(&mut index), []);
}

/// The index may believe that a Credential owns a key because the draft had lost its owner.
#[test]
fn who_is_conflicted_is_looked_at_again_after_a_repair() {
    let mut index = Index::new(1);
    index.set_peppers(vec![pepper()]);
    index.apply(credential("a", "a key"));
    index.commit();
    let draft = index.draft.snapshot_mut();
    let held = Arc::clone(&draft.claimants(&digest("a key"), "ns")[0]);
    draft.remove(&held);
    index.apply(credential("b", "a key"));
    index.commit();
    assert_eq!(index.ledger_stats().conflicted, 0, "it seems to own the key");
    assert_eq!(round(&mut index).len(), 1);
    index.commit();
    let changes: Vec<_> = index
        .conflict_changes()
        .iter()
        .map(|change| change.conflicted)
        .collect();
    assert_eq!((changes, index.ledger_stats().conflicted), (vec![true], 1));
}
