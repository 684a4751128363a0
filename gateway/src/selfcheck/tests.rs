use super::*;

const INTERVAL: Duration = Duration::from_secs(30);

fn examined(examined: usize) -> Checked {
    Checked {
        examined,
        ..Checked::default()
    }
}

fn finished() -> Checked {
    Checked {
        finished: true,
        ..examined(1)
    }
}

fn repaired() -> Checked {
    let differences = Differences {
        missing: 1,
        ..Differences::default()
    };
    Checked {
        repaired: Some(differences),
        ..finished()
    }
}

#[test]
fn a_slice_is_as_large_as_its_time_allows() {
    for (at_most, examined, micros, next) in [
        // Fast and whole: twice as much, but no more than that, and no more than the most.
        (64, 64, 1, 128),
        (64, 70, 250, 128),
        (MOST, MOST, 1, MOST),
        (MOST - 1, MOST, 1, MOST),
        // Fast because there was not more: that says nothing.
        (64, 63, 1, 64),
        (64, 1, 1, 64),
        // About right.
        (1000, 1000, 251, 1000),
        (1000, 1000, 500, 1000),
        // Too slow: in proportion, however little was looked at, and never nothing.
        (1000, 1000, 1000, 500),
        (1000, 10, 5000, 100),
        (MOST, MOST, 1_000_000, 32),
        (1, 1, 1_000_000, 1),
    ] {
        let took = Duration::from_micros(micros);
        assert_eq!(
            adapted(at_most, examined, took),
            next,
            "{examined} of {at_most} in {took:?}"
        );
    }
}

#[test]
fn whatever_an_object_costs_slices_come_to_take_no_longer_than_they_should() {
    for nanos in [1, 50, 3000, 70_000, 400_000] {
        let mut at_most = MOST;
        let cost = |objects: usize| Duration::from_nanos(nanos * u64::try_from(objects).unwrap());
        for _ in 0..40 {
            at_most = adapted(at_most, at_most, cost(at_most));
        }
        for _ in 0..40 {
            let took = cost(at_most);
            assert!(took <= TARGET, "{took:?} for {at_most} of {nanos} ns");
            at_most = adapted(at_most, at_most, took);
        }
    }
}

#[test]
fn a_round_begins_every_interval_and_its_slices_are_spread() {
    let start = Instant::now();
    let mut pace = Pace::new(INTERVAL, start);
    assert_eq!(pace.due, Some(start + INTERVAL));
    let begun = start + INTERVAL;
    pace.took(&examined(64), begun, begun);
    assert_eq!(pace.due, Some(begun + REST));
    let late = begun + Duration::from_secs(7);
    pace.took(&examined(64), late, late);
    assert_eq!(pace.due, Some(late + REST));
    pace.took(&finished(), late + REST, late + REST);
    assert_eq!(
        pace.due,
        Some(begun + INTERVAL),
        "counted from where the round began"
    );
}

#[test]
fn a_round_that_takes_longer_than_the_interval_is_followed_by_the_next_after_a_rest() {
    let begun = Instant::now();
    let mut pace = Pace::new(INTERVAL, begun);
    pace.took(&examined(64), begun, begun);
    let late = begun + INTERVAL * 2;
    pace.took(&finished(), late, late);
    assert_eq!(pace.due, Some(late + REST));
}

#[test]
fn where_nothing_was_committed_yet_the_next_round_is_an_interval_away() {
    let begun = Instant::now();
    let mut pace = Pace::new(INTERVAL, begun);
    pace.took(&examined(0), begun, begun);
    assert_eq!(pace.due, Some(begun + INTERVAL));
}

#[test]
fn an_interval_beyond_all_time_never_comes() {
    let now = Instant::now();
    let mut pace = Pace::new(Duration::MAX, now);
    assert_eq!(pace.due, None);
    pace.took(&finished(), now, now);
    assert_eq!(pace.due, None);
}

#[test]
fn rounds_and_repairs_are_counted_and_a_repair_is_told_and_slows_nothing() {
    let mut checks = SelfCheck::every(INTERVAL, Instant::now());
    let stats = checks.stats();
    let counted = || (stats.checks.load(Relaxed), stats.repairs.load(Relaxed));
    assert!(!checks.slice(|_| examined(64)));
    assert_eq!(counted(), (0, 0));
    assert!(!checks.slice(|_| finished()));
    assert_eq!(counted(), (1, 0));
    let before = checks.pace.map(|pace| pace.at_most);
    let slow = |_| {
        let begun = Instant::now();
        while begun.elapsed() <= TARGET {}
        repaired()
    };
    assert!(checks.slice(slow));
    assert_eq!(counted(), (2, 1));
    assert_eq!(checks.pace.map(|pace| pace.at_most), before);
}

#[test]
fn an_interval_of_zero_is_never_due_and_checks_nothing() {
    for mut checks in [SelfCheck::every(Duration::ZERO, Instant::now()), SelfCheck::off()] {
        assert_eq!(checks.due(), None);
        assert!(!checks.slice(|_| unreachable!("it is off")));
    }
}
