//! Points in time as look-ups compare them. This crate never asks a clock.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

/// Whole seconds since the Unix epoch. Kubernetes timestamps (`metav1.Time`) have this resolution;
/// files may carry fractions, and which way those round is for the meaning of the field to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnixSeconds(pub i64);

impl UnixSeconds {
    /// The last whole second that is not after `time`: for an `expirationTime` (in doubt it has
    /// passed) and for a `creationTimestamp`.
    pub fn floor(time: &Time) -> Self {
        let (second, fraction) = parts(time);
        Self(if fraction < 0 { second - 1 } else { second })
    }

    /// The first whole second that is not before `time`: for a `notBeforeTime` (in doubt it has not
    /// come).
    pub fn ceil(time: &Time) -> Self {
        let (second, fraction) = parts(time);
        Self(if fraction > 0 { second + 1 } else { second })
    }
}

/// Seconds, rounded towards the epoch, and the sign of the rest. Timestamps end with the year 9999,
/// far from where arithmetic on seconds could overflow.
fn parts(time: &Time) -> (i64, i32) {
    (time.0.as_second(), time.0.subsec_nanosecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_round_so_that_doubt_closes() {
        for (text, floor, ceil) in [
            ("1970-01-01T00:00:00Z", 0, 0),
            ("1970-01-01T00:00:01.000000001Z", 1, 2),
            ("1970-01-01T00:00:01.999Z", 1, 2),
            ("1969-12-31T23:59:59.5Z", -1, 0),
            ("1969-12-31T23:59:59Z", -1, -1),
            ("1969-12-31T23:59:58.5Z", -2, -1),
            ("1970-01-01T01:00:00+01:00", 0, 0),
            ("9999-12-30T22:00:00Z", 253_402_207_200, 253_402_207_200),
        ] {
            let time = Time(text.parse().unwrap());
            assert_eq!(UnixSeconds::floor(&time), UnixSeconds(floor), "floor of {text}");
            assert_eq!(UnixSeconds::ceil(&time), UnixSeconds(ceil), "ceil of {text}");
        }
    }
}
