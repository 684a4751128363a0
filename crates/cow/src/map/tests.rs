//! Against `std`'s map: the same answers for any history, and versions that never change.

use std::collections::HashMap;

use proptest::prelude::*;

use super::Map;

#[derive(Clone, Debug)]
enum Step {
    Insert(u16, u8),
    Change(u16, u8),
    Remove(u16),
    Keep,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = prop_oneof![0..24_u16, 0..1500_u16];
    let step = prop_oneof![
        6 => (key.clone(), any::<u8>()).prop_map(|(k, v)| Step::Insert(k, v)),
        2 => (key.clone(), any::<u8>()).prop_map(|(k, v)| Step::Change(k, v)),
        4 => key.prop_map(Step::Remove),
        1 => Just(Step::Keep),
    ];
    prop::collection::vec(step, 0..600)
}

/// From well mixed to all the same, by way of hashes that differ in their lowest bits alone.
fn hash(quality: u8, key: u16) -> u64 {
    match quality {
        0 => u64::from(key).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        1 => u64::from(key),
        2 => u64::from(key % 8) << 52,
        _ => 7,
    }
}

fn assert_same(map: &Map<u16, u8>, model: &HashMap<u16, u8>, quality: u8) {
    assert_eq!(map.len(), model.len());
    assert_eq!(map.is_empty(), model.is_empty());
    assert_eq!(map.iter().len(), model.len());
    let listed: HashMap<u16, u8> = map.iter().map(|(k, v)| (*k, *v)).collect();
    assert_eq!(&listed, model);
    for key in (0..1500).step_by(7).chain(0..24) {
        assert_eq!(map.get(hash(quality, key), &key), model.get(&key));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_history_agrees_with_std_and_old_versions_stay(quality in 0..4_u8, steps in steps()) {
        let (mut map, mut model) = (Map::new(), HashMap::new());
        let mut kept = Vec::new();
        for step in steps {
            match step {
                Step::Insert(k, v) => {
                    prop_assert_eq!(map.insert(hash(quality, k), k, v), model.insert(k, v));
                }
                Step::Change(k, v) => {
                    let changed = map.get_mut(hash(quality, k), &k).map(|held| *held = v);
                    prop_assert_eq!(changed, model.get_mut(&k).map(|held| *held = v));
                }
                Step::Remove(k) => {
                    prop_assert_eq!(map.remove(hash(quality, k), &k), model.remove(&k));
                }
                Step::Keep => kept.push((map.clone(), model.clone())),
            }
        }
        assert_same(&map, &model, quality);
        for (map, model) in &kept {
            assert_same(map, model, quality);
        }
    }
}

#[test]
fn debug_shows_no_value() {
    let mut map = Map::new();
    map.insert(1, "secret", "also secret");
    assert_eq!(format!("{map:?}"), "Map { len: 1, .. }");
}
