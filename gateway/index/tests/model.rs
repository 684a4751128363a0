//! Any history gives the answers of a rebuild from scratch.
//!
//! Random histories of applies, deletions, terminations, undecodable objects, duplicates in and
//! across namespaces, recreations, lists cut at any point, and changes of peppers go through the
//! index and through a naive model that keeps the objects and rebuilds every answer from them, after
//! every step or after batches of some.
//!
//! `LATCHKEY_CASES` sets how many histories are tried. One that fails is kept in
//! `proptest-regressions/model.txt`, and tried first from then on.

#[path = "model/census.rs"]
mod census;
#[path = "model/history.rs"]
mod history;
#[path = "model/naive.rs"]
mod naive;
mod support;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
};

use history::{ADMISSIONS, KEYS, Step, TIMES, history};
use latchkey_core::{object::ObjectName, reason::Reason};
use latchkey_index::{Index, object::Kind};
use latchkey_snapshot::{Snapshot, SnapshotCell};
use naive::Naive;
use proptest::{prelude::*, test_runner::FileFailurePersistence};
use support::Ends;

/// The credential, and all that an upstream would see of the consumer.
type Answer = Result<[String; 6], Reason>;

fn answers(snapshot: &Snapshot) -> Vec<Answer> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("made of a str");
    every_question(|key, admission, now| {
        let found = snapshot.look_up(KEYS[key].as_bytes(), &ADMISSIONS[admission].admission(), now)?;
        let consumer = found.consumer;
        Ok([
            text(&found.credential.identifier()),
            text(&consumer.uid()),
            text(&consumer.namespace()),
            text(&consumer.username()),
            consumer.custom_id().map_or_else(String::new, |id| text(&id)),
            consumer.groups().map_or_else(String::new, |groups| text(&groups)),
        ])
    })
}

/// Asks for each key, by its number, as each policy, at each time.
fn every_question(
    mut ask: impl FnMut(usize, usize, latchkey_core::time::UnixSeconds) -> Answer,
) -> Vec<Answer> {
    let mut answers = Vec::new();
    for key in 0..KEYS.len() {
        for admission in 0..ADMISSIONS.len() {
            for now in TIMES {
                answers.push(ask(key, admission, now));
            }
        }
    }
    answers
}

fn take(index: &mut Index, model: &mut Naive, step: Step) {
    match step {
        Step::Apply(fact) => {
            model.apply(fact.clone());
            index.apply(fact);
        }
        Step::RelistApply(fact) => {
            model.apply(fact.clone());
            index.relist_apply(fact);
        }
        Step::Delete(kind, name) => {
            model.delete(kind, &name);
            index.delete(kind, &name);
        }
        Step::Begin(kind, namespace) => {
            model.begin(kind, namespace);
            index.relist_begin(kind, namespace);
        }
        Step::End(kind, namespace) => {
            let gone: BTreeSet<_> = model.end(kind, namespace).into_iter().collect();
            assert_eq!(BTreeSet::from_iter(index.relist_end(kind, namespace)), gone);
        }
        Step::Peppers(peppers) => {
            model.peppers.clone_from(&peppers);
            index.set_peppers(peppers);
        }
        Step::Commit => {}
    }
}

fn follow(conflicted: &mut BTreeSet<ObjectName>, index: &Index) {
    for change in index.conflict_changes() {
        let news = if change.conflicted {
            conflicted.insert(change.credential.clone())
        } else {
            conflicted.remove(&change.credential)
        };
        assert!(news, "{change:?} is no change");
    }
}

/// How many histories: `LATCHKEY_CASES`, where it is set.
fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("LATCHKEY_CASES").ok();
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/proptest-regressions/model.txt");
    ProptestConfig {
        cases: wanted.and_then(|text| text.parse().ok()).unwrap_or(usual),
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(kept))),
        ..ProptestConfig::default()
    }
}

