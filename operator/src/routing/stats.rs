//! What the writing of routing's statuses did, as numbers for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::kinds::Subject;
use crate::status::{Outcome, Writes, Written};

/// Counters since the start. Written by the loop, read by anybody.
#[derive(Debug, Default)]
pub struct Stats {
    writes: [Writes; Subject::ALL.len()],
    waiting: AtomicU64,
}

impl Stats {
    /// Status writes of objects of a kind that ended so.
    pub fn writes(&self, subject: Subject, outcome: Outcome) -> u64 {
        self.writes[subject as usize].ended(outcome)
    }

    /// Objects whose status is to be looked at, is being written, or waits for another try.
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Relaxed)
    }

    pub(super) fn wrote(&self, subject: Subject, written: &Written) {
        self.writes[subject as usize].end(written);
    }

    pub(super) fn wait(&self, waiting: usize) {
        self.waiting
            .store(u64::try_from(waiting).unwrap_or(u64::MAX), Relaxed);
    }
}
