//! What became of status writes, as numbers for metrics: one closed set for every kind of object.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Written;

/// What became of a status write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Outcome {
    /// It stands.
    Done,
    /// The object had changed: computed again.
    Conflict,
    /// The object is gone.
    Gone,
    /// It was not sent, for this process no longer led.
    NotLeading,
    /// It failed and is tried again.
    Failed,
}

impl Outcome {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 5] = [
        Self::Done,
        Self::Conflict,
        Self::Gone,
        Self::NotLeading,
        Self::Failed,
    ];

    /// The text in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Conflict => "conflict",
            Self::Gone => "gone",
            Self::NotLeading => "not_leading",
            Self::Failed => "failed",
        }
    }
}

impl From<&Written> for Outcome {
    fn from(written: &Written) -> Self {
        match written {
            Written::Done(_) => Self::Done,
            Written::Conflict => Self::Conflict,
            Written::Gone => Self::Gone,
            Written::NotLeading => Self::NotLeading,
            Written::Failed(_) => Self::Failed,
        }
    }
}

/// Status writes of one kind since the start, by what became of them.
#[derive(Debug, Default)]
pub(crate) struct Writes([AtomicU64; Outcome::ALL.len()]);

impl Writes {
    pub(crate) fn ended(&self, outcome: Outcome) -> u64 {
        self.0[outcome as usize].load(Relaxed)
    }

    pub(crate) fn end(&self, written: &Written) {
        self.0[Outcome::from(written) as usize].fetch_add(1, Relaxed);
    }
}
