//! How long to wait after a failure. Pure: randomness is an argument.

use std::time::Duration;

/// The longest that a server's own wish is honoured.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);
/// Doublings after which a wait has long reached its longest.
const MAX_DOUBLINGS: u32 = 16;

/// A wait that doubles from the shortest to the longest, and starts again after a success.
#[derive(Clone, Debug)]
pub(super) struct Backoff {
    shortest: Duration,
    longest: Duration,
    failures: u32,
}

impl Backoff {
    pub(super) fn new((shortest, longest): (Duration, Duration)) -> Self {
        Self {
            shortest,
            longest: longest.max(shortest),
            failures: 0,
        }
    }

    /// The next wait, somewhere between half of what is due and all of it. `retry_after` is what the server
    /// asked for: never less than that, but a little more, or all who were sent away come back at once.
    pub(super) fn next(&mut self, retry_after: Option<Duration>, roll: u64) -> Duration {
        self.failures = (self.failures + 1).min(MAX_DOUBLINGS);
        let due = self.shortest.saturating_mul(1 << self.failures).min(self.longest);
        let least = (due / 2).max(self.shortest);
        let wait = spread(least, due, roll);
        retry_after.map_or(wait, |asked| {
            let asked = asked.min(MAX_RETRY_AFTER);
            wait.max(spread(asked, asked + asked / 5, roll))
        })
    }

    /// The wait after something that is meant to last. At least as long as the longest wait, and it had
    /// worked: then it may begin again `at_once`. Shorter, and it is slowed down, for it may end at once
    /// again and again.
    pub(super) fn after(
        &mut self,
        lasted: Duration,
        at_once: bool,
        retry_after: Option<Duration>,
        roll: u64,
    ) -> Duration {
        let worked = lasted >= self.longest;
        if worked {
            self.reset();
        }
        if worked && at_once {
            Duration::ZERO
        } else {
            self.next(retry_after, roll)
        }
    }

    pub(super) fn reset(&mut self) {
        self.failures = 0;
    }
}

/// The interval, give or take a fifth.
pub(super) fn about(interval: Duration, roll: u64) -> Duration {
    spread(
        interval - interval / 5,
        interval.saturating_add(interval / 5),
        roll,
    )
}

fn spread(least: Duration, most: Duration, roll: u64) -> Duration {
    /// Steps of a spread: fine enough for waits of hours.
    const STEPS: u64 = 1 << 16;
    let step = u32::try_from(roll % STEPS).unwrap_or_default();
    let width = most.saturating_sub(least);
    // Divided first, so that nothing overflows.
    least + (width / (1 << 16)).saturating_mul(step)
}

/// SplitMix64 (Steele, Lea, Flood 2014): good enough to spread waits, and nothing else.
pub(super) fn mix(state: u64) -> u64 {
    let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What is added to SplitMix64's state for each number.
pub(super) const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

#[cfg(test)]
mod tests;
