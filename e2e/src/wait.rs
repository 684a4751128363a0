//! Waiting for conditions. Nothing in the suite sleeps and hopes: it asks until the answer is
//! there, and says what it saw last when the deadline passes.

use std::time::{Duration, Instant};

/// How long any condition may take. Generous, since it is only reached when something is broken.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Asks until the condition gives a value. An `Err` is what was seen instead.
pub fn eventually<T>(what: &str, condition: impl FnMut() -> Result<T, String>) -> T {
    eventually_within(PATIENCE, what, condition)
}

/// [`eventually`] with a deadline of its own.
pub fn eventually_within<T>(
    deadline: Duration,
    what: &str,
    mut condition: impl FnMut() -> Result<T, String>,
) -> T {
    let start = Instant::now();
    loop {
        let seen = match condition() {
            Ok(value) => return value,
            Err(seen) => seen,
        };
        assert!(
            start.elapsed() < deadline,
            "{what}: not within {deadline:?}; last seen: {seen}"
        );
        pause(Duration::from_millis(2));
    }
}

/// The time between two looks at a condition, or between two bytes of a deliberately slow peer.
#[allow(
    clippy::disallowed_methods,
    reason = "the one place where a test thread may block on time: every caller loops on a condition or plays a slow peer"
)]
pub fn pause(time: Duration) {
    std::thread::sleep(time);
}
