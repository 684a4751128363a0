use std::env;

use proptest::{prelude::*, test_runner::Config};

use super::*;

fn config(max_open: usize, max_open_per_endpoint: usize, max_waiting: usize) -> PoolConfig {
    PoolConfig {
        max_open,
        max_open_per_endpoint,
        max_waiting,
        ..PoolConfig::default()
    }
}

#[test]
fn connections_have_a_limit_per_endpoint_and_in_all() {
    let mut admission: Admission<&str, ()> = Admission::new(config(3, 2, 9));
    let opened = ["a", "a", "a", "b", "b"].map(|key| admission.open(&key));
    assert_eq!(opened, [true, true, false, true, false]);
    assert_eq!(admission.closed(&"a"), None);
    assert!(admission.open(&"b"));
    assert_eq!(admission.total(), 3);
}

#[test]
fn the_first_who_waits_is_served_first() {
    let mut admission = Admission::new(config(9, 1, 9));
    assert!(admission.open(&"a"));
    for waiter in 1..=3 {
        admission.enqueue(&"a", waiter);
    }
    assert_eq!(admission.closed(&"a"), Some(("a", 1)), "in its place");
    assert_eq!(admission.heir(&"a"), Some(2), "with its connection");
    assert_eq!(admission.closed(&"a"), Some(("a", 3)));
    assert_eq!(admission.closed(&"a"), None);
    assert_eq!((admission.total(), admission.open.len()), (0, 0));
}

#[test]
fn a_full_endpoint_holds_up_nobody_who_wants_another() {
    let mut admission = Admission::new(config(3, 2, 9));
    for key in ["a", "a", "b"] {
        assert!(admission.open(&key));
    }
    admission.enqueue(&"a", 1);
    assert!(!admission.wants_room(), "room for `a` comes from `a` alone");
    admission.enqueue(&"c", 2);
    assert!(admission.wants_room());
    assert_eq!(admission.heir(&"b"), None);
    assert_eq!(admission.closed(&"b"), Some(("c", 2)));
}

#[test]
fn who_came_first_goes_first_whatever_they_wait_for() {
    let mut admission = Admission::new(config(1, 1, 9));
    assert!(admission.open(&"x"));
    for (waiter, key) in ["c", "a", "b", "a"].into_iter().enumerate() {
        admission.enqueue(&key, waiter);
    }
    for (closed, next) in [("x", ("c", 0)), ("c", ("a", 1)), ("a", ("b", 2)), ("b", ("a", 3))] {
        assert_eq!(admission.closed(&closed), Some(next));
    }
}

#[test]
fn the_queue_is_bounded_and_can_be_left() {
    let mut admission = Admission::new(config(1, 1, 2));
    assert!(admission.open(&"a"));
    let first = admission.enqueue(&"a", 1).unwrap();
    let second = admission.enqueue(&"a", 2).unwrap();
    assert_eq!(admission.enqueue(&"a", 3), None);
    admission.leave(&"a", first);
    admission.leave(&"a", first);
    assert!(admission.enqueue(&"a", 4).is_some());
    assert_eq!(admission.closed(&"a"), Some(("a", 2)));
    admission.leave(&"a", second);
    assert_eq!(admission.closed(&"a"), Some(("a", 4)));
}

#[derive(Clone, Debug)]
enum Step {
    Ask(u8),
    Close(u8),
    Release(u8),
    Leave(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let key = 0..4_u8;
    prop_oneof![
        4 => key.clone().prop_map(Step::Ask),
        2 => key.clone().prop_map(Step::Close),
        1 => key.prop_map(Step::Release),
        1 => any::<u8>().prop_map(Step::Leave),
    ]
}

fn cases() -> u32 {
    env::var("LATCHKEY_CASES").map_or(256, |text| text.parse().expect("a number"))
}

proptest! {
    #![proptest_config(Config::with_cases(cases()))]

    /// Limits hold, the numbers are those of what was granted, and nobody waits who could be served.
    #[test]
    fn nobody_waits_without_need(steps in prop::collection::vec(step(), 1..200)) {
        let config = config(7, 3, 5);
        let mut admission = Admission::new(config);
        let mut open = [0_usize; 4];
        let mut tickets = Vec::new();
        for step in steps {
            match step {
                Step::Ask(key) => {
                    if admission.open(&key) {
                        open[usize::from(key)] += 1;
                    } else if let Some(ticket) = admission.enqueue(&key, key) {
                        tickets.push((key, ticket));
                    }
                }
                Step::Close(key) if open[usize::from(key)] > 0 => {
                    open[usize::from(key)] -= 1;
                    if let Some((granted, _)) = admission.closed(&key) {
                        open[usize::from(granted)] += 1;
                    }
                }
                Step::Release(key) if open[usize::from(key)] > 0 => {
                    if let Some(heir) = admission.heir(&key) {
                        prop_assert_eq!(heir, key);
                    }
                }
                Step::Leave(which) if !tickets.is_empty() => {
                    let (key, ticket) = tickets.swap_remove(usize::from(which) % tickets.len());
                    admission.leave(&key, ticket);
                }
                Step::Close(_) | Step::Release(_) | Step::Leave(_) => {}
            }
            prop_assert_eq!(admission.total, open.iter().sum::<usize>());
            for (key, open) in (0..4_u8).zip(open) {
                prop_assert_eq!(admission.open.get(&key).copied().unwrap_or_default(), open);
                prop_assert!(open <= config.max_open_per_endpoint);
            }
            prop_assert!(admission.total <= config.max_open);
            prop_assert!(admission.waiting <= config.max_waiting);
            let lines = || admission.lines.values().map(VecDeque::len);
            prop_assert_eq!(lines().sum::<usize>(), admission.waiting);
            prop_assert!(lines().all(|len| len > 0), "a line without anybody");
            prop_assert!(admission.total == config.max_open || !admission.wants_room());
        }
    }
}
