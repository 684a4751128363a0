//! Any history with slices of any size between its commits: what is right is never repaired, and what is
//! wrong is found by the round that begins after it went wrong.

use proptest::prelude::*;

use super::*;
use crate::object::{ConsumerFacts, Kind};

/// The cases of a property: `LATCHKEY_CASES`, where it is set.
fn cases(usual: u32) -> ProptestConfig {
    let wanted = std::env::var("LATCHKEY_CASES").ok();
    ProptestConfig::with_cases(wanted.and_then(|text| text.parse().ok()).unwrap_or(usual))
}

#[derive(Clone, Debug)]
enum Step {
    Apply(Fact),
    Delete(Kind, String),
    Peppers(Vec<Pepper>),
    Relist(Vec<Fact>),
    Commit,
    Check(usize),
}

/// Many enough for tables whose leaves split and merge.
fn name() -> impl Strategy<Value = String> {
    (0..40_u32).prop_map(|n| format!("n-{n}"))
}

fn fact() -> impl Strategy<Value = Fact> {
    let held = (name(), 0..12_u32, 0..6_i64, any::<bool>());
    let holder = held.prop_map(|(name, key, created, disabled)| {
        let Fact::Credential(mut facts) = credential(&name, &format!("key {key}")) else {
            unreachable!("it makes no other")
        };
        facts.consumer = format!("n-{created}");
        facts.created = UnixSeconds(created);
        facts.disabled = disabled;
        Fact::Credential(facts)
    });
    prop_oneof![2 => holder, 1 => (name(), any::<bool>()).prop_map(|(name, disabled)| consumer(&name, disabled))]
}

fn consumer(name: &str, disabled: bool) -> Fact {
    Fact::Consumer(ConsumerFacts {
        name: ObjectName::new("ns", name),
        uid: String::new(),
        username: name.to_owned(),
        custom_id: None,
        groups: Vec::new(),
        disabled,
        expires: None,
        terminating: false,
    })
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![Just(Kind::Consumer), Just(Kind::Credential)];
    let peppers = [pepper(), Pepper::new("2", &[8; 32])];
    prop_oneof![
        8 => fact().prop_map(Step::Apply),
        4 => (kind, name()).prop_map(|(kind, name)| Step::Delete(kind, name)),
        1 => prop::sample::subsequence(peppers.to_vec(), 0..=2).prop_map(Step::Peppers),
        1 => prop::collection::vec(fact(), 0..20).prop_map(Step::Relist),
        8 => Just(Step::Commit),
        12 => prop_oneof![Just(1), 1..8_usize, 1..200_usize].prop_map(Step::Check),
    ]
}

/// All but a slice.
fn take(index: &mut Index, step: Step) {
    match step {
        Step::Apply(fact) => index.apply(fact),
        Step::Delete(kind, name) => index.delete(kind, &ObjectName::new("ns", name)),
        Step::Peppers(peppers) => index.set_peppers(peppers),
        Step::Relist(facts) => {
            index.relist_begin(Kind::Credential, None);
            // What went wrong stays what it was.
            index.relist_apply(credential("lost", "the lost key"));
            facts.into_iter().for_each(|fact| index.relist_apply(fact));
            index.relist_end(Kind::Credential, None);
        }
        Step::Commit => drop(index.commit()),
        Step::Check(_) => unreachable!("a slice is not a change"),
    }
}

/// A fault that no later change touches; it is in the draft, so that each commit brings it back.
fn corrupt(index: &mut Index, how: u8) {
    let draft = index.draft.snapshot_mut();
    match how % 3 {
        0 => {
            let held = draft
                .claimants(&digest("the lost key"), "ns")
                .first()
                .map(Arc::clone);
            match held {
                Some(held) => drop(draft.remove(&held)),
                // Its pepper is not active now.
                None => draft.set_consumer(500, foreign_consumer()),
            }
        }
        1 => {
            draft.insert(foreign());
        }
        _ => draft.set_consumer(500, foreign_consumer()),
    }
    // Published by the commit of something else.
    index.apply(consumer("other", true));
    index.commit();
    index.delete(Kind::Consumer, &ObjectName::new("ns", "other"));
    index.commit();
}

fn foreign_consumer() -> Arc<latchkey_snapshot::Consumer> {
    Arc::new(latchkey_snapshot::Consumer::new(
        &latchkey_snapshot::ConsumerParts {
            uid: "",
            namespace: "ns",
            name: "mallory",
            username: "",
            custom_id: "",
            groups: &[],
            expires: None,
            disabled: false,
            terminating: false,
        },
    ))
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn what_is_right_is_never_repaired_and_what_is_wrong_is_by_the_next_round(
        seed: u64,
        before in prop::collection::vec(step(), 0..60),
        how: u8,
        after in prop::collection::vec(step(), 0..60),
    ) {
        let mut index = Index::new(seed);
        index.set_peppers(vec![pepper()]);
        index.apply(credential("lost", "the lost key"));
        index.commit();
        for step in before {
            match step {
                Step::Check(at_most) => prop_assert_eq!(index.check(at_most).repaired, None),
                step => take(&mut index, step),
            }
        }
        index.commit();
        corrupt(&mut index, how);
        let (mut rounds, mut repairs) = (0, 0);
        let checks = |step: &Step| matches!(step, Step::Check(_));
        // Enough of them for two rounds, whatever the history holds.
        let enough = std::iter::repeat_n([Step::Commit, Step::Check(500)], 60).flatten();
        for step in after.into_iter().filter(|step| !matches!(step, Step::Peppers(_))).chain(enough) {
            if checks(&step) {
                let Step::Check(at_most) = step else { continue };
                let checked = index.check(at_most);
                rounds += usize::from(checked.finished);
                repairs += usize::from(checked.repaired.is_some());
                prop_assert!(repairs == 1 || rounds < 2, "missed by a whole round");
            } else {
                take(&mut index, step);
            }
        }
        prop_assert_eq!(repairs, 1);
        prop_assert!(rounds > 2, "{} rounds", rounds);
    }
}
