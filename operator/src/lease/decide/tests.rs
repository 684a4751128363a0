use serde_json::json;

use super::*;

mod never_two;

const DURATION: Duration = Duration::from_secs(15);

struct Case {
    elector: Elector,
    start: Instant,
    version: u64,
}

impl Case {
    fn new() -> Self {
        Self {
            elector: Elector::new("me".to_owned(), Timing::of(DURATION)),
            start: Instant::now(),
            version: 0,
        }
    }

    fn at(&self, millis: u64) -> Instant {
        self.start + Duration::from_millis(millis)
    }

    /// A version of the Lease that was not seen before.
    fn lease(&mut self, holder: &str) -> Answer {
        self.version += 1;
        Answer::Lease(Record::read(json!({
            "metadata": {"uid": "u", "resourceVersion": self.version.to_string()},
            "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15},
        })))
    }

    /// The next call and when, in milliseconds from the start.
    fn next(&self, millis: u64) -> (Call, u64) {
        let step = self.elector.next(self.at(millis));
        let at = step.at - self.start;
        (step.call, u64::try_from(at.as_millis()).unwrap())
    }

    fn answered(&mut self, call: Call, sent: u64, now: u64, answer: Answer) {
        self.elector.answered(call, self.at(sent), self.at(now), answer);
    }

    fn leads_until(&self) -> Option<u64> {
        let until = self.elector.until()? - self.start;
        Some(u64::try_from(until.as_millis()).unwrap())
    }

    /// Leads since 0.
    fn leading() -> Self {
        let mut case = Self::new();
        let mine = case.lease("me");
        case.answered(Call::Create, 0, 100, mine);
        assert_eq!(case.leads_until(), Some(10_000));
        case
    }
}

#[test]
fn the_customary_proportions() {
    let timing = Timing::of(DURATION);
    assert_eq!((timing.renew_deadline.as_secs(), timing.retry.as_secs()), (10, 2));
}

#[test]
fn a_lease_that_is_not_there_is_made_at_once() {
    let mut case = Case::new();
    assert_eq!(case.next(0), (Call::Read, 0));
    case.answered(Call::Read, 0, 30, Answer::Missing);
    assert_eq!(case.next(30), (Call::Create, 30));
    let mine = case.lease("me");
    case.answered(Call::Create, 30, 90, mine);
    assert_eq!(case.leads_until(), Some(10_030), "from before it was sent");
    assert_eq!(case.next(90), (Call::Claim, 2_000), "a round later");
}

#[test]
fn a_free_lease_is_taken_at_once() {
    let mut case = Case::new();
    let free = case.lease("");
    case.answered(Call::Read, 0, 30, free);
    assert_eq!(case.next(30), (Call::Claim, 30));
}

#[test]
fn anothers_lease_is_looked_at_and_taken_at_the_moment_it_ends() {
    let mut case = Case::new();
    let theirs = case.lease("them");
    case.answered(Call::Read, 0, 500, theirs.clone());
    for sent in (2_000..14_000).step_by(2_000) {
        assert_eq!(case.next(sent - 100), (Call::Read, sent));
        case.answered(Call::Read, sent, sent + 20, theirs.clone());
    }
    assert_eq!(case.next(14_500), (Call::Read, 14_500), "a look that was late");
    case.answered(Call::Read, 14_500, 14_520, theirs);
    assert_eq!(case.next(14_520), (Call::Claim, 15_500));
    assert_eq!(case.leads_until(), None);
}

/// Whose clock was set by an hour, ours or the leader's, makes no difference (O-B7).
#[test]
fn times_in_anothers_record_neither_shorten_nor_lengthen_the_wait() {
    for renewed in ["2000-01-01T00:00:00.000000Z", "2999-01-01T00:00:00.000000Z"] {
        let mut case = Case::new();
        let theirs = Answer::Lease(Record::read(json!({
            "metadata": {"uid": "u", "resourceVersion": "1"},
            "spec": {"holderIdentity": "them", "leaseDurationSeconds": 15, "renewTime": renewed},
        })));
        case.answered(Call::Read, 0, 500, theirs.clone());
        case.answered(Call::Read, 14_500, 14_520, theirs);
        assert_eq!(case.next(14_520), (Call::Claim, 15_500), "{renewed}");
    }
}

#[test]
fn a_renewal_of_anothers_lease_starts_the_wait_again() {
    let mut case = Case::new();
    let first = case.lease("them");
    case.answered(Call::Read, 0, 0, first);
    let second = case.lease("them");
    case.answered(Call::Read, 14_000, 14_900, second);
    assert_eq!(case.next(15_200), (Call::Read, 16_000));
    assert_eq!(case.next(29_899).0, Call::Read);
    assert_eq!(case.next(29_900).0, Call::Claim);
}

