use std::{cell::Cell, rc::Rc, time::Duration};

use proptest::{prelude::*, test_runner::Config};

use super::*;

/// A connection that is good until its `end`, unless it was `broken`.
#[derive(Clone, Debug)]
struct Fake {
    number: u32,
    end: Instant,
    broken: Rc<Cell<bool>>,
}

impl Keep for Fake {
    fn is_good(&self, now: Instant) -> bool {
        now < self.end && !self.broken.get()
    }
}

const SECOND: Duration = Duration::from_secs(1);

fn config() -> PoolConfig {
    PoolConfig {
        max_idle_age: 4 * SECOND,
        max_idle_per_endpoint: 3,
        max_idle: 5,
        ..PoolConfig::default()
    }
}

fn fake(number: u32, now: Instant) -> Fake {
    Fake {
        number,
        end: now + 1000 * SECOND,
        broken: Rc::default(),
    }
}

fn numbers(idle: &mut Idle<&str, Fake>, key: &'static str, now: Instant) -> Vec<u32> {
    std::iter::from_fn(|| idle.take(&key, || now))
        .map(|fake| fake.number)
        .collect()
}

#[test]
fn the_last_in_is_the_first_out_and_each_endpoint_has_its_own() {
    let now = Instant::now();
    let mut idle = Idle::new(config());
    for (key, number) in [("a", 1), ("b", 2), ("a", 3)] {
        assert!(idle.put(key, fake(number, now), now).is_none());
    }
    assert_eq!(numbers(&mut idle, "a", now), [3, 1]);
    assert_eq!(numbers(&mut idle, "b", now), [2]);
    assert_eq!(idle.count, 0);
}

#[test]
fn beyond_a_limit_the_one_goes_that_waited_longest() {
    let start = Instant::now();
    let mut idle = Idle::new(config());
    let mut given_up = Vec::new();
    for (step, key) in ["a", "b", "b", "b", "b", "a", "a", "c"].into_iter().enumerate() {
        let step = u32::try_from(step).unwrap();
        let now = start + step * SECOND / 10;
        given_up.extend(
            idle.put(key, fake(step, now), now)
                .map(|fake| (step, fake.number)),
        );
    }
    // The fourth of `b` is over the endpoint's limit; then every one is over that of all.
    assert_eq!(given_up, [(4, 1), (6, 0), (7, 2)]);
    assert_eq!(idle.count, 5);
    assert_eq!(numbers(&mut idle, "a", start), [6, 5]);
    assert_eq!(numbers(&mut idle, "b", start), [4, 3]);
    assert_eq!(numbers(&mut idle, "c", start), [7]);
}

#[test]
fn what_is_broken_or_waited_too_long_or_is_too_old_is_not_given_out() {
    let start = Instant::now();
    type Spoil = fn(&mut Fake);
    let cases: [(&str, Spoil, Duration, bool); 4] = [
        ("good", |_| {}, 3 * SECOND, true),
        ("waited too long", |_| {}, 4 * SECOND, false),
        ("broken", |fake| fake.broken.set(true), Duration::ZERO, false),
        ("too old", |fake| fake.end -= 999 * SECOND, SECOND, false),
    ];
    for (what, spoil, later, given) in cases {
        for swept in [false, true] {
            let mut idle = Idle::new(config());
            let mut connection = fake(1, start);
            spoil(&mut connection);
            idle.put("a", connection, start);
            if swept {
                idle.sweep(start + later);
                assert_eq!(idle.count, usize::from(given), "{what}");
                assert_eq!(idle.stacks.len(), usize::from(given), "{what}");
            }
            assert_eq!(
                idle.take(&"a", || start + later).is_some(),
                given,
                "{what}, {swept}"
            );
        }
    }
}

/// What was used last is not a younger connection: its sibling below may still be good.
#[test]
fn a_bad_one_does_not_hide_the_good_one_below_it() {
    let now = Instant::now();
    let mut idle = Idle::new(config());
    let bad = fake(2, now);
    bad.broken.set(true);
    idle.put("a", fake(1, now), now);
    idle.put("a", bad, now);
    assert_eq!(idle.take(&"a", || now).unwrap().number, 1);
    assert_eq!(idle.count, 0);
}

/// However many endpoints there ever were, those without a connection take no room.
#[test]
fn endpoints_that_are_gone_are_forgotten() {
    let start = Instant::now();
    let mut idle = Idle::new(config());
    for number in 0..10_000_u32 {
        let now = start + number * SECOND;
        idle.put(number, fake(number, now), now);
        idle.sweep(now);
        assert!(idle.stacks.len() <= 4, "{} after {number}", idle.stacks.len());
    }
    idle.sweep(start + 20_000 * SECOND);
    assert!(idle.stacks.is_empty());
}

#[derive(Clone, Debug)]
enum Step {
    Put(u8),
    Take(u8),
    Evict,
    Sweep,
}

proptest! {
    #![proptest_config(Config::with_cases(256))]

    /// As a look at all of them finds it, whatever came and went since they were sorted.
    #[test]
    fn the_one_that_is_given_up_has_waited_longest(
        steps in prop::collection::vec(
            prop_oneof![
                4 => (0..6_u8).prop_map(Step::Put),
                2 => (0..6_u8).prop_map(Step::Take),
                3 => Just(Step::Evict),
                1 => Just(Step::Sweep),
            ],
            1..200,
        )
    ) {
        let start = Instant::now();
        let mut idle = Idle::new(PoolConfig {
            max_idle: 10,
            max_idle_per_endpoint: 4,
            max_idle_age: 20 * SECOND,
            ..PoolConfig::default()
        });
        for (number, step) in (0_u32..).zip(steps) {
            let now = start + number * SECOND;
            match step {
                Step::Put(key) => drop(idle.put(key, fake(number, now), now)),
                Step::Take(key) => drop(idle.take(&key, || now)),
                Step::Sweep => idle.sweep(now),
                Step::Evict => {
                    let all = idle.stacks.values().flatten();
                    let oldest = all.min_by_key(|waiting| waiting.since);
                    let oldest = oldest.map(|waiting| waiting.connection.number);
                    prop_assert_eq!(idle.evict().map(|fake| fake.number), oldest);
                }
            }
            let left: usize = idle.stacks.values().map(VecDeque::len).sum();
            prop_assert_eq!(idle.count, left);
            prop_assert!(left <= 10 && idle.by_age.len() <= 10);
        }
    }
}
