use super::*;

#[test]
fn whole_numbers_with_units_are_durations() {
    for (text, millis) in [
        ("0s", 0),
        ("500ms", 500),
        ("10s", 10_000),
        ("1m", 60_000),
        ("1m30s", 90_000),
        ("2h", 7_200_000),
        ("1h1m1s1ms", 3_661_001),
        ("99999h99999h99999h99999h", 99_999 * 4 * 3_600_000),
    ] {
        assert_eq!(duration(text).unwrap(), Duration::from_millis(millis), "{text}");
    }
}

#[test]
fn anything_else_is_refused_with_its_problem_and_the_remedy() {
    for (text, problem) in [
        ("", "is empty"),
        ("10", "no unit"),
        ("s", "number is missing"),
        ("-1s", "number is missing"),
        ("1.5s", "no unit"),
        (" 1s", "number is missing"),
        ("1s ", "number is missing"),
        ("1d", "none of ms, s, m, h"),
        ("1S", "none of ms, s, m, h"),
        ("123456s", "more than five digits"),
        ("1h1m1s1ms1s", "more than four parts"),
        ("1µs", "no unit"),
    ] {
        let message = duration(text).unwrap_err().to_string();
        assert!(message.contains(problem), "{text}: {message}");
        assert!(message.contains("1m30s"), "{text}: {message}");
    }
}
