//! The times that our kinds may name: as a CEL rule for the API server and as a function for objects that
//! it never checked. It does not say what a time means.

use std::ops::RangeInclusive;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::core::Rule;

/// Times that this product can hold, which are fewer than those that the format `date-time` admits.
pub(crate) struct Span {
    /// The same in CEL, which sees a time as a timestamp.
    cel: &'static str,
    /// In seconds since the Unix epoch.
    seconds: RangeInclusive<i64>,
    /// What to write instead. Follows the field's path.
    pub(crate) message: &'static str,
}

/// [`Time`] can be read up to some hours after this span.
pub(crate) const SPAN: Span = Span {
    cel: "self >= timestamp('0001-01-01T00:00:00Z') && self <= timestamp('9999-12-30T00:00:00Z')",
    seconds: -62_135_596_800..=253_402_128_000,
    message: "must lie between 0001-01-01 and 9999-12-30; leave it out for never",
};

impl Span {
    /// The rule for a time.
    pub(crate) fn rule(&self) -> Rule {
        Rule::new(self.cel).message(self.message)
    }

    /// Whether it holds a time.
    pub(crate) fn holds(&self, time: &Time) -> bool {
        let nanos = |seconds: &i64| i128::from(*seconds) * 1_000_000_000;
        let time = time.0.as_nanosecond();
        nanos(self.seconds.start()) <= time && time <= nanos(self.seconds.end())
    }
}

/// What is wrong with a text that cannot be read as a time, and what to write instead.
pub(crate) fn problem(text: &str) -> &'static str {
    let reads = |text: String| text.parse().map(Time).is_ok();
    let a_year_earlier = text.strip_prefix("9999").map(|rest| format!("9998{rest}"));
    let whole_seconds = text.split_once('.').map(|(seconds, rest)| {
        let offset = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
        format!("{seconds}{offset}")
    });
    if a_year_earlier.is_some_and(reads) {
        SPAN.message
    } else if whole_seconds.is_some_and(reads) {
        "has more than nine digits of a second's fraction; write whole seconds"
    } else {
        "is no time; write it like 2030-01-31T12:00:00Z (RFC 3339)"
    }
}
