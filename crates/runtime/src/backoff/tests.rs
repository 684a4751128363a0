use super::*;
use crate::random::mix;

const LIMITS: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(3));

#[test]
fn waits_double_between_the_limits_whatever_is_rolled() {
    for roll in [0, 1, 77, u64::MAX] {
        let mut backoff = Backoff::new(LIMITS);
        let waits: Vec<_> = (0..100).map(|_| backoff.next(None, roll)).collect();
        assert!(
            waits.iter().all(|wait| (LIMITS.0..=LIMITS.1).contains(wait)),
            "{waits:?}"
        );
        assert!(waits.is_sorted(), "{waits:?}");
        assert!(waits[99] >= LIMITS.1 / 2, "{waits:?}");
        backoff.reset();
        assert_eq!(backoff.next(None, roll), waits[0]);
    }
}

#[test]
fn different_rolls_give_different_waits() {
    let wait = |seed| Backoff::new(LIMITS).next(None, mix(seed));
    let waits: std::collections::BTreeSet<_> = (0..100).map(wait).collect();
    assert!(waits.len() > 90);
}

#[test]
fn a_server_is_never_asked_before_it_wants_and_never_left_for_ever() {
    for roll in [0, u64::MAX] {
        let asked = Duration::from_secs(5);
        let wait = Backoff::new(LIMITS).next(Some(asked), roll);
        assert!(asked <= wait && wait <= asked + asked / 5, "{wait:?}");
        let wait = Backoff::new(LIMITS).next(Some(Duration::MAX), roll);
        assert!(wait <= MAX_RETRY_AFTER + MAX_RETRY_AFTER / 5, "{wait:?}");
    }
}

#[test]
fn intervals_vary_by_a_fifth_and_never_overflow() {
    for roll in [0, 1 << 15, u64::MAX] {
        let around = about(Duration::from_secs(10), roll);
        assert!(
            (Duration::from_secs(8)..=Duration::from_secs(12)).contains(&around),
            "{around:?}"
        );
        about(Duration::MAX, roll);
    }
}

#[test]
fn limits_that_make_no_sense_do_no_harm() {
    let mut backoff = Backoff::new((Duration::from_secs(5), Duration::ZERO));
    assert_eq!(backoff.next(None, 3), Duration::from_secs(5));
    let mut backoff = Backoff::new((Duration::MAX, Duration::MAX));
    assert_eq!(backoff.next(None, 3), Duration::MAX);
}
