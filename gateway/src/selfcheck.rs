//! The self-check of the index, in time: when a round begins, how much of it is done at once, and how
//! long others go first.
//!
//! ```text
//! control thread: events, commits -> nothing waits, and a slice is due -> SelfCheck::slice -> Index::check
//!                                                                     `- a repair: counted, logged
//! ```
//!
//! What is compared, and how it is repaired, is the index's. Whoever calls has looked whether anything
//! else is waiting: an event waits for one slice at most, unless that finds a fault.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use latchkey_index::{Checked, Differences};

/// How long a slice should take: half of what an event may wait for it.
const TARGET: Duration = Duration::from_micros(500);
/// The time between two slices of a round, so that a round of many takes little of a core.
const REST: Duration = Duration::from_millis(10);
/// What the first slice looks at, before anything was measured.
const FIRST: usize = 64;
/// What a slice looks at, at most.
const MOST: usize = 65_536;

/// What others may know of the self-check, without waiting for its thread.
#[derive(Debug, Default)]
pub struct CheckStats {
    /// Rounds that were finished since start.
    pub checks: AtomicU64,
    /// Those that found a fault and repaired it.
    pub repairs: AtomicU64,
}

/// The self-check of one index.
#[derive(Debug)]
pub struct SelfCheck {
    pace: Option<Pace>,
    stats: Arc<CheckStats>,
}

/// When the next slice is due, and how much it looks at.
#[derive(Clone, Copy, Debug)]
struct Pace {
    interval: Duration,
    /// `None`: not before the end of time.
    due: Option<Instant>,
    /// When the round that is under way began.
    begun: Option<Instant>,
    at_most: usize,
}

impl SelfCheck {
    /// The first round begins an interval from now; none ever does if that is zero.
    pub fn every(interval: Duration, now: Instant) -> Self {
        Self {
            pace: (!interval.is_zero()).then(|| Pace::new(interval, now)),
            stats: Arc::default(),
        }
    }

    /// Nothing is ever checked.
    pub fn off() -> Self {
        Self {
            pace: None,
            stats: Arc::default(),
        }
    }

    /// Where its numbers are.
    pub fn stats(&self) -> Arc<CheckStats> {
        self.stats.clone()
    }

    /// When the next slice is due, if one is ever.
    pub fn due(&self) -> Option<Instant> {
        self.pace?.due
    }

    /// Does a slice; `check` is [`latchkey_index::Index::check`]. Says whether something was repaired: a
    /// commit must follow.
    pub fn slice(&mut self, check: impl FnOnce(usize) -> Checked) -> bool {
        let Some(pace) = &mut self.pace else {
            return false;
        };
        let begun = Instant::now();
        let checked = check(pace.at_most);
        pace.took(&checked, begun, Instant::now());
        self.stats.checks.fetch_add(u64::from(checked.finished), Relaxed);
        let Some(differences) = checked.repaired else {
            return false;
        };
        self.stats.repairs.fetch_add(1, Relaxed);
        report(&differences);
        true
    }
}

impl Pace {
    fn new(interval: Duration, now: Instant) -> Self {
        Self {
            interval,
            due: now.checked_add(interval),
            begun: None,
            at_most: FIRST,
        }
    }

    /// A slice was done in that time.
    fn took(&mut self, checked: &Checked, begun: Instant, ended: Instant) {
        let round = *self.begun.get_or_insert(begun);
        let rested = ended + REST;
        let next_round = |since: Instant| since.checked_add(self.interval).map(|due| due.max(rested));
        if checked.finished {
            self.due = next_round(round);
            self.begun = None;
        } else if checked.examined == 0 {
            // A first commit is yet to come.
            self.due = next_round(ended);
            self.begun = None;
        } else {
            self.due = Some(rested);
        }
        // A repair takes as long as it takes, and says nothing of what the next slice will.
        if checked.repaired.is_none() {
            self.at_most = adapted(self.at_most, checked.examined, ended - begun);
        }
    }
}

/// How much to look at next, after so much of so much was looked at in that time.
fn adapted(at_most: usize, examined: usize, took: Duration) -> usize {
    if took > TARGET {
        let times_too_long = took.as_nanos().div_ceil(TARGET.as_nanos());
        let less = usize::try_from(times_too_long).map_or(0, |times| at_most / times);
        less.max(1)
    } else if took <= TARGET / 2 && examined >= at_most {
        (at_most * 2).min(MOST)
    } else {
        at_most
    }
}

fn report(differences: &Differences) {
    tracing::error!(
        %differences,
        "the index was not what its objects say, and was built anew from them; requests are answered by \
         these again. Report this line with those before it; where it comes on one machine alone, test its \
         memory"
    );
}

#[cfg(test)]
mod tests;
