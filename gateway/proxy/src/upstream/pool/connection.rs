//! One connection to an upstream, which ends when it is dropped.

use std::{cell::Cell, rc::Rc};

use hyper::client::conn::http1::SendRequest;
use tokio::{task::JoinHandle, time::Instant};

use super::{PoolKey, gate::Room, idle::Keep};
use crate::{body::RequestBody, io::Observer};

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
    pub(in super::super) sender: SendRequest<RequestBody>,
    pub(in super::super) answered: Rc<Answered>,
    pub(in super::super) _task: Task,
    /// Room for the copy of a head, so that not every request asks for some.
    pub(in super::super) scratch: Vec<u8>,
    /// When it is too old for another request.
    pub(in super::super) retires: Instant,
    pub(in super::super) room: Room,
}

/// What drives a connection. Dropping it closes that.
#[derive(Debug)]
pub(crate) struct Task(pub(in super::super) JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    /// All that its making depended on.
    pub(in super::super) fn key(&self) -> &PoolKey {
        self.room.key()
    }

    /// Forgets what has arrived so far.
    pub(in super::super) fn expect_answer(&self) {
        self.answered.0.set(false);
    }

    /// Whether anything arrived since [`Connection::expect_answer`].
    pub(in super::super) fn has_answered(&self) -> bool {
        self.answered.0.get()
    }

    /// Closes it, so that another may be opened in its place.
    pub(in super::super) fn into_room(self) -> Room {
        self.room
    }
}

impl Keep for Connection {
    /// Alive, done with the last request in both directions, and not too old.
    fn is_good(&self, now: Instant) -> bool {
        self.sender.is_ready() && !self.sender.is_closed() && now < self.retires
    }
}
