use proptest::prelude::*;

use super::*;

/// The test vectors of GEP-2257, and its words on leading zeros and repeated units.
#[test]
fn durations_are_read_as_gateway_api_has_them() {
    for (text, millis) in [
        ("0h", 0),
        ("0s", 0),
        ("0h0m0s", 0),
        ("1h", 3_600_000),
        ("30m", 1_800_000),
        ("10s", 10_000),
        ("500ms", 500),
        ("2h30m", 9_000_000),
        ("150m", 9_000_000),
        ("7230s", 7_230_000),
        ("1h30m10s", 5_410_000),
        ("10s30m1h", 5_410_000),
        ("100ms200ms300ms", 600),
        ("1h2h20m10m", 12_600_000),
        ("00060m", 3_600_000),
        ("99999h99999h99999h99999h", 4 * 99_999 * 3_600_000),
    ] {
        assert_eq!(parse(text), Some(Duration::from_millis(millis)), "{text}");
    }
}

#[test]
fn what_is_no_duration_is_not_guessed_at() {
    for text in [
        "",
        "0",
        "1",
        "1m1",
        "1d",
        "1h30m10s20ms50h",
        "999999h",
        "1.5h",
        "-15m",
        "+1s",
        "1 s",
        " 1s",
        "1s ",
        "s",
        "ms",
        "1S",
        "1us",
        "1hs",
        "\u{661}s",
    ] {
        assert_eq!(parse(text), None, "{text:?}");
    }
}

proptest! {
    #[test]
    fn parts_add_up(parts in prop::collection::vec((0_u64..100_000, 0_usize..4), 1..=4)) {
        let units = [("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)];
        let text: String = parts.iter().map(|(count, unit)| format!("{count}{}", units[*unit].0)).collect();
        let millis = parts.iter().map(|(count, unit)| count * units[*unit].1).sum();
        prop_assert_eq!(parse(&text), Some(Duration::from_millis(millis)), "{}", text);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "[0-9hms.é-]{0,24}") {
        let _ = parse(&text);
    }
}
