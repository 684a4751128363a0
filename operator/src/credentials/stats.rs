//! What the reconciliation of Credentials did and holds, as numbers for metrics.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tokio::sync::watch;

use crate::status::{self, Writes, Written};

/// How a reconciliation of one Credential ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Outcome {
    /// Its status was written.
    Written,
    /// Its status says already what it must.
    Unchanged,
    /// It is gone or going: there is nothing to say.
    Gone,
    /// Something newer is to be waited for: it is computed again.
    Superseded,
    /// A read or a write failed: it is tried again.
    Failed,
}

impl Outcome {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 5] = [
        Self::Written,
        Self::Unchanged,
        Self::Gone,
        Self::Superseded,
        Self::Failed,
    ];

    /// The text in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Unchanged => "unchanged",
            Self::Gone => "gone",
            Self::Superseded => "superseded",
            Self::Failed => "failed",
        }
    }
}

/// Credentials by what their status says of `Ready`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// `True`.
    pub ready: u64,
    /// `False`.
    pub not_ready: u64,
    /// `Unknown`.
    pub unknown: u64,
    /// Nothing yet.
    pub unsaid: u64,
}

/// What is held now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Credentials by `Ready`.
    pub credentials: Readiness,
    /// Credentials that cannot be decoded.
    pub undecodable: u64,
    /// Waiting in the lane of what just changed.
    pub queue_fresh: u64,
    /// Waiting in the lane of what a list or a new leader brings up.
    pub queue_backlog: u64,
    /// Waiting for a retry.
    pub queue_delayed: u64,
    /// How long the one that waits longest in a lane has waited, in milliseconds.
    pub queue_age_ms: u64,
}

/// Counters since the start, and what is held now. Written by the loop, read by anybody.
#[derive(Debug, Default)]
pub struct Stats {
    reconciles: [AtomicU64; Outcome::ALL.len()],
    secret_reads: AtomicU64,
    writes: Writes,
    blocks_refused: AtomicU64,
    held: watch::Sender<Held>,
}

impl Stats {
    /// How many reconciliations ended so.
    pub fn reconciles(&self, outcome: Outcome) -> u64 {
        self.reconciles[outcome as usize].load(Relaxed)
    }

    /// Secrets read from the API server.
    pub fn secret_reads(&self) -> u64 {
        self.secret_reads.load(Relaxed)
    }

    /// Status writes that ended so.
    pub fn writes(&self, outcome: status::Outcome) -> u64 {
        self.writes.ended(outcome)
    }

    /// Blocks of ours that were replaced because nobody but a stranger can have put them there: forged,
    /// copied from a neighbour, or an older one put back.
    pub fn blocks_refused(&self) -> u64 {
        self.blocks_refused.load(Relaxed)
    }

    /// What is held now.
    pub fn held(&self) -> Held {
        *self.held.borrow()
    }

    pub(super) fn ended(&self, outcome: Outcome) {
        self.reconciles[outcome as usize].fetch_add(1, Relaxed);
    }

    pub(super) fn secret_read(&self) {
        self.secret_reads.fetch_add(1, Relaxed);
    }

    pub(super) fn wrote(&self, written: &Written) {
        self.writes.end(written);
    }

    pub(super) fn refused(&self, blocks: u64) {
        self.blocks_refused.fetch_add(blocks, Relaxed);
    }

    pub(super) fn hold(&self, now: Held) {
        self.held.send_replace(now);
    }
}
