//! A worker's connections to upstreams.
//!
//! Last in, first out: what was used last is the likeliest to be alive, and what is not needed ages.
//! The key is all that a connection's making depended on. A connection comes back only if both
//! messages on it came to a well-formed end. A connection that is dropped is closed at once,
//! with whatever was under way on it.

use std::{
    cell::{Cell, RefCell},
    collections::{HashMap, VecDeque},
    net::SocketAddr,
    rc::Rc,
};

use hyper::client::conn::http1::SendRequest;
use tokio::{task::JoinHandle, time::Instant};

use crate::{body::RequestBody, config::PoolConfig, io::Observer};

/// All that a connection's making depended on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PoolKey {
    /// Where it goes.
    pub(crate) address: SocketAddr,
    /// What is spoken beneath HTTP.
    pub(crate) transport: Transport,
}

/// What is spoken beneath HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Transport {
    /// TCP.
    Plain,
}

/// Whether anything of an answer has arrived.
#[derive(Debug, Default)]
pub(crate) struct Answered(Cell<bool>);

impl Observer for Answered {
    fn read(&self) {
        self.0.set(true);
    }

    fn written(&self) {}
}

/// A connection in use.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(super) key: PoolKey,
    pub(super) sender: SendRequest<RequestBody>,
    pub(super) task: JoinHandle<()>,
    pub(super) answered: Rc<Answered>,
    pub(super) _slot: OpenSlot,
}

impl Connection {
    /// Whether it can take another request: alive, and done with the last in both directions.
    fn is_ready(&self) -> bool {
        self.sender.is_ready() && !self.sender.is_closed()
    }

    /// Forgets what has arrived so far.
    pub(super) fn expect_answer(&self) {
        self.answered.0.set(false);
    }

    /// Whether anything arrived since [`Connection::expect_answer`].
    pub(super) fn has_answered(&self) -> bool {
        self.answered.0.get()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Counts a connection as open for as long as it lives.
#[derive(Debug)]
pub(crate) struct OpenSlot(Rc<Cell<usize>>);

impl Drop for OpenSlot {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

/// A worker's waiting connections.
#[derive(Debug)]
pub(crate) struct Pool {
    config: PoolConfig,
    idle: RefCell<HashMap<PoolKey, VecDeque<Idle>>>,
    waiting: Cell<usize>,
    open: Rc<Cell<usize>>,
}

#[derive(Debug)]
struct Idle {
    connection: Connection,
    since: Instant,
}

impl Pool {
    pub(crate) fn new(config: PoolConfig) -> Self {
        Self {
            config,
            idle: RefCell::default(),
            waiting: Cell::new(0),
            open: Rc::default(),
        }
    }

    /// Connections that wait or are in use.
    pub(crate) fn open(&self) -> usize {
        self.open.get()
    }

    /// Counts a new connection, unless there are too many.
    pub(super) fn open_slot(&self) -> Option<OpenSlot> {
        let open = self.open.get();
        (open < self.config.max_open).then(|| {
            self.open.set(open + 1);
            OpenSlot(Rc::clone(&self.open))
        })
    }

    /// The connection that waits for the shortest time and is alive, as far as is known.
    pub(crate) fn take(&self, key: &PoolKey) -> Option<Connection> {
        let mut idle = self.idle.borrow_mut();
        let stack = idle.get_mut(key)?;
        let mut now = None;
        while let Some(Idle { connection, since }) = stack.pop_back() {
            self.waiting.set(self.waiting.get() - 1);
            let now = *now.get_or_insert_with(Instant::now);
            if connection.is_ready() && now.duration_since(since) < self.config.max_idle_age {
                return Some(connection);
            }
        }
        None
    }

    /// Takes back a connection whose last exchange has ended, if it may be used again.
    pub(crate) fn put(&self, connection: Connection, now: Instant) {
        if !connection.is_ready() || self.waiting.get() >= self.config.max_idle {
            return;
        }
        let mut idle = self.idle.borrow_mut();
        let stack = idle.entry(connection.key).or_default();
        if stack.len() >= self.config.max_idle_per_endpoint {
            stack.pop_front();
            self.waiting.set(self.waiting.get() - 1);
        }
        stack.push_back(Idle {
            connection,
            since: now,
        });
        self.waiting.set(self.waiting.get() + 1);
    }

    /// Closes what has waited too long or was closed by the other side, and forgets endpoints without
    /// connections: those that are gone from the table leave so.
    pub(crate) fn sweep(&self, now: Instant) {
        let mut idle = self.idle.borrow_mut();
        idle.retain(|_, stack| {
            stack.retain(|idle| {
                idle.connection.is_ready() && now.duration_since(idle.since) < self.config.max_idle_age
            });
            !stack.is_empty()
        });
        self.waiting.set(idle.values().map(VecDeque::len).sum());
    }
}
