//! Any history gives the answers of a rebuild from scratch.
//!
//! Random histories of applies, deletions, terminations, undecodable objects, duplicates in and
//! across namespaces, recreations, lists cut at any point, and changes of peppers go through the
//! index and through a naive model that keeps the objects and rebuilds every answer from them.

#[path = "model/history.rs"]
mod history;
#[path = "model/naive.rs"]
mod naive;
mod support;

use std::{collections::BTreeSet, sync::Arc};

use history::{ADMISSIONS, KEYS, Step, TIMES, history};
use latchkey_core::{object::ObjectName, reason::Reason};
use latchkey_index::{Index, object::Kind};
use latchkey_snapshot::Snapshot;
use naive::Naive;
use proptest::prelude::*;

/// The credential, and all that an upstream would see of the consumer.
type Answer = Result<[String; 6], Reason>;

fn answers(snapshot: &Snapshot) -> Vec<Answer> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("made of a str");
    every_question(|key, admission, now| {
        let found = snapshot.look_up(key.as_bytes(), &ADMISSIONS[admission].admission(), now)?;
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

fn every_question(
    mut ask: impl FnMut(&str, usize, latchkey_core::time::UnixSeconds) -> Answer,
) -> Vec<Answer> {
    let mut answers = Vec::new();
    for key in KEYS {
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_history_gives_the_answers_of_a_rebuild(seed: u64, steps in history()) {
        let (mut index, mut model) = (Index::new(seed), Naive::default());
        let cell = index.snapshots();
        let mut conflicted = BTreeSet::new();
        let mut old: Option<(Arc<Snapshot>, Vec<Answer>)> = None;
        for step in steps.into_iter().chain([Step::Commit]) {
            let is_commit = matches!(step, Step::Commit);
            take(&mut index, &mut model, step);
            if let Some((snapshot, expected)) = &old {
                prop_assert_eq!(&answers(snapshot), expected, "an old version changed");
            }
            if is_commit {
                let before = index.stats().revision;
                let done = index.commit();
                prop_assert_eq!(index.stats().revision, before + u64::from(done.changed));
                let expected = every_question(|key, admission, now| {
                    model.answer(key, &ADMISSIONS[admission].admission(), now)
                });
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
