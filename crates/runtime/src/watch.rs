//! Collections of an API server as streams of events: complete lists, then what changes.
//!
//! ```text
//! list pages (MostRecent) -> ListBegin, Listed.., ListEnd -> watch -> Applied, Deleted ..
//!      ^------- relist: 410, contact older than what is held, --relist-interval -------'
//! ```
//!
//! Knows no kind: an object is JSON. Promises: nothing is left out silently (a watch that cannot go on
//! lists again), a list that breaks is begun again without an end, and silence is noticed.

mod contact;
mod counts;
mod end;
mod event;
mod health;
mod lines;
mod list;
mod object;
mod once;
mod page;
mod pages;
mod request;
mod shared;
mod skew;
mod stream;
mod trouble;
mod watcher;

use std::{fmt, sync::Arc, time::Duration};

use kube::Client;
use serde_json::Value;
use tokio::sync::mpsc;

pub use self::{
    counts::{Cause, CollectionCounts, Counts},
    once::list_once,
};
use self::{health::Health, shared::Shared, watcher::Watcher};

/// Which objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Collection {
    /// `v1`, or `group/version`.
    pub api_version: &'static str,
    /// The plural, lower-case name of the kind.
    pub plural: &'static str,
    /// One namespace; `None`: all, or the kind has none.
    pub namespace: Option<String>,
    /// A label selector as the API writes it.
    pub labels: Option<String>,
    /// One object: it is read with `get` and watched by its name, so that a role needs `get` and `watch` on
    /// this one name alone. Where it does not exist, the complete list is empty.
    pub name: Option<String>,
    /// How much of each object.
    pub content: Content,
}

/// How much of each object is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// All of it, but for `metadata.managedFields`.
    Whole,
    /// `metadata` alone (`PartialObjectMetadata`): the server sends no more.
    Metadata,
}

/// What happened in a collection.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A complete list begins. A second one without an end starts afresh.
    ListBegin,
    /// An object of the running list.
    Listed(Value),
    /// The list was complete: what it did not name is gone.
    ListEnd,
    /// An object was added or changed.
    Applied(Value),
    /// An object is gone: its last state, of which only `metadata` is certain.
    Deleted(Value),
    /// The API server does not know the kind: its CRD is not there (any more).
    Missing,
    /// Listing or watching fails, and is tried again. Told once per change of the reason.
    Trouble(String),
    /// It works again: a list was complete, or a watch is open.
    Working,
}

/// How long and how much.
#[derive(Clone, Debug)]
pub struct Tuning {
    /// Objects in a page of a list.
    pub page_size: u32,
    /// How long the server keeps a watch open, in whole seconds. Shorter than `read_timeout`, or each quiet
    /// watch looks like a dead one.
    pub watch_timeout: Duration,
    /// The longest silence of a server that owes an answer or keeps a watch open: at most 25 s, since the
    /// connection itself bears only a little more.
    pub read_timeout: Duration,
    /// The shortest and the longest wait after a failure.
    pub backoff: (Duration, Duration),
    /// How often all is listed again, give or take a fifth.
    pub relist_interval: Duration,
    /// How often the server is asked for its present version, give or take a fifth.
    pub contact_interval: Duration,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            page_size: 500,
            watch_timeout: Duration::from_secs(20),
            read_timeout: Duration::from_secs(25),
            backoff: (Duration::from_millis(200), Duration::from_secs(3)),
            relist_interval: Duration::from_secs(3600),
            contact_interval: Duration::from_secs(10),
        }
    }
}

/// All watches of a process: what they share is what the server's version is, and when it was last heard of.
#[derive(Clone)]
pub struct Session(Arc<Shared>);

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    /// Nothing is asked yet. `seed` spreads the waits of processes that start together.
    pub fn new(client: Client, tuning: Tuning, seed: u64) -> Self {
        Self(Arc::new(Shared::new(client, tuning, seed)))
    }

    /// Lists and watches a collection until the receiver is gone. Each event carries `tag`. A receiver that
    /// is slow slows the reading, and nothing is dropped.
    pub async fn watch<T: Clone>(&self, collection: Collection, tag: T, events: mpsc::Sender<(T, Event)>) {
        let mut watcher = Watcher::new(&self.0, collection, tag, &events);
        tokio::select! {
            biased;
            () = events.closed() => {}
            _ = watcher.run() => {}
        }
    }

    /// Asks for one object of a collection again and again, as a quorum read: that is the contact. A version
    /// below one that is held means that the server's store was put back, and every watch lists again.
    /// Never ends.
    ///
    /// Versions of all kinds are compared, so all must be in one store, as they are unless the API server
    /// was told otherwise for one. With [`Collection::name`] the answer has no version of the store: it
    /// shows that the server is there, and not whether its store was put back.
    pub async fn contact(&self, collection: &Collection) {
        contact::run(&self.0, collection).await;
    }

    /// How long ago the last contact was; `None` before the first.
    pub fn contact_age(&self) -> Option<Duration> {
        self.0.contact_age()
    }

    /// By how many seconds this process's clock is ahead of the API server's, at least; negative: behind. Zero
    /// while contacts, whose `Date` counts whole seconds, cannot tell them apart; `None` before the first.
    pub fn clock_skew(&self) -> Option<f64> {
        self.0.clock_skew()
    }

    /// What happened until now, for metrics.
    pub fn counts(&self) -> Counts {
        self.0.counts.snapshot()
    }
}

#[cfg(test)]
mod tests;
