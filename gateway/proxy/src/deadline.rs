//! A rule's own limits on a whole exchange (`timeouts` of an HTTPRoute), of a client connection's present
//! request.
//!
//! ```text
//! start -> within: until the answer's head   late: 504
//!       -> answering -> poll_cut             late: the connection is cut, since the head is on its way
//!       -> end
//! ```
//!
//! Beside the limits on silence that hold for all: those look now and then, this one is met exactly, and
//! only a rule that has one pays for a timer.

use std::{
    cell::{Cell, RefCell},
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use latchkey_core::reason::Reason;
use latchkey_routing::table::RouteTimeouts;
use tokio::time::{Instant, Sleep, sleep_until};

/// The limit on a connection's present exchange, if it has one.
#[derive(Debug, Default)]
pub(crate) struct Deadline {
    running: RefCell<Option<Running>>,
    cut: Cell<Option<Reason>>,
}

#[derive(Debug)]
struct Running {
    timer: Pin<Box<Sleep>>,
    reason: Reason,
    answering: bool,
}

impl Deadline {
    /// A request is sent on. Its head was here at `received`, and its way to the upstream begins `now`: most
    /// have no limit, for which no clock is asked.
    pub(crate) fn start(&self, limits: &RouteTimeouts, received: Instant, now: impl FnOnce() -> Instant) {
        let whole = limits
            .request
            .and_then(|limit| Some((received.checked_add(limit)?, Reason::RequestTimeout)));
        let backend = limits
            .backend_request
            .and_then(|limit| Some((now().checked_add(limit)?, Reason::BackendTimeout)));
        let earlier = whole.into_iter().chain(backend).min_by_key(|(at, _)| *at);
        let running = earlier.map(|(at, reason)| Running {
            timer: Box::pin(sleep_until(at)),
            reason,
            answering: false,
        });
        self.running.replace(running);
    }

    /// Works until the deadline; what it met, if the work was not done by then.
    pub(crate) async fn within<F: Future>(&self, mut work: Pin<&mut F>) -> Result<F::Output, Reason> {
        poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(done) => Poll::Ready(Ok(done)),
            Poll::Pending => self.poll(cx, false).map(Err),
        })
        .await
    }

    /// The answer's head is on its way.
    pub(crate) fn answering(&self) {
        if let Some(running) = &mut *self.running.borrow_mut() {
            running.answering = true;
        }
    }

    /// Whether the connection is to be cut, in the middle of an answer. To be polled after the connection,
    /// in the same task.
    pub(crate) fn poll_cut(&self, cx: &mut Context<'_>) -> Poll<()> {
        self.poll(cx, true).map(|reason| self.cut.set(Some(reason)))
    }

    /// The exchange is over; why it was cut, if it was.
    pub(crate) fn end(&self) -> Option<Reason> {
        self.running.take();
        self.cut.take()
    }

    fn poll(&self, cx: &mut Context<'_>, answering: bool) -> Poll<Reason> {
        match &mut *self.running.borrow_mut() {
            Some(running) if running.answering == answering => {
                running.timer.as_mut().poll(cx).map(|()| running.reason)
            }
            _ => Poll::Pending,
        }
    }
}

#[cfg(test)]
mod tests;