#[test]
fn what_anothers_record_says_of_its_duration_does_not_count() {
    for seconds in [json!(1), json!(60), json!(i32::MAX), json!(0), json!(null)] {
        let mut case = Case::new();
        let theirs = Record::read(json!({
            "metadata": {"resourceVersion": "1"},
            "spec": {"holderIdentity": "them", "leaseDurationSeconds": seconds},
        }));
        case.answered(Call::Read, 0, 0, Answer::Lease(theirs));
        assert_eq!(case.next(14_999).0, Call::Read, "{seconds}");
        assert_eq!(case.next(15_000).0, Call::Claim, "{seconds}");
        case.answered(Call::Read, 14_000, 14_010, Answer::Missing);
        assert_eq!(case.next(14_010), (Call::Create, 15_000), "{seconds}, deleted");
    }
}

#[test]
fn whoever_else_holds_it_is_known() {
    let mut case = Case::new();
    assert_eq!(case.elector.other(), None, "nothing was seen");
    for (holder, other) in [("them", Some("them")), ("", None), ("me", None)] {
        let lease = case.lease(holder);
        case.answered(Call::Read, 0, 0, lease);
        assert_eq!(case.elector.other(), other);
    }
}

#[test]
fn that_anothers_lease_was_deleted_does_not_end_it_sooner() {
    let mut case = Case::new();
    let theirs = case.lease("them");
    case.answered(Call::Read, 0, 0, theirs);
    case.answered(Call::Read, 2_000, 2_010, Answer::Missing);
    assert_eq!(case.next(2_010), (Call::Read, 4_000));
    case.answered(Call::Read, 14_000, 14_010, Answer::Missing);
    assert_eq!(case.next(14_010), (Call::Create, 15_000));
}

#[test]
fn a_failure_keeps_the_permission_and_is_tried_again_in_the_next_round() {
    let mut case = Case::leading();
    case.answered(Call::Claim, 2_000, 2_010, Answer::Failed);
    assert_eq!(case.leads_until(), Some(10_000));
    assert_eq!(case.next(2_010), (Call::Claim, 4_000));
}

#[test]
fn a_call_gets_half_of_what_is_left_so_that_another_fits_in() {
    let case = Case::leading();
    for (at, limit) in [
        (2_000, 4_000),
        (6_000, 2_000),
        (9_000, 2_000),
        (10_000, 10_000),
        (99_000, 10_000),
    ] {
        let step = case.elector.next(case.at(at));
        assert_eq!(step.limit, Duration::from_millis(limit), "at {at}");
    }
}

#[test]
fn a_conflict_is_looked_into_at_once_and_our_own_late_claim_is_renewed() {
    let mut case = Case::leading();
    case.answered(Call::Claim, 2_000, 2_010, Answer::Conflict);
    assert_eq!(case.leads_until(), Some(10_000));
    assert_eq!(case.next(2_010), (Call::Read, 2_010));
    let mine = case.lease("me");
    case.answered(Call::Read, 2_010, 2_020, mine.clone());
    assert_eq!(case.leads_until(), Some(10_000), "reading renews nothing");
    assert_eq!(case.next(2_020), (Call::Claim, 2_020));
    case.answered(Call::Claim, 2_020, 2_030, mine);
    assert_eq!(case.leads_until(), Some(12_020));
    assert_eq!(case.next(2_030), (Call::Claim, 4_000));
}

#[test]
fn who_changes_the_lease_without_end_causes_few_calls_a_round() {
    let mut case = Case::leading();
    let (mut sent, mut calls) = (2_000, 0);
    while case.next(sent).1 == sent {
        let call = case.next(sent).0;
        let answer = if call == Call::Read {
            case.lease("me")
        } else {
            Answer::Conflict
        };
        case.answered(call, sent, sent, answer);
        calls += 1;
        assert!(calls <= MAX_CALLS_IN_A_ROUND);
    }
    sent = 4_000;
    assert_eq!(case.next(2_001).1, sent);
}

#[test]
fn a_lease_that_is_anothers_ends_the_permission_at_once() {
    let mut case = Case::leading();
    case.answered(Call::Claim, 2_000, 2_010, Answer::Conflict);
    let theirs = case.lease("them");
    case.answered(Call::Read, 2_010, 2_020, theirs);
    assert_eq!(case.leads_until(), None);
    assert_eq!(case.next(2_020), (Call::Read, 4_000));
}

#[test]
fn a_claim_that_names_another_grants_nothing() {
    let mut case = Case::new();
    let theirs = case.lease("them");
    case.answered(Call::Claim, 0, 10, theirs);
    assert_eq!(case.leads_until(), None);
}

#[test]
fn who_leaves_gives_back_what_is_its_own() {
    assert_eq!(Case::new().elector.leave(), None, "never asked for");
    let mut case = Case::leading();
    assert_eq!(case.elector.leave(), Some(Call::Release));
    case.answered(Call::Claim, 2_000, 3_000, Answer::Failed);
    assert_eq!(case.elector.leave(), Some(Call::Read), "it may have been done");
    let mine = case.lease("me");
    case.answered(Call::Read, 3_000, 3_010, mine);
    assert_eq!(case.elector.leave(), Some(Call::Release));
    let free = case.lease("");
    case.answered(Call::Release, 3_010, 3_020, free);
    assert_eq!(case.elector.leave(), None);
    let mut case = Case::leading();
    let theirs = case.lease("them");
    case.answered(Call::Read, 2_000, 2_010, theirs);
    assert_eq!(case.elector.leave(), None);
}
