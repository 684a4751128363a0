//! Who may open a connection, and who waits until one may: two limits (per endpoint, and in all), and one
//! bounded queue.
//!
//! Whoever came first is served first, among those whose endpoint has room: a full endpoint holds up nobody
//! who wants another. It always holds that nobody in the queue could be served. Pure: what waits is the
//! caller's, and waking it too.

use std::{
    collections::{HashMap, VecDeque},
    hash::Hash,
};

use crate::config::PoolConfig;

/// The connections that are open, as numbers, and the queue for more.
#[derive(Debug)]
pub(super) struct Admission<K, W> {
    config: PoolConfig,
    open: HashMap<K, usize>,
    total: usize,
    queue: VecDeque<Waiter<K, W>>,
    next: Ticket,
}

/// A place in the queue.
pub(super) type Ticket = u64;

#[derive(Debug)]
struct Waiter<K, W> {
    ticket: Ticket,
    key: K,
    waiter: W,
}

impl<K: Clone + Eq + Hash, W> Admission<K, W> {
    /// Nothing is open.
    pub(super) fn new(config: PoolConfig) -> Self {
        Self {
            config,
            open: HashMap::new(),
            total: 0,
            queue: VecDeque::new(),
            next: 0,
        }
    }

    /// Connections that are open.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// Counts one more connection, if the limits allow it.
    pub(super) fn open(&mut self, key: &K) -> bool {
        let allowed = self.total < self.config.max_open && self.has_room(key);
        if allowed {
            self.count(key);
        }
        allowed
    }

    /// Whether an endpoint's own limit allows one more.
    pub(super) fn has_room(&self, key: &K) -> bool {
        self.open.get(key).copied().unwrap_or_default() < self.config.max_open_per_endpoint
    }

    fn count(&mut self, key: &K) {
        self.total += 1;
        match self.open.get_mut(key) {
            Some(open) => *open += 1,
            None => drop(self.open.insert(key.clone(), 1)),
        }
    }

    /// A connection has ended. The one who may open another in its place, and where, is counted already.
    pub(super) fn closed(&mut self, key: &K) -> Option<(K, W)> {
        self.total = self.total.saturating_sub(1);
        if let Some(open) = self.open.get_mut(key) {
            *open = open.saturating_sub(1);
            if *open == 0 {
                self.open.remove(key);
            }
        }
        if self.total >= self.config.max_open {
            return None;
        }
        let index = self.queue.iter().position(|waiter| self.has_room(&waiter.key))?;
        let Waiter { key, waiter, .. } = self.queue.remove(index)?;
        self.count(&key);
        Some((key, waiter))
    }

    /// A connection is free: whoever waits first for one like it.
    pub(super) fn heir(&mut self, key: &K) -> Option<W> {
        if self.queue.is_empty() {
            return None;
        }
        let index = self.queue.iter().position(|waiter| waiter.key == *key)?;
        self.queue.remove(index).map(|waiter| waiter.waiter)
    }

    /// Whether somebody waits who could be served if a connection to another endpoint were closed.
    pub(super) fn wants_room(&self) -> bool {
        !self.queue.is_empty() && self.queue.iter().any(|waiter| self.has_room(&waiter.key))
    }

    /// A place at the end of the queue, unless that is full.
    pub(super) fn enqueue(&mut self, key: &K, waiter: W) -> Option<Ticket> {
        if self.queue.len() >= self.config.max_waiting {
            return None;
        }
        let ticket = self.next;
        self.next += 1;
        let key = key.clone();
        self.queue.push_back(Waiter { ticket, key, waiter });
        Some(ticket)
    }

    /// Gives up a place, if it is still held.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        if let Ok(index) = self.queue.binary_search_by_key(&ticket, |waiter| waiter.ticket) {
            self.queue.remove(index);
        }
    }
}

#[cfg(test)]
mod tests;
