//! How far this process's clock is from the API server's, as far as `Date` headers tell.
//!
//! ```text
//! sent ----- the server's clock shows Date, cut to whole seconds ----- received
//! ```
//!
//! The server made its header at a moment between the two, and cut off less than a second: each answer
//! gives a lower and an upper bound, and some answers together narrow ones. Pure: readings of clocks are
//! arguments.

use std::{
    collections::VecDeque,
    time::{Duration, SystemTime},
};

/// What a `Date` header does not tell (RFC 9110, section 5.6.7).
const RESOLUTION: f64 = 1.0;
/// How many answers count: few, so that a clock that was set shows soon.
const ANSWERS: usize = 6;
/// From how many seconds on people should know.
const ALARMING: f64 = 5.0;

/// The last answers' bounds.
#[derive(Debug, Default)]
pub(super) struct Skew {
    /// Of local minus server time, in seconds; the newest last.
    bounds: VecDeque<(f64, f64)>,
    alarmed: bool,
}

/// What is news about a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum News {
    /// It is this many seconds from the server's, or more.
    Apart(f64),
    /// It is near again.
    Near,
}

impl Skew {
    /// An answer that was asked for and came at these times of the local clock, and bears this `Date`.
    pub(super) fn observe(
        &mut self,
        sent: SystemTime,
        received: SystemTime,
        date: SystemTime,
    ) -> Option<News> {
        // A clock that was put back in between tells nothing.
        received.duration_since(sent).ok()?;
        self.bounds
            .push_back((seconds(date, sent) - RESOLUTION, seconds(date, received)));
        if self.bounds.len() > ANSWERS {
            self.bounds.pop_front();
        }
        // Answers that contradict the newest stem from before a clock was set.
        while self.common().is_none_or(|(low, high)| low > high) && self.bounds.len() > 1 {
            self.bounds.pop_front();
        }
        let skew = self.seconds()?;
        let alarming = skew.abs() >= ALARMING;
        if std::mem::replace(&mut self.alarmed, alarming) == alarming {
            return None;
        }
        Some(if alarming { News::Apart(skew) } else { News::Near })
    }

    /// Local minus server time in seconds: the value nearest to zero that no answer contradicts, so zero
    /// while the clocks cannot be told apart. `None` before the first answer.
    pub(super) fn seconds(&self) -> Option<f64> {
        let (low, high) = self.common()?;
        Some(if low > 0.0 {
            low
        } else if high < 0.0 {
            high
        } else {
            0.0
        })
    }

    fn common(&self) -> Option<(f64, f64)> {
        let all = self.bounds.iter().copied();
        all.reduce(|(low, high), (other_low, other_high)| (low.max(other_low), high.min(other_high)))
    }
}

/// From one time to another, negative if that is earlier.
fn seconds(from: SystemTime, to: SystemTime) -> f64 {
    match to.duration_since(from) {
        Ok(ahead) => ahead.as_secs_f64(),
        Err(error) => -Duration::as_secs_f64(&error.duration()),
    }
}

#[cfg(test)]
mod tests;
