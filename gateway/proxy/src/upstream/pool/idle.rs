//! Connections that wait for their next request: one stack an endpoint, each bounded, and all together.
//!
//! Last in, first out: what was used last is the likeliest to be alive, and what is not needed ages. Pure:
//! time is an argument, and what waits only has to say whether it is still good.

use std::{
    cmp::Reverse,
    collections::{HashMap, VecDeque},
    hash::Hash,
};

use tokio::time::Instant;

use crate::config::PoolConfig;

/// What can wait.
pub(super) trait Keep {
    /// Whether it can take another request at this time, as far as is known.
    fn is_good(&self, now: Instant) -> bool;
}

/// What waits, by what its making depended on.
#[derive(Debug)]
pub(super) struct Idle<K, C> {
    config: PoolConfig,
    stacks: HashMap<K, VecDeque<Waiting<C>>>,
    count: usize,
    /// What waited when this was last asked for, the oldest last, so that finding the oldest of all does
    /// not look at all each time. Whatever came later is younger. Some are gone since.
    by_age: Vec<(Instant, K)>,
}

#[derive(Debug)]
struct Waiting<C> {
    connection: C,
    since: Instant,
}

impl<C: Keep> Waiting<C> {
    fn is_good(&self, config: &PoolConfig, now: Instant) -> bool {
        now.saturating_duration_since(self.since) < config.max_idle_age && self.connection.is_good(now)
    }
}

impl<K: Clone + Eq + Hash, C: Keep> Idle<K, C> {
    /// Nothing waits.
    pub(super) fn new(config: PoolConfig) -> Self {
        Self {
            config,
            stacks: HashMap::new(),
            count: 0,
            by_age: Vec::new(),
        }
    }

    /// The good one that waits for the shortest time. Those above it that are not good are dropped.
    pub(super) fn take(&mut self, key: &K, now: impl FnOnce() -> Instant) -> Option<C> {
        let stack = self.stacks.get_mut(key)?;
        if stack.is_empty() {
            return None;
        }
        let now = now();
        while let Some(waiting) = stack.pop_back() {
            self.count -= 1;
            if waiting.is_good(&self.config, now) {
                return Some(waiting.connection);
            }
        }
        None
    }

    /// Lets one wait. Beyond a limit another is given back that has waited longest: of the same stack, or
    /// of all.
    pub(super) fn put(&mut self, key: K, connection: C, now: Instant) -> Option<C> {
        let full = self.count >= self.config.max_idle;
        let stack = self.stacks.entry(key).or_default();
        stack.push_back(Waiting {
            connection,
            since: now,
        });
        self.count += 1;
        if stack.len() > self.config.max_idle_per_endpoint {
            self.count -= 1;
            stack.pop_front().map(|waiting| waiting.connection)
        } else if full {
            self.evict()
        } else {
            None
        }
    }

    /// Gives up the one that has waited longest of all.
    pub(super) fn evict(&mut self) -> Option<C> {
        self.oldest().or_else(|| {
            self.sort();
            self.oldest()
        })
    }

    /// The oldest of those that were sorted by age, if any is left.
    fn oldest(&mut self) -> Option<C> {
        while let Some((since, key)) = self.by_age.pop() {
            // One that is still there is at the front: all older ones of its stack had their turn before.
            if let Some(stack) = self.stacks.get_mut(&key)
                && stack.front().is_some_and(|waiting| waiting.since == since)
            {
                self.count -= 1;
                return stack.pop_front().map(|waiting| waiting.connection);
            }
        }
        None
    }

    fn sort(&mut self) {
        let stacks = self.stacks.iter();
        let all =
            stacks.flat_map(|(key, stack)| stack.iter().map(move |waiting| (waiting.since, key.clone())));
        self.by_age.extend(all);
        self.by_age.sort_unstable_by_key(|(since, _)| Reverse(*since));
    }

    /// Drops what is not good any more, and forgets stacks without connections: endpoints that are gone
    /// from the table leave so.
    pub(super) fn sweep(&mut self, now: Instant) {
        let config = self.config;
        self.stacks.retain(|_, stack| {
            stack.retain(|waiting| waiting.is_good(&config, now));
            !stack.is_empty()
        });
        self.count = self.stacks.values().map(VecDeque::len).sum();
    }
}

#[cfg(test)]
mod tests;
