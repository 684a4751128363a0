use serde_json::json;

use super::*;

const DURATION: Duration = Duration::from_secs(15);

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

#[test]
fn a_new_lease_is_acquired_without_a_transition() {
    let made = Record::new("n", "l").claimed("me", DURATION, at(1_700_000_000));
    assert_eq!(
        *made.object(),
        json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"namespace": "n", "name": "l"},
            "spec": {
                "holderIdentity": "me",
                "leaseDurationSeconds": 15,
                "acquireTime": "2023-11-14T22:13:20.000000Z",
                "renewTime": "2023-11-14T22:13:20.000000Z",
                "leaseTransitions": 0,
            },
        })
    );
}

#[test]
fn renewing_moves_the_renew_time_alone() {
    let made = Record::new("n", "l").claimed("me", DURATION, at(100));
    let renewed = made.claimed("me", DURATION, at(200));
    let mut wanted = made.object().clone();
    wanted["spec"]["renewTime"] = "1970-01-01T00:03:20.000000Z".into();
    assert_eq!(*renewed.object(), wanted);
}

#[test]
fn taking_counts_a_transition_and_leaves_what_is_not_ours() {
    let theirs = Record::read(json!({
        "metadata": {"name": "l", "resourceVersion": "7", "uid": "u", "annotations": {"a": "b"}},
        "spec": {"holderIdentity": "them", "leaseTransitions": 4, "strategy": "x"},
    }));
    let taken = theirs.claimed("me", Duration::from_millis(1500), at(100));
    assert_eq!(taken.object()["metadata"], theirs.object()["metadata"]);
    assert_eq!(taken.object()["spec"]["strategy"], "x");
    assert_eq!(taken.object()["spec"]["leaseTransitions"], 5);
    assert_eq!(
        taken.object()["spec"]["leaseDurationSeconds"],
        2,
        "whole seconds, rounded up"
    );
    assert_eq!(taken.holder(), "me");
}

#[test]
fn releasing_leaves_it_to_nobody_and_counts_when_it_is_taken_again() {
    let mine = Record::new("n", "l").claimed("me", DURATION, at(100));
    let free = mine.released(at(200));
    assert_eq!(free.holder(), "");
    assert_eq!(free.object()["spec"]["leaseTransitions"], 0);
    assert_eq!(
        free.claimed("me", DURATION, at(300)).object()["spec"]["leaseTransitions"],
        1
    );
}

#[test]
fn nonsense_in_a_record_makes_no_claim_impossible() {
    for spec in [
        json!(null),
        json!(7),
        json!({"leaseDurationSeconds": -5}),
        json!({"leaseDurationSeconds": "15", "holderIdentity": 3}),
    ] {
        let record = Record::read(json!({"spec": spec}));
        let claimed = record.claimed("me", DURATION, at(0));
        assert_eq!(claimed.holder(), "me", "{spec}");
        assert_eq!(claimed.object()["spec"]["leaseDurationSeconds"], 15, "{spec}");
    }
    let counted_out = Record::read(json!({"spec": {"leaseTransitions": i32::MAX}}));
    assert_eq!(
        counted_out.claimed("me", DURATION, at(0)).object()["spec"]["leaseTransitions"],
        1
    );
    assert_eq!(
        Record::read(json!("text"))
            .claimed("me", DURATION, at(0))
            .holder(),
        "me"
    );
}
