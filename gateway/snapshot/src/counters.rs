//! Counters that the request path writes and the renderer sums.
//!
//! ```text
//! worker: WorkerCounters (its own) -> RouteCounters (atomics, one writer) <- Registry (renderer)
//! ```
//!
//! Each worker owns its counters: no cache line is shared between two writers, and no label is
//! looked up but by a route's id. Every table here is bounded.

use std::sync::Arc;

use latchkey_core::{object::RouteLabel, reason::Reason};

/// All workers' counters, as the renderer sees them.
#[derive(Clone, Debug, Default)]
pub struct Registry(Arc<()>);

impl Registry {
    /// The counters of a new worker.
    pub fn worker(&self) -> WorkerCounters {
        unimplemented!()
    }
}

/// One worker's counters.
#[derive(Debug)]
pub struct WorkerCounters(());

impl WorkerCounters {
    /// The counters of a route (`None`: of requests that no rule matched), made at first use.
    pub fn route(&self, label: Option<&Arc<RouteLabel>>) -> Arc<RouteCounters> {
        let _ = label;
        unimplemented!()
    }
}

/// One route's counters in one worker.
#[derive(Debug)]
pub struct RouteCounters(());

impl RouteCounters {
    /// A request began. Pair with exactly one [`RouteCounters::finish`], from a drop guard.
    pub fn start(&self) {
        unimplemented!()
    }
    /// A request ended, however it ended. `code` is the status sent, or 0 where none was.
    pub fn finish(&self, code: u16, reason: Reason, micros: u64) {
        let _ = (code, reason, micros);
        unimplemented!()
    }
}