/// All answers of the model.
fn expected(model: &Naive) -> Vec<Answer> {
    let holders = KEYS.map(|key| model.holders(key));
    every_question(|key, admission, now| model.answer(&holders[key], &ADMISSIONS[admission].admission(), now))
}

/// What a thread that loads one version after the other found in each, until `done`.
fn read(cell: &SnapshotCell, done: &AtomicBool) -> Vec<(u64, Vec<Answer>)> {
    let mut seen = Vec::new();
    loop {
        let last = done.load(SeqCst);
        let snapshot = Arc::clone(&cell.load());
        let found = (snapshot.stats().revision, answers(&snapshot));
        // One version that answers alike again is no finding, and a busy reader would fill the memory.
        if seen.last() != Some(&found) {
            seen.push(found);
        }
        if last {
            return seen;
        }
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn readers_beside_any_history_see_whole_versions_alone(seed: u64, steps in history()) {
        let (mut index, mut model) = (Index::new(seed), Naive::default());
        let cell = index.snapshots();
        let mut versions = BTreeMap::from([(0, expected(&model))]);
        let done = AtomicBool::new(false);
        let seen = thread::scope(|scope| {
            let ends = Ends(&done);
            let reader = scope.spawn(|| read(&cell, &done));
            for step in steps.into_iter().chain([Step::Commit]) {
                let is_commit = matches!(step, Step::Commit);
                take(&mut index, &mut model, step);
                if is_commit {
                    // Known before any reader can see it.
                    versions.insert(index.stats().revision + 1, expected(&model));
                    index.commit();
                }
            }
            drop(ends);
            reader.join().expect("the reader lives")
        });
        for (revision, answers) in seen {
            prop_assert_eq!(versions.get(&revision), Some(&answers), "version {}", revision);
        }
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn any_history_gives_the_answers_of_a_rebuild(
        seed: u64,
        steps in history(),
        each_step: bool,
    ) {
        let (mut index, mut model) = (Index::new(seed), Naive::default());
        let cell = index.snapshots();
        let mut conflicted = BTreeSet::new();
        let mut old: Option<(Arc<Snapshot>, Vec<Answer>)> = None;
        for step in steps.into_iter().chain([Step::Commit]) {
            let is_commit = each_step || matches!(step, Step::Commit);
            take(&mut index, &mut model, step);
            if let Some((snapshot, expected)) = &old {
                prop_assert_eq!(&answers(snapshot), expected, "an old version changed");
            }
            if is_commit {
                let before = index.stats().revision;
                let done = index.commit();
                prop_assert_eq!(index.stats().revision, before + u64::from(done.changed));
                let expected = expected(&model);
                let snapshot = Arc::clone(&cell.load());
                prop_assert_eq!(&answers(&snapshot), &expected);
                follow(&mut conflicted, &index);
                prop_assert_eq!(&conflicted, &model.conflicted());
                prop_assert_eq!(index.ledger_stats().conflicted, conflicted.len());
                prop_assert_eq!(index.ledger_stats().undecodable, model.undecodable());
                prop_assert_eq!(index.stats().consumers, model.consumers());
                old = Some((snapshot, expected));
            }
        }

        // What is known already changes nothing, listed whole or told again.
        for kind in [Kind::Consumer, Kind::Credential] {
            index.relist_begin(kind, None);
            model.facts(kind).for_each(|fact| index.relist_apply(fact));
            index.relist_end(kind, None);
        }
        prop_assert!(!index.commit().changed);

        // Nothing is left of objects that are gone.
        for kind in [Kind::Consumer, Kind::Credential] {
            index.relist_begin(kind, None);
            index.relist_end(kind, None);
        }
        index.commit();
        let (stats, ledger) = (index.stats(), index.ledger_stats());
        prop_assert_eq!((stats.consumers, stats.entries, stats.digests), (0, 0, 0));
        prop_assert_eq!(ledger, latchkey_index::LedgerStats::default());
    }
}
