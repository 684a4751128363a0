use super::*;

fn time(text: &str) -> Time {
    Time(text.parse().unwrap())
}

fn found(type_: &'static str, status: Status, reason: &'static str) -> Finding {
    Finding {
        type_,
        status,
        reason,
        message: String::new(),
    }
}

fn since(conditions: &[Condition]) -> Vec<(&str, &Time)> {
    conditions
        .iter()
        .map(|condition| (condition.type_.as_str(), &condition.last_transition_time))
        .collect()
}

#[test]
fn the_time_moves_only_where_the_status_does() {
    let (then, now) = (time("2030-01-01T00:00:00Z"), time("2030-01-02T00:00:00Z"));
    let standing = merge(
        &[],
        vec![
            found("Accepted", Status::True, "Accepted"),
            found("Ready", Status::True, "Ready"),
        ],
        Some(1),
        &then,
    );
    let next = merge(
        &standing,
        vec![
            found("Accepted", Status::True, "Other"),
            found("Ready", Status::False, "Conflicted"),
        ],
        Some(2),
        &now,
    );
    assert_eq!(since(&next), [("Accepted", &then), ("Ready", &now)]);
    assert_eq!(next[0].reason, "Other");
    assert_eq!(next[0].observed_generation, Some(2));
    assert_eq!(next[1].status, "False");
}

#[test]
fn nothing_new_gives_back_what_stands() {
    let (then, now) = (time("2030-01-01T00:00:00Z"), time("2030-01-02T00:00:00Z"));
    let found = || {
        vec![
            found("Accepted", Status::True, "Accepted"),
            found("Ready", Status::Unknown, "x"),
        ]
    };
    let standing = merge(&[], found(), Some(1), &then);
    assert_eq!(merge(&standing, found(), Some(1), &now), standing);
}

#[test]
fn conditions_of_others_stay_as_they_are() {
    let (then, now) = (time("2030-01-01T00:00:00Z"), time("2030-01-02T00:00:00Z"));
    let standing = merge(
        &[],
        vec![found("example.com/Seen", Status::True, "Seen")],
        Some(1),
        &then,
    );
    let next = merge(
        &standing,
        vec![found("Ready", Status::True, "Ready")],
        Some(2),
        &now,
    );
    assert_eq!(since(&next), [("Ready", &now), ("example.com/Seen", &then)]);
    assert_eq!(next[1], standing[0]);
}
