//! How long ago the source of what is known was last heard of, and whether that is too long to go on
//! letting credentials in.
//!
//! One writer, and workers that read one number; without a limit they read nothing.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

/// Whether what is known is fresh enough.
#[derive(Clone, Debug, Default)]
pub struct Freshness(Option<Arc<Limit>>);

#[derive(Debug)]
struct Limit {
    longest: Duration,
    began: Instant,
    /// When the source was last heard of, in milliseconds after the beginning.
    heard: AtomicU64,
}

impl Freshness {
    /// What is known is fresh until nothing was heard for longer than this. The default has no limit.
    pub fn within(longest: Duration) -> Self {
        Self(Some(Arc::new(Limit {
            longest,
            began: Instant::now(),
            heard: AtomicU64::new(0),
        })))
    }

    /// Whether there is a limit, so that somebody must tell.
    pub fn is_limited(&self) -> bool {
        self.0.is_some()
    }

    /// The source was heard of so long ago.
    pub fn heard(&self, ago: Duration) {
        if let Some(limit) = &self.0 {
            let at = limit.began.elapsed().saturating_sub(ago);
            let millis = u64::try_from(at.as_millis()).unwrap_or(u64::MAX);
            limit.heard.store(millis, Relaxed);
        }
    }

    /// Whether nothing was heard for too long.
    pub(crate) fn is_stale(&self) -> bool {
        self.0.as_ref().is_some_and(|limit| {
            let heard = Duration::from_millis(limit.heard.load(Relaxed));
            limit.began.elapsed().saturating_sub(heard) > limit.longest
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn without_a_limit_nothing_is_stale() {
        let freshness = Freshness::default();
        freshness.heard(HOUR);
        assert!(!freshness.is_stale());
        assert!(!freshness.is_limited());
    }

    #[test]
    fn what_was_not_heard_of_for_longer_than_the_limit_is_stale_until_it_is_heard_of() {
        let freshness = Freshness::within(HOUR);
        assert!(!freshness.is_stale(), "the beginning counts");
        let none = Freshness::within(Duration::ZERO);
        while !none.is_stale() {
            std::thread::yield_now();
        }
        let worker = freshness.clone();
        freshness.heard(Duration::ZERO);
        assert!(!worker.is_stale());
    }
}
