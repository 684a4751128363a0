//! What happened, for metrics: counters by collection, and those of the contact.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Why a watch was not simply read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The server ended it, as it does when its time is over.
    Ended,
    /// Silence, or an end that did not come.
    Timeout,
    /// The connection broke or could not be had.
    Transport,
    /// The server has forgotten the version (410).
    Gone,
    /// The server refused.
    Refused,
    /// What came could not be read.
    Unreadable,
    /// It was time to list again.
    Interval,
    /// The server's store was put back.
    Rollback,
}

impl Cause {
    /// All of them, in order.
    pub const ALL: [Self; 8] = [
        Self::Ended,
        Self::Timeout,
        Self::Transport,
        Self::Gone,
        Self::Refused,
        Self::Unreadable,
        Self::Interval,
        Self::Rollback,
    ];

    /// As a metric's label.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ended => "ended",
            Self::Timeout => "timeout",
            Self::Transport => "transport",
            Self::Gone => "gone",
            Self::Refused => "refused",
            Self::Unreadable => "unreadable",
            Self::Interval => "interval",
            Self::Rollback => "rollback",
        }
    }
}

/// What happened in a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By plural name; watches of several namespaces together.
    pub collections: BTreeMap<&'static str, CollectionCounts>,
    /// Successful contacts.
    pub contacts: u64,
    /// Failed ones.
    pub contact_failures: u64,
    /// How often the server's store was found put back.
    pub rollbacks: u64,
}

/// What happened in a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionCounts {
    /// Complete lists.
    pub lists: u64,
    /// Lists that broke or were refused.
    pub list_failures: u64,
    /// Changes that a watch told.
    pub events: u64,
    /// Ends of watches by cause, all of [`Cause::ALL`].
    pub restarts: BTreeMap<Cause, u64>,
    /// The version that was seen last; 0 before the first.
    pub revision: u64,
    /// Watches that run.
    pub watches: u64,
    /// How many of them work now.
    pub working: u64,
}

#[derive(Default)]
pub(super) struct Counters {
    collections: Mutex<BTreeMap<&'static str, Arc<Record>>>,
    pub(super) contacts: AtomicU64,
    pub(super) contact_failures: AtomicU64,
    pub(super) rollbacks: AtomicU64,
}

/// The counters of one collection.
#[derive(Default)]
pub(super) struct Record {
    pub(super) lists: AtomicU64,
    pub(super) list_failures: AtomicU64,
    pub(super) events: AtomicU64,
    pub(super) revision: AtomicU64,
    restarts: [AtomicU64; Cause::ALL.len()],
    watches: AtomicU64,
    working: AtomicU64,
}

impl Counters {
    pub(super) fn record(&self, plural: &'static str) -> Arc<Record> {
        let mut collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(collections.entry(plural).or_default())
    }

    pub(super) fn snapshot(&self) -> Counts {
        let collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        Counts {
            collections: collections
                .iter()
                .map(|(plural, record)| (*plural, record.snapshot()))
                .collect(),
            contacts: self.contacts.load(Relaxed),
            contact_failures: self.contact_failures.load(Relaxed),
            rollbacks: self.rollbacks.load(Relaxed),
        }
    }
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Relaxed);
}

impl Record {
    pub(super) fn restarted(&self, cause: Cause) {
        count(&self.restarts[cause as usize]);
    }

    fn snapshot(&self) -> CollectionCounts {
        CollectionCounts {
            lists: self.lists.load(Relaxed),
            list_failures: self.list_failures.load(Relaxed),
            events: self.events.load(Relaxed),
            restarts: Cause::ALL
                .into_iter()
                .map(|cause| (cause, self.restarts[cause as usize].load(Relaxed)))
                .collect(),
            revision: self.revision.load(Relaxed),
            watches: self.watches.load(Relaxed),
            working: self.working.load(Relaxed),
        }
    }
}

/// One running watch among those of its collection; it stops counting when it is dropped.
pub(super) struct Running {
    record: Arc<Record>,
    works: bool,
}

impl Running {
    pub(super) fn new(record: Arc<Record>) -> Self {
        count(&record.watches);
        Self { record, works: false }
    }

    pub(super) fn works(&mut self, works: bool) {
        if works && !self.works {
            count(&self.record.working);
        } else if !works && self.works {
            self.record.working.fetch_sub(1, Relaxed);
        }
        self.works = works;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.works(false);
        self.record.watches.fetch_sub(1, Relaxed);
    }
}
