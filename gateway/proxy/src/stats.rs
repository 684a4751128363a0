//! Numbers about workers that belong to no route.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use crate::upstream::stats::{UpstreamCounts, UpstreamStats};

/// A time limit at which a client connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Nothing came after it was accepted.
    FirstByte,
    /// No next request came.
    KeepAlive,
    /// The head of a request did not end.
    HeaderRead,
    /// A body stopped, in either direction.
    BodyIdle,
    /// The client does not take its answer.
    WriteStall,
    /// A request could not be told that its upstream does not answer.
    Response,
    /// The client went on sending, or did not close, after it was answered for the last time.
    Linger,
}

impl Limit {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 7] = [
        Self::FirstByte,
        Self::KeepAlive,
        Self::HeaderRead,
        Self::BodyIdle,
        Self::WriteStall,
        Self::Response,
        Self::Linger,
    ];

    /// The text in metrics.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FirstByte => "first_byte",
            Self::KeepAlive => "keep_alive",
            Self::HeaderRead => "header_read",
            Self::BodyIdle => "body_idle",
            Self::WriteStall => "write_stall",
            Self::Response => "response",
            Self::Linger => "linger",
        }
    }
}

/// The sum over all workers, as of some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Client connections that are open.
    pub open_connections: u64,
    /// Client connections since start.
    pub connections: u64,
    /// How often a worker stopped accepting because the process had `max_connections`.
    pub accept_pauses: u64,
    /// Accepts that failed.
    pub accept_errors: u64,
    /// Client connections closed at each [`Limit`], by its discriminant.
    pub timed_out: [u64; Limit::ALL.len()],
    /// Connections to upstreams.
    pub upstream: UpstreamCounts,
}

/// One worker's.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct WorkerStats {
    opened: AtomicU64,
    closed: AtomicU64,
    pauses: AtomicU64,
    errors: AtomicU64,
    timed_out: [AtomicU64; Limit::ALL.len()],
    pub(crate) upstream: UpstreamStats,
}

impl WorkerStats {
    pub(crate) fn opened(&self) {
        self.opened.fetch_add(1, Relaxed);
    }

    pub(crate) fn closed(&self) {
        self.closed.fetch_add(1, Relaxed);
    }

    pub(crate) fn paused(&self) {
        self.pauses.fetch_add(1, Relaxed);
    }

    pub(crate) fn accept_failed(&self) {
        self.errors.fetch_add(1, Relaxed);
    }

    pub(crate) fn timed_out(&self, limit: Limit) {
        self.timed_out[limit as usize].fetch_add(1, Relaxed);
    }
}

/// Adds up.
pub(crate) fn sum(workers: &[Arc<WorkerStats>]) -> Stats {
    let mut stats = Stats::default();
    for worker in workers {
        // Closed before opened, so that no moment shows fewer than none.
        let closed = worker.closed.load(Relaxed);
        let opened = worker.opened.load(Relaxed);
        stats.connections += opened;
        stats.open_connections += opened.saturating_sub(closed);
        stats.accept_pauses += worker.pauses.load(Relaxed);
        stats.accept_errors += worker.errors.load(Relaxed);
        for (sum, count) in stats.timed_out.iter_mut().zip(&worker.timed_out) {
            *sum += count.load(Relaxed);
        }
        worker.upstream.add_to(&mut stats.upstream);
    }
    stats
}
