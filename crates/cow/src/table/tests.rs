//! What a change costs, and that pages end as they began.

use super::Table;

/// Splitmix64: well-mixed bits from a counter.
fn mix(n: u64) -> u64 {
    let mut z = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

fn filled(size: u64) -> Table<u64> {
    let mut table = Table::new();
    for n in 0..size {
        table.insert(mix(n), n, u64::eq);
    }
    table.take_written();
    table
}

#[test]
fn a_change_writes_as_few_pages_at_any_size() {
    for size in [0, 1_000, 50_000, 300_000] {
        let mut table = filled(size);
        let (mut most, mut changes) = (0, 0);
        for n in size..size + 200 {
            let version = table.clone();
            table.insert(mix(n), n, u64::eq);
            most = most.max(table.take_written());
            changes += 1;
            drop(version);
            let version = table.clone();
            table.remove(mix(n), |held| *held == n);
            most = most.max(table.take_written());
            drop(version);
        }
        assert_eq!(changes, 200);
        // Root, shard, leaf; past a split its leaf; and once in a while a leaf that splits or merges.
        let bound = 4 + 17;
        assert!(most <= bound, "{most} pages for one change at {size}");
    }
}

#[test]
fn a_batch_copies_each_page_once() {
    let mut table = filled(1_000);
    let version = table.clone();
    for n in 0..1_000 {
        *table.find_mut(mix(n), |held| *held == n).unwrap() = n;
    }
    // At most the root, all shards, and one page for each value.
    assert!(table.take_written() <= 1 + 64 + 1_000);
    for n in 0..1_000 {
        *table.find_mut(mix(n), |held| *held == n).unwrap() = n;
    }
    assert_eq!(table.take_written(), 0, "what is owned is changed in place");
    drop(version);
}

#[test]
fn a_change_of_all_leaves_the_version_before_as_it_was() {
    let mut table = filled(5_000);
    let version = table.clone();
    table.for_each_mut(|held| *held = 7);
    assert!(table.iter().all(|held| *held == 7));
    assert_eq!(version.iter().sum::<u64>(), 4_999 * 5_000 / 2);
}

#[test]
fn a_miss_copies_nothing() {
    let mut table = filled(5_000);
    let version = table.clone();
    assert_eq!(table.remove(mix(9_999), |_| false), None);
    assert_eq!(table.find_mut(mix(9_999), |_| false), None);
    assert_eq!(table.take_written(), 0);
    drop(version);
}

#[test]
fn what_is_emptied_holds_no_page() {
    let mut table = filled(20_000);
    for n in 0..20_000 {
        assert_eq!(table.remove(mix(n), |held| *held == n), Some(n));
    }
    assert!(table.is_empty());
    assert!(table.root.iter().all(Option::is_none));
    assert_eq!(table.iter().next(), None);
}

#[test]
fn a_page_that_shrinks_merges_and_keeps_its_values() {
    // All in one page: the upper twelve bits are equal.
    let hash = |n: u64| mix(n) >> 12;
    let mut table = Table::new();
    for n in 0..500_u64 {
        table.insert(hash(n), n, u64::eq);
    }
    for n in 0..490 {
        table.remove(hash(n), |held| *held == n);
    }
    let mut left: Vec<u64> = table.iter().copied().collect();
    left.sort_unstable();
    assert_eq!(left, (490..500).collect::<Vec<_>>());
    let version = table.clone();
    table.take_written();
    table.insert(hash(490), 490, u64::eq);
    assert_eq!(table.take_written(), 3, "root, shard and one leaf");
    drop(version);
}

/// Every value that stands in the table from the first call to the last.
#[test]
fn a_walk_by_leaves_passes_what_stays_while_others_come_and_go() {
    let stays = 3_000;
    let mut table = filled(stays);
    let (mut seen, mut at, mut next) = (vec![0; 3_000], Some(0), stays);
    while let Some(hash) = at {
        let (values, beyond) = table.leaf_at(hash);
        assert!(values.len() <= 32, "a leaf is small");
        for value in values.iter().filter(|value| **value < stays) {
            seen[usize::try_from(*value).unwrap()] += 1;
        }
        at = beyond;
        assert!(at.is_none_or(|at| at > hash));
        // Leaves split as these come, and merge as they go.
        let (come, go) = if next % 40_000 < 20_000 { (40, 1) } else { (1, 40) };
        for n in next..next + come {
            table.insert(mix(n), n, u64::eq);
        }
        for n in next.saturating_sub(go * 30).max(stays)..next {
            table.remove(mix(n), |held| *held == n);
        }
        next += come;
    }
    assert!(seen.iter().all(|times| *times >= 1));
}

#[test]
fn a_walk_by_leaves_of_a_table_that_stands_still_passes_all_once() {
    for size in [0, 1, 100, 50_000] {
        let table = filled(size);
        let (mut seen, mut at, mut calls) = (Vec::new(), Some(0), 0);
        while let Some(hash) = at {
            let (values, beyond) = table.leaf_at(hash);
            seen.extend_from_slice(values);
            (at, calls) = (beyond, calls + 1);
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..size).collect::<Vec<_>>());
        assert!(
            calls >= 64 && calls <= 4_096 + 2 * size,
            "{calls} calls for {size}"
        );
    }
}

#[test]
fn a_clone_is_the_same_version_until_one_of_both_changes() {
    let mut table = filled(100);
    let version = table.clone();
    assert!(table.is_version(&version));
    *table.find_mut(mix(1), |held| *held == 1).unwrap() = 1;
    assert!(!table.is_version(&version));
}
