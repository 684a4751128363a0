//! Numbers about workers that belong to no route.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use crate::upstream::stats::{UpstreamCounts, UpstreamStats};

/// The sum over all workers, as of some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Client connections that are open.
    pub open_connections: u64,
    /// Client connections since start.
    pub connections: u64,
    /// How often a worker stopped accepting because it had `max_connections`.
    pub accept_pauses: u64,
    /// Accepts that failed.
    pub accept_errors: u64,
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
        worker.upstream.add_to(&mut stats.upstream);
    }
    stats
}
