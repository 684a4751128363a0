//! A worker's connections to upstreams: those that wait for a request, and the requests that wait for one.
//!
//! ```text
//! acquire: one that waits -> else room to open one (closing one that waits for another endpoint, if need be)
//! wait:    a place in the queue, for a while
//! release: to the first who waits for its like -> else it waits
//! ```
//!
//! The key is all that a connection's making depended on. A connection comes back only if both
//! messages on it came to a well-formed end. A connection that is dropped is closed at once,
//! with whatever was under way on it.

use std::{cell::RefCell, net::SocketAddr, rc::Rc, sync::Arc};

use latchkey_runtime::backoff::about;
use tokio::time::Instant;

use self::{
    connection::Connection,
    gate::{Gate, Room},
    idle::{Idle, Keep},
};
use super::error::Error;
use crate::{config::PoolConfig, stats::WorkerStats};

mod admission;
pub(super) mod connection;
pub(super) mod gate;
mod idle;

/// All that a connection's making depended on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PoolKey {
    /// Where it goes.
    pub(crate) address: SocketAddr,
    /// What is spoken beneath HTTP.
    pub(crate) transport: Transport,
}

/// What is spoken beneath HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Transport {
    /// TCP.
    Plain,
}

/// What a request gets.
#[derive(Debug)]
pub(super) enum Acquired {
    /// A connection that was used before.
    Kept(Connection),
    /// Leave to open one.
    Room(Room),
}

impl Acquired {
    /// Leave to open one, in the place of one that was used before if need be.
    pub(super) fn into_room(self) -> Room {
        match self {
            Self::Kept(connection) => connection.into_room(),
            Self::Room(room) => room,
        }
    }
}

/// A worker's connections.
#[derive(Debug)]
pub(crate) struct Pool {
    config: PoolConfig,
    idle: RefCell<Idle<PoolKey, Connection>>,
    gate: Rc<Gate>,
}

impl Pool {
    pub(crate) fn new(config: PoolConfig, stats: Arc<WorkerStats>) -> Self {
        Self {
            config,
            idle: RefCell::new(Idle::new(config)),
            gate: Rc::new(Gate::new(config, stats)),
        }
    }

    /// A connection, or leave to open one; nothing at the limits.
    pub(super) fn acquire(&self, key: &PoolKey) -> Option<Acquired> {
        let kept = self.idle.borrow_mut().take(key, Instant::now);
        kept.map(Acquired::Kept)
            .or_else(|| self.room(key).map(Acquired::Room))
    }

    fn room(&self, key: &PoolKey) -> Option<Room> {
        loop {
            if let Some(room) = self.gate.open(key) {
                return Some(room);
            }
            if !self.gate.has_room(key) {
                return None;
            }
            // All together are too many, and of those somebody waits for a request that may never come.
            let idle = self.idle.borrow_mut().evict()?;
            drop(idle);
        }
    }

    /// What becomes free in time, at the limits.
    ///
    /// # Errors
    /// Nothing does, or too many wait already.
    pub(super) async fn wait(&self, key: &PoolKey) -> Result<Acquired, Error> {
        let mut place = self.gate.queue(self, key)?;
        match place.granted(self.config.wait).await? {
            Acquired::Kept(connection) if !connection.is_good(Instant::now()) => {
                Ok(Acquired::Room(connection.into_room()))
            }
            acquired => Ok(acquired),
        }
    }

    /// When a connection that is opened now is too old for another request. By chance a little earlier or
    /// later, so that those which were opened together do not end together.
    pub(super) fn retirement(&self, roll: u64) -> Instant {
        Instant::now() + about(self.config.max_age, roll)
    }

    /// Takes back a connection whose last exchange has ended, if it may be used again.
    pub(super) fn release(&self, connection: Connection, now: Instant) {
        if !connection.is_good(now) {
            return;
        }
        let key = connection.key().clone();
        if let Some(connection) = self.gate.bequeath(connection) {
            let excess = self.idle.borrow_mut().put(key, connection, now);
            drop(excess);
        }
    }

    /// Closes what has waited too long, is too old or was closed by the other side, and forgets endpoints
    /// without connections: those that are gone from the table leave so.
    pub(crate) fn sweep(&self, now: Instant) {
        self.idle.borrow_mut().sweep(now);
    }
}

#[cfg(test)]
mod tests;
