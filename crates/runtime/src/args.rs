//! Values of flags that several binaries take. Owns their syntax, never their defaults.

use std::time::Duration;

/// How many parts a duration may have, and how many digits a part: together they cannot overflow.
const MAX_PARTS: usize = 4;
const MAX_DIGITS: usize = 5;

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a duration: {problem}; write whole numbers with their units, as in 500ms, 10s, 1m30s or 2h"
)]
pub struct DurationError {
    text: String,
    problem: &'static str,
}

/// A duration as Gateway API writes them (GEP-2257): one to four of `<1 to 5 digits><h|m|s|ms>`.
///
/// # Errors
/// The text is something else.
pub fn duration(text: &str) -> Result<Duration, DurationError> {
    parse(text).map_err(|problem| DurationError {
        text: text.to_owned(),
        problem,
    })
}

fn parse(text: &str) -> Result<Duration, &'static str> {
    if text.is_empty() {
        return Err("it is empty");
    }
    let (mut rest, mut total) = (text, Duration::ZERO);
    for _ in 0..MAX_PARTS {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err("a number is missing");
        }
        if digits > MAX_DIGITS {
            return Err("a number has more than five digits");
        }
        let (number, after) = rest.split_at(digits);
        let number: u64 = number.parse().map_err(|_| "a number is missing")?;
        let letters = after.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (unit, after) = after.split_at(letters);
        total += match unit {
            "ms" => Duration::from_millis(number),
            "s" => Duration::from_secs(number),
            "m" => Duration::from_secs(number * 60),
            "h" => Duration::from_secs(number * 3600),
            "" => return Err("a number has no unit"),
            _ => return Err("a unit is none of ms, s, m, h"),
        };
        if after.is_empty() {
            return Ok(total);
        }
        rest = after;
    }
    Err("it has more than four parts")
}

#[cfg(test)]
mod tests;
