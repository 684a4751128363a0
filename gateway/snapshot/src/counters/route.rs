//! One route's counters in one worker, and their sum over workers.

use std::sync::{
    Weak,
    atomic::{
        AtomicU32, AtomicU64,
        Ordering::{Acquire, Relaxed, Release},
    },
};

use latchkey_core::{object::RouteLabel, reason::Reason};

/// Upper bounds of the latency histogram's buckets, in microseconds; one more bucket is above all.
pub const LATENCY_BOUNDS_MICROS: [u64; 13] = [
    1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
    10_000_000,
];
const BUCKETS: usize = LATENCY_BOUNDS_MICROS.len() + 1;

/// How many pairs of code and reason a worker tells apart on one route. An upstream may answer with
/// any code: what comes after the cells are taken is counted as "other".
const CELLS: usize = 16;

/// One route's counters in one worker. Only that worker writes them.
///
/// Aligned so that two workers' counters never share a cache line (nor a pair of them).
#[derive(Debug)]
#[repr(align(128))]
pub struct RouteCounters {
    pub(super) label: Weak<RouteLabel>,
    started: AtomicU64,
    finished: AtomicU64,
    sum_micros: AtomicU64,
    buckets: [AtomicU64; BUCKETS],
    /// An open-addressing table; keys are [`cell_key`]s, 0 where a cell is free.
    keys: [AtomicU32; CELLS],
    counts: [AtomicU64; CELLS],
    other: AtomicU64,
}

impl RouteCounters {
    pub(super) fn new(label: Weak<RouteLabel>) -> Self {
        Self {
            label,
            started: AtomicU64::default(),
            finished: AtomicU64::default(),
            sum_micros: AtomicU64::default(),
            buckets: Default::default(),
            keys: Default::default(),
            counts: Default::default(),
            other: AtomicU64::default(),
        }
    }

    /// A request began. Pair with exactly one [`RouteCounters::finish`], from a drop guard.
    pub fn start(&self) {
        add(&self.started, 1);
    }

    /// A request ended, however it ended. `code` is the status sent, or 0 where none was.
    pub fn finish(&self, code: u16, reason: Reason, micros: u64) {
        add(self.cell(code, reason), 1);
        add(&self.sum_micros, micros);
        let bucket = LATENCY_BOUNDS_MICROS.partition_point(|bound| *bound < micros);
        add(&self.buckets[bucket], 1);
        // Last, and released: who sees this end sees its start too.
        self.finished
            .store(self.finished.load(Relaxed).wrapping_add(1), Release);
    }

    fn cell(&self, code: u16, reason: Reason) -> &AtomicU64 {
        let key = cell_key(code, reason);
        let start = usize::from(code) + reason as usize;
        for probe in 0..CELLS {
            let at = (start + probe) % CELLS;
            let held = self.keys[at].load(Relaxed);
            if held == 0 {
                self.keys[at].store(key, Release);
            }
            if held == 0 || held == key {
                return &self.counts[at];
            }
        }
        &self.other
    }
}

/// Adds without a locked instruction: there is one writer.
fn add(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(n), Relaxed);
}

const CELL_TAKEN: u32 = 1 << 31;

fn cell_key(code: u16, reason: Reason) -> u32 {
    CELL_TAKEN | u32::from(code) << 8 | reason as u32
}

/// How many requests ended with one status code and for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RequestCount {
    /// The status sent, or 0 where none was.
    pub code: u16,
    /// Why.
    pub reason: Reason,
    /// How many.
    pub count: u64,
}

/// One route's counters, summed over workers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouteTotals {
    /// Ended requests, by code and reason in this order.
    pub requests: Vec<RequestCount>,
    /// Ended requests beyond the pairs of code and reason that are told apart: label them "other".
    pub other: u64,
    /// Requests that began and have not ended.
    pub in_flight: u64,
    /// Ended requests by duration: at most the bound of [`LATENCY_BOUNDS_MICROS`] and more than the
    /// one before. Not cumulative; the last is above all bounds.
    pub buckets: [u64; BUCKETS],
    /// Sum of all durations.
    pub sum_micros: u64,
}

impl RouteTotals {
    /// All ended requests: the histogram's count.
    pub fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }

    pub(super) fn add(&mut self, counters: &RouteCounters) {
        // Ends before starts: a request that does both meanwhile must not make the gauge negative.
        let finished = counters.finished.load(Acquire);
        let started = counters.started.load(Relaxed);
        self.in_flight += started.saturating_sub(finished);
        self.sum_micros += counters.sum_micros.load(Relaxed);
        self.other += counters.other.load(Relaxed);
        for (sum, bucket) in self.buckets.iter_mut().zip(&counters.buckets) {
            *sum += bucket.load(Relaxed);
        }
        for (key, count) in counters.keys.iter().zip(&counters.counts) {
            let (key, count) = (key.load(Acquire), count.load(Relaxed));
            if key != 0 && count > 0 {
                self.add_requests(key, count);
            }
        }
    }

    fn add_requests(&mut self, key: u32, count: u64) {
        let [_, high, low, reason] = key.to_be_bytes();
        let code = u16::from_be_bytes([high, low]);
        let Some(&reason) = Reason::ALL.get(usize::from(reason)) else {
            return;
        };
        let place = self
            .requests
            .binary_search_by_key(&(code, reason), |held| (held.code, held.reason));
        match place {
            Ok(at) => self.requests[at].count += count,
            Err(at) => self.requests.insert(at, RequestCount { code, reason, count }),
        }
    }
}
