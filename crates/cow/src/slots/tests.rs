//! Against `std`'s map: the same answers for any history, and versions that never change.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::Slots;

#[derive(Clone, Debug)]
enum Step {
    Set(u32, u8),
    Change(u32, u8),
    Clear(u32),
    Keep,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let index = prop_oneof![0..70_u32, 0..6_000_u32, any::<u32>()];
    let step = prop_oneof![
        4 => (index.clone(), any::<u8>()).prop_map(|(i, v)| Step::Set(i, v)),
        2 => (index.clone(), any::<u8>()).prop_map(|(i, v)| Step::Change(i, v)),
        3 => index.prop_map(Step::Clear),
        1 => Just(Step::Keep),
    ];
    prop::collection::vec(step, 0..300)
}

fn assert_same(slots: &Slots<u8>, model: &BTreeMap<u32, u8>) {
    assert_eq!(slots.len(), model.len());
    assert_eq!(slots.is_empty(), model.is_empty());
    for index in (0..6_100).step_by(7).chain(0..72).chain(model.keys().copied()) {
        assert_eq!(slots.get(index), model.get(&index));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_history_agrees_with_std_and_old_versions_stay(steps in steps()) {
        let (mut slots, mut model) = (Slots::new(), BTreeMap::new());
        let mut kept = Vec::new();
        for step in steps {
            match step {
                Step::Set(i, v) => prop_assert_eq!(slots.set(i, v), model.insert(i, v)),
                Step::Change(i, v) => {
                    let changed = slots.get_mut(i).map(|held| *held = v);
                    prop_assert_eq!(changed, model.get_mut(&i).map(|held| *held = v));
                }
                Step::Clear(i) => prop_assert_eq!(slots.clear(i), model.remove(&i)),
                Step::Keep => kept.push((slots.clone(), model.clone())),
            }
        }
        assert_same(&slots, &model);
        for (slots, model) in &kept {
            assert_same(slots, model);
        }
    }
}

#[test]
fn a_change_writes_one_path_at_any_size() {
    for (size, path) in [(16, 1), (1_000, 2), (50_000, 3), (300_000, 4)] {
        let mut slots = Slots::new();
        for index in 0..size {
            slots.set(index, index);
        }
        slots.take_written();
        let version = slots.clone();
        slots.set(size / 2, 0);
        assert_eq!(slots.take_written(), path);
        slots.set(size / 2 + 1, 0);
        assert!(
            slots.take_written() <= 1,
            "the path is already this version's own"
        );
        drop(version);
    }
}

#[test]
fn a_vacant_slot_copies_nothing() {
    let mut slots = Slots::new();
    slots.set(3, ());
    slots.take_written();
    let version = slots.clone();
    assert_eq!(slots.clear(4), None);
    assert_eq!(slots.clear(u32::MAX), None);
    assert_eq!(slots.take_written(), 0);
    drop(version);
}

#[test]
fn what_is_emptied_holds_no_node() {
    let mut slots = Slots::new();
    for index in 0..5_000 {
        slots.set(index, ());
    }
    for index in 0..5_000 {
        slots.clear(index);
    }
    assert!(slots.root.is_none());
    assert_eq!(format!("{slots:?}"), "Slots { len: 0, .. }");
}

/// Slots that a walk by leaves passes, with what stands in them.
fn walk(slots: &Slots<u32>) -> (BTreeMap<u32, u32>, usize) {
    let (mut seen, mut at, mut calls) = (BTreeMap::new(), Some(0_u32), 0);
    while let Some(index) = at {
        let (values, beyond) = slots.leaf_at(index);
        for (slot, value) in (index / 16 * 16..=u32::MAX).zip(values) {
            seen.extend(value.map(|value| (slot, value)));
        }
        assert!(beyond.is_none_or(|beyond| beyond > index));
        (at, calls) = (beyond, calls + 1);
    }
    (seen, calls)
}

#[test]
fn a_walk_by_leaves_passes_every_filled_slot_and_skips_what_is_vacant() {
    for filled in [
        vec![],
        vec![0],
        vec![15, 16, 17],
        vec![u32::MAX],
        vec![0, 1_000_000, u32::MAX - 20],
        (0..5_000).collect(),
    ] {
        let mut slots = Slots::new();
        for index in &filled {
            slots.set(*index, !*index);
        }
        let (seen, calls) = walk(&slots);
        assert_eq!(seen, filled.iter().map(|index| (*index, !*index)).collect());
        assert!(calls < 1_000 + filled.len(), "{calls} calls for {}", filled.len());
    }
}

#[test]
fn a_clone_is_the_same_version_until_one_of_both_changes() {
    let mut slots = Slots::new();
    assert!(slots.is_version(&Slots::new()));
    for size in [1, 1_000] {
        slots.set(size, 0);
        let version = slots.clone();
        assert!(slots.is_version(&version));
        slots.set(0, size);
        assert!(!slots.is_version(&version));
    }
    assert!(!slots.is_version(&Slots::new()));
}
