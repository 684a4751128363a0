//! Endpoints that cannot be connected to are left out for a while: longer each time, within a limit.
//!
//! ```text
//! fine --so many failures in a row--> out --its time is over--> one request tries it --connects--> fine
//!                                      ^                             `--fails--> out, for longer
//! ```
//!
//! A hint, never a wall: where every endpoint is out, they are tried all the same. Pure: time and chance are
//! arguments. Only endpoints that failed are known, so that a request to healthy ones asks for nothing.

use std::{collections::HashMap, net::SocketAddr, time::Duration};

use latchkey_runtime::backoff::wait;
use tokio::time::Instant;

use crate::config::EjectionConfig;

/// Failing endpoints that are known at once. Beyond it a new one is not left out.
const MAX_KNOWN: usize = 4096;

/// What is known of failing endpoints.
#[derive(Debug)]
pub(crate) struct Health {
    config: EjectionConfig,
    /// How long one request has to try an endpoint whose time is over.
    trial: Duration,
    failing: HashMap<SocketAddr, Record>,
}

#[derive(Debug)]
struct Record {
    state: State,
    /// When something was last heard of it.
    heard: Instant,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// It failed so many times in a row, which is not enough.
    Failing(u32),
    /// It is left out until then, for the n-th time.
    Out { until: Instant, times: u32 },
    /// Somebody tries it, and has until then.
    Trial { until: Instant, times: u32 },
}

impl State {
    fn is_out(self, now: Instant) -> bool {
        match self {
            Self::Failing(_) => false,
            Self::Out { until, .. } | Self::Trial { until, .. } => now < until,
        }
    }
}

impl Health {
    /// Nothing has failed. A trial takes no longer than an attempt to connect may.
    pub(crate) fn new(config: EjectionConfig, trial: Duration) -> Self {
        Self {
            config,
            trial,
            failing: HashMap::new(),
        }
    }

    /// Whether no endpoint fails.
    pub(crate) fn is_fine(&self) -> bool {
        self.failing.is_empty()
    }

    /// Whether an endpoint is to be left out.
    pub(crate) fn is_out(&self, address: SocketAddr, now: Instant) -> bool {
        self.failing
            .get(&address)
            .is_some_and(|record| record.state.is_out(now))
    }

    /// How many are left out, or are tried by one request alone.
    pub(crate) fn count_out(&self) -> usize {
        let records = self.failing.values();
        records
            .filter(|record| !matches!(record.state, State::Failing(_)))
            .count()
    }

    /// A request goes to an endpoint. If its time is over, others leave it to this one to find out.
    pub(crate) fn chosen(&mut self, address: SocketAddr, now: Instant) {
        if let Some(record) = self.failing.get_mut(&address)
            && let State::Out { until, times } | State::Trial { until, times } = record.state
            && until <= now
        {
            let until = now + self.trial;
            record.state = State::Trial { until, times };
        }
    }

    /// A connection was made, or something answered.
    pub(crate) fn succeeded(&mut self, address: SocketAddr) {
        // Nearly always, and a look-up would hash the address first.
        if !self.is_fine() {
            self.failing.remove(&address);
        }
    }

    /// No connection could be made. Whether the endpoint is left out from now on.
    pub(crate) fn failed(&mut self, address: SocketAddr, now: Instant, roll: u64) -> bool {
        if !self.failing.contains_key(&address) && self.failing.len() >= MAX_KNOWN {
            return false;
        }
        let record = self.failing.entry(address).or_insert(Record {
            state: State::Failing(0),
            heard: now,
        });
        record.heard = now;
        let times = match record.state {
            State::Failing(failures) if failures + 1 < self.config.failures => {
                record.state = State::Failing(failures + 1);
                return false;
            }
            State::Failing(_) => 1,
            // An attempt that began before: it says nothing new.
            State::Out { until, .. } if now < until => return false,
            State::Out { times, .. } | State::Trial { times, .. } => times.saturating_add(1),
        };
        let limits = (self.config.shortest, self.config.longest);
        let until = now + wait(limits, times, roll);
        record.state = State::Out { until, times };
        true
    }

    /// Forgets what nothing was heard of for long: endpoints that are gone from the table leave so.
    pub(crate) fn sweep(&mut self, now: Instant) {
        let longest = self.config.longest;
        self.failing.retain(|_, record| {
            let silence = now.saturating_duration_since(record.heard);
            record.state.is_out(now) || silence < longest.saturating_mul(2)
        });
    }
}

#[cfg(test)]
mod tests;
