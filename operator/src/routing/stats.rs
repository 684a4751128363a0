//! What the writing of routing's statuses did, as numbers for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::kinds::Subject;
use crate::status::Written;

/// What became of a status write that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Outcome {
    /// It stands.
    Done,
    /// The object had changed: computed again.
    Conflict,
    /// The object is gone.
    Gone,
    /// It failed and is tried again.
    Failed,
}

impl Outcome {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 4] = [Self::Done, Self::Conflict, Self::Gone, Self::Failed];

    /// The text in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Conflict => "conflict",
            Self::Gone => "gone",
            Self::Failed => "failed",
        }
    }

    /// `None`: nothing was sent.
    pub(super) fn of(written: &Written) -> Option<Self> {
        match written {
            Written::Done(_) => Some(Self::Done),
            Written::Conflict => Some(Self::Conflict),
            Written::Gone => Some(Self::Gone),
            Written::Failed(_) => Some(Self::Failed),
            Written::NotLeading => None,
        }
    }
}

/// Counters since the start. Written by the loop, read by anybody.
#[derive(Debug, Default)]
pub struct Stats {
    writes: [[AtomicU64; Outcome::ALL.len()]; Subject::ALL.len()],
    waiting: AtomicU64,
}

impl Stats {
    /// Status writes of objects of a kind that ended so.
    pub fn writes(&self, subject: Subject, outcome: Outcome) -> u64 {
        self.writes[subject as usize][outcome as usize].load(Relaxed)
    }

    /// Objects whose status is to be looked at, is being written, or waits for another try.
    pub fn waiting(&self) -> u64 {
        self.waiting.load(Relaxed)
    }

    pub(super) fn wrote(&self, subject: Subject, outcome: Outcome) {
        self.writes[subject as usize][outcome as usize].fetch_add(1, Relaxed);
    }

    pub(super) fn wait(&self, waiting: usize) {
        self.waiting
            .store(u64::try_from(waiting).unwrap_or(u64::MAX), Relaxed);
    }
}
