//! How many connections are open, and who waits for one: [`Admission`] with its doors and bells.
//!
//! It knows nothing of the connections that wait for requests, so that a connection can be dropped wherever
//! it is.

use std::{cell::RefCell, rc::Rc, sync::Arc, time::Duration};

use tokio::{
    sync::oneshot,
    time::{Instant, timeout},
};

use super::{
    Acquired, Pool, PoolKey,
    admission::{Admission, Ticket},
    connection::Connection,
};
use crate::{config::PoolConfig, stats::WorkerStats, upstream::error::Error};

/// Leave to have one connection open. Whoever waits for it gets it when it is dropped.
#[derive(Debug)]
pub(crate) struct Room {
    key: PoolKey,
    gate: Rc<Gate>,
}

impl Room {
    /// To where.
    pub(in super::super) fn key(&self) -> &PoolKey {
        &self.key
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let freed = self.gate.admission.borrow_mut().closed(&self.key);
        self.gate.stats.upstream.closed();
        if let Some((key, grant)) = freed {
            let room = self.gate.room(key);
            // Whoever gives up leaves the queue first; if not, the room is dropped here and goes on.
            let _ = grant.send(Acquired::Room(room));
        }
    }
}

/// Counts open connections.
#[derive(Debug)]
pub(super) struct Gate {
    admission: RefCell<Admission<PoolKey, oneshot::Sender<Acquired>>>,
    stats: Arc<WorkerStats>,
}

impl Gate {
    pub(super) fn new(config: PoolConfig, stats: Arc<WorkerStats>) -> Self {
        Self {
            admission: RefCell::new(Admission::new(config)),
            stats,
        }
    }

    /// Leave to open a connection, if the limits allow it.
    pub(super) fn open(self: &Rc<Self>, key: &PoolKey) -> Option<Room> {
        let opened = self.admission.borrow_mut().open(key);
        opened.then(|| self.room(key.clone()))
    }

    /// Of a connection that is counted already.
    fn room(self: &Rc<Self>, key: PoolKey) -> Room {
        self.stats.upstream.opened();
        let gate = Rc::clone(self);
        Room { key, gate }
    }

    /// Whether the endpoint's own limit allows one more.
    pub(super) fn has_room(&self, key: &PoolKey) -> bool {
        self.admission.borrow().has_room(key)
    }

    /// Gives a free connection to the first who waits for one like it. It is given back if nobody does; but
    /// closed, if somebody waits for another whose place it holds.
    pub(super) fn bequeath(&self, connection: Connection) -> Option<Connection> {
        let heir = self.admission.borrow_mut().heir(connection.key());
        if let Some(grant) = heir {
            let _ = grant.send(Acquired::Kept(connection));
            return None;
        }
        let wanted = self.admission.borrow().wants_room();
        (!wanted).then_some(connection)
    }

    /// Takes a place in the queue.
    ///
    /// # Errors
    /// It is full.
    pub(super) fn queue<'p>(&'p self, pool: &'p Pool, key: &PoolKey) -> Result<Place<'p>, Error> {
        let (grant, granted) = oneshot::channel();
        let mut admission = self.admission.borrow_mut();
        let Some(ticket) = admission.enqueue(key, grant) else {
            self.stats.upstream.refused();
            return Err(Error::QueueFull {
                address: key.address,
                open: admission.total(),
            });
        };
        self.stats.upstream.joined();
        Ok(Place {
            pool,
            key: key.clone(),
            ticket,
            granted,
        })
    }
}

/// A place in the queue. Dropping it gives it up, and what was granted in that moment to the next.
#[derive(Debug)]
pub(super) struct Place<'p> {
    pool: &'p Pool,
    key: PoolKey,
    ticket: Ticket,
    granted: oneshot::Receiver<Acquired>,
}

impl Place<'_> {
    /// What comes of waiting.
    ///
    /// # Errors
    /// It took too long.
    pub(super) async fn granted(&mut self, limit: Duration) -> Result<Acquired, Error> {
        if let Ok(Ok(acquired)) = timeout(limit, &mut self.granted).await {
            return Ok(acquired);
        }
        self.pool.gate.stats.upstream.refused();
        Err(Error::Saturated {
            address: self.key.address,
            limit,
        })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let gate = &self.pool.gate;
        gate.admission.borrow_mut().leave(&self.key, self.ticket);
        gate.stats.upstream.left();
        if let Ok(Acquired::Kept(connection)) = self.granted.try_recv() {
            self.pool.release(connection, Instant::now());
        }
    }
}
