//! Durations as Gateway API writes them (GEP-2257): one to four parts, each up to five digits and a unit.

use std::time::Duration;

/// The most parts that a duration has.
const MAX_PARTS: usize = 4;
/// The most digits that a part has, so that the sum fits into any clock.
const MAX_DIGITS: usize = 5;

/// Reads a duration such as `1h30m` or `500ms`; `None` if it is none.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let mut sum = Duration::ZERO;
    let mut rest = text;
    for _ in 0..MAX_PARTS {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if !(1..=MAX_DIGITS).contains(&digits) {
            return None;
        }
        let count: u64 = rest[..digits].parse().ok()?;
        let unit = &rest[digits..];
        let (millis, after) = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]
            .into_iter()
            .find_map(|(name, millis)| Some((millis, unit.strip_prefix(name)?)))?;
        sum += Duration::from_millis(count * millis);
        rest = after;
        if rest.is_empty() {
            return Some(sum);
        }
    }
    None
}

#[cfg(test)]
mod tests;
