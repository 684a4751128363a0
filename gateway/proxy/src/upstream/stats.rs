//! Numbers about a worker's connections to upstreams.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The sum over all workers, as of some moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpstreamCounts {
    /// Connections that are open, or being opened.
    pub open: u64,
    /// Connections since start, with those that could not be made.
    pub connections: u64,
    /// Attempts to connect that failed.
    pub connect_failures: u64,
    /// Requests that were sent once more.
    pub retries: u64,
    /// Requests that wait because of a limit on open connections.
    pub waiting: u64,
    /// Requests that waited so, since start.
    pub waits: u64,
    /// Requests that were refused because none became free in time, or too many waited already.
    pub refusals: u64,
    /// Times that an endpoint was left out because it could not be connected to.
    pub ejections: u64,
    /// Endpoints that are left out, as each worker sees it.
    pub out: u64,
}

/// One worker's.
#[derive(Debug, Default)]
pub(crate) struct UpstreamStats {
    opened: AtomicU64,
    closed: AtomicU64,
    connect_failures: AtomicU64,
    retries: AtomicU64,
    joined: AtomicU64,
    left: AtomicU64,
    refusals: AtomicU64,
    ejections: AtomicU64,
    out: AtomicU64,
}

impl UpstreamStats {
    pub(crate) fn opened(&self) {
        self.opened.fetch_add(1, Relaxed);
    }

    pub(crate) fn closed(&self) {
        self.closed.fetch_add(1, Relaxed);
    }

    pub(crate) fn connect_failed(&self) {
        self.connect_failures.fetch_add(1, Relaxed);
    }

    pub(crate) fn retried(&self) {
        self.retries.fetch_add(1, Relaxed);
    }

    pub(crate) fn joined(&self) {
        self.joined.fetch_add(1, Relaxed);
    }

    pub(crate) fn left(&self) {
        self.left.fetch_add(1, Relaxed);
    }

    pub(crate) fn refused(&self) {
        self.refusals.fetch_add(1, Relaxed);
    }

    pub(crate) fn ejected(&self) {
        self.ejections.fetch_add(1, Relaxed);
    }

    pub(crate) fn out(&self, count: usize) {
        self.out.store(count as u64, Relaxed);
    }

    /// Adds this worker's to a sum.
    pub(crate) fn add_to(&self, sum: &mut UpstreamCounts) {
        // Ends before beginnings, so that no moment shows fewer than none.
        let closed = self.closed.load(Relaxed);
        let opened = self.opened.load(Relaxed);
        let left = self.left.load(Relaxed);
        let joined = self.joined.load(Relaxed);
        sum.open += opened.saturating_sub(closed);
        sum.connections += opened;
        sum.connect_failures += self.connect_failures.load(Relaxed);
        sum.retries += self.retries.load(Relaxed);
        sum.waiting += joined.saturating_sub(left);
        sum.waits += joined;
        sum.refusals += self.refusals.load(Relaxed);
        sum.ejections += self.ejections.load(Relaxed);
        sum.out += self.out.load(Relaxed);
    }
}
