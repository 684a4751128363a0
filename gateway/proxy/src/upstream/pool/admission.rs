//! Who may open a connection, and who waits until one may: two limits (per endpoint, and in all), and one
//! bounded queue, kept as a line an endpoint.
//!
//! Whoever came first is served first, among those whose endpoint has room: a full endpoint holds up nobody
//! who wants another, and however many wait for it are one line to look at. It always holds that nobody in
//! the queue could be served. Pure: what waits is the caller's, and waking it too.

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
    /// Those who wait, the first first; none of the lines is empty.
    lines: HashMap<K, VecDeque<(Ticket, W)>>,
    /// In all lines.
    waiting: usize,
    next: Ticket,
}

/// A place in the queue: the smaller, the earlier.
pub(super) type Ticket = u64;

impl<K: Clone + Eq + Hash, W> Admission<K, W> {
    /// Nothing is open.
    pub(super) fn new(config: PoolConfig) -> Self {
        Self {
            config,
            open: HashMap::new(),
            total: 0,
            lines: HashMap::new(),
            waiting: 0,
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
        let lines = self.lines.iter().filter(|(key, _)| self.has_room(key));
        let first = lines.min_by_key(|(_, line)| line.front().map(|(ticket, _)| *ticket));
        let key = first.map(|(key, _)| key.clone())?;
        let waiter = self.heir(&key)?;
        self.count(&key);
        Some((key, waiter))
    }

    /// A connection is free: whoever waits first for one like it.
    pub(super) fn heir(&mut self, key: &K) -> Option<W> {
        let line = self.lines.get_mut(key)?;
        let (_, waiter) = line.pop_front()?;
        self.left(key);
        Some(waiter)
    }

    /// Whether somebody waits who could be served if a connection to another endpoint were closed.
    pub(super) fn wants_room(&self) -> bool {
        self.lines.keys().any(|key| self.has_room(key))
    }

    /// A place at the end of the queue, unless that is full.
    pub(super) fn enqueue(&mut self, key: &K, waiter: W) -> Option<Ticket> {
        if self.waiting >= self.config.max_waiting {
            return None;
        }
        let ticket = self.next;
        self.next += 1;
        let line = self.lines.entry(key.clone()).or_default();
        line.push_back((ticket, waiter));
        self.waiting += 1;
        Some(ticket)
    }

    /// Gives up a place, if it is still held.
    pub(super) fn leave(&mut self, key: &K, ticket: Ticket) {
        if let Some(line) = self.lines.get_mut(key)
            && let Ok(index) = line.binary_search_by_key(&ticket, |(ticket, _)| *ticket)
        {
            line.remove(index);
            self.left(key);
        }
    }

    /// One waits no more.
    fn left(&mut self, key: &K) {
        self.waiting -= 1;
        if self.lines.get(key).is_some_and(VecDeque::is_empty) {
            self.lines.remove(key);
        }
    }
}

#[cfg(test)]
mod tests;
