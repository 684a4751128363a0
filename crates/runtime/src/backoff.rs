//! How long to wait after a failure: longer each time, between two limits, and by chance a little less, so
//! that those who failed together do not come back together. Pure: randomness is an argument.

use std::time::Duration;

/// The longest that a server's own wish is honoured.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);
/// Doublings after which a wait has long reached its longest.
const MAX_DOUBLINGS: u32 = 16;

/// A wait that doubles from the shortest to the longest, and starts again after a success.
#[derive(Clone, Debug)]
pub struct Backoff {
    shortest: Duration,
    longest: Duration,
    failures: u32,
}

impl Backoff {
    /// No failure yet. The limits are the shortest and the longest wait.
    pub fn new((shortest, longest): (Duration, Duration)) -> Self {
        Self {
            shortest,
            longest: longest.max(shortest),
            failures: 0,
        }
    }

    /// The next wait, somewhere between half of what is due and all of it. `retry_after` is what the server
    /// asked for: never less than that, but a little more, or all who were sent away come back at once.
    pub fn next(&mut self, retry_after: Option<Duration>, roll: u64) -> Duration {
        self.failures = (self.failures + 1).min(MAX_DOUBLINGS);
        let wait = wait((self.shortest, self.longest), self.failures, roll);
        retry_after.map_or(wait, |asked| {
            let asked = asked.min(MAX_RETRY_AFTER);
            wait.max(spread(asked, asked + asked / 5, roll))
        })
    }

    /// The wait after something that is meant to last. At least as long as the longest wait, and it had
    /// worked: then it may begin again `at_once`. Shorter, and it is slowed down, for it may end at once
    /// again and again.
    pub fn after(
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

    /// How many failures in a row there were, as far as they count.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// It worked.
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

/// The wait after so many failures in a row, somewhere between half of what is due and all of it.
pub fn wait((shortest, longest): (Duration, Duration), failures: u32, roll: u64) -> Duration {
    let doubled = shortest.saturating_mul(1 << failures.min(MAX_DOUBLINGS));
    let due = doubled.min(longest).max(shortest);
    spread((due / 2).max(shortest), due, roll)
}

/// The interval, give or take a fifth.
pub fn about(interval: Duration, roll: u64) -> Duration {
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

#[cfg(test)]
mod tests;
