//! What the watches of a session share: the client, the versions that are held, and the last contact.

use std::{
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use kube::Client;
use tokio::{
    sync::{Notify, watch},
    time::Instant,
};

use super::{
    Tuning,
    counts::Counters,
    skew::{News, Skew},
};
use crate::{
    backoff,
    random::{GAMMA, mix},
};

pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) tuning: Tuning,
    pub(super) counts: Counters,
    /// Wakes the contact: a connection was lost, and that is when a store may be put back.
    pub(super) lost: Notify,
    /// Moves when everything must be listed again.
    generation: watch::Sender<u64>,
    held: Mutex<Held>,
    contact: Mutex<Option<Instant>>,
    skew: Mutex<Skew>,
    dice: AtomicU64,
}

/// The highest version that any watch of the present generation has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) generation: u64,
    pub(super) highest: u64,
}

impl Shared {
    pub(super) fn new(client: Client, tuning: Tuning, seed: u64) -> Self {
        Self {
            client,
            tuning,
            counts: Counters::default(),
            lost: Notify::new(),
            generation: watch::Sender::new(0),
            held: Mutex::default(),
            contact: Mutex::default(),
            skew: Mutex::default(),
            dice: AtomicU64::new(seed),
        }
    }

    pub(super) fn generation(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    /// A watch of this generation has seen this version. What an older generation still sees does not
    /// count: it stems from before the store was put back.
    pub(super) fn hold(&self, generation: u64, version: u64) {
        let mut held = lock(&self.held);
        if held.generation == generation {
            held.highest = held.highest.max(version);
        }
    }

    pub(super) fn held(&self) -> Held {
        *lock(&self.held)
    }

    /// A contact that was asked while this was held, and its version. Whether the store was put back: then
    /// everybody lists again.
    pub(super) fn contacted(&self, held: Held, version: Option<u64>) -> bool {
        *lock(&self.contact) = Some(Instant::now());
        let went_back = version.is_some_and(|version| version < held.highest);
        let mut now = lock(&self.held);
        if !went_back || now.generation != held.generation {
            return false;
        }
        *now = Held {
            generation: held.generation + 1,
            highest: 0,
        };
        self.generation.send_replace(now.generation);
        true
    }

    pub(super) fn contact_age(&self) -> Option<Duration> {
        (*lock(&self.contact)).map(|at| at.elapsed())
    }

    /// An answer that was asked for and came at these times of this process's clock, and bears this date.
    pub(super) fn dated(&self, sent: SystemTime, received: SystemTime, date: SystemTime) -> Option<News> {
        lock(&self.skew).observe(sent, received, date)
    }

    pub(super) fn clock_skew(&self) -> Option<f64> {
        lock(&self.skew).seconds()
    }

    pub(super) fn roll(&self) -> u64 {
        mix(self.dice.fetch_add(GAMMA, Ordering::Relaxed).wrapping_add(GAMMA))
    }

    /// The interval, give or take a fifth.
    pub(super) fn about(&self, interval: Duration) -> Duration {
        backoff::about(interval, self.roll())
    }
}

/// No code panics while it holds one of these, and if it did the values would still be whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
