//! All time limits of a client connection, by one timer that looks now and then.
//!
//! A timer per request would be set and cancelled millions of times to fire never. Instead a connection
//! keeps what stage it is in and since when, and a watchdog wakes every quarter of the shortest limit:
//!
//! ```text
//! Idle -first byte-> Head -parsed-> Working -sent upstream-> Awaiting -answer's head-> Answering -> Idle
//! keep_alive         header_read    (own limits)   response_head              body_idle
//! ```
//!
//! `Idle` and `Head` end exactly at their limit. `Awaiting` and `Answering` are limits on silence: any
//! byte from or to the client counts, and since only the watchdog asks the clock for those, they may
//! last up to a quarter of the shortest limit longer.

use std::{
    cell::Cell,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep};

use crate::{config::Timeouts, io::Observer};

/// Where a client connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// No request.
    Idle,
    /// A request's head has begun.
    Head,
    /// We work on a request; each step has a limit of its own.
    Working,
    /// The request is with the upstream.
    Awaiting,
    /// The answer has begun.
    Answering,
}

/// Whether a request's body is on its way to the upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Upload {
    /// It has none, or all of it was passed on.
    Done,
    /// The upstream takes its time.
    Flowing,
    /// The client takes its time.
    ClientSilent,
}

/// What a client connection is doing, as its socket, its request and its bodies say.
#[derive(Debug)]
pub(crate) struct Activity {
    stage: Cell<Stage>,
    since: Cell<Instant>,
    moved: Cell<bool>,
    upload: Cell<Upload>,
    expired: Cell<bool>,
    cut: Cell<bool>,
}

/// What is to be done when a limit was looked at.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    /// Nothing before this time.
    Look(Instant),
    /// The request waiting for its answer is to be told.
    Expire,
    /// The connection is to be closed.
    Cut,
}

impl Activity {
    /// Of a connection that was just accepted.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            stage: Cell::new(Stage::Idle),
            since: Cell::new(now),
            moved: Cell::new(false),
            upload: Cell::new(Upload::Done),
            expired: Cell::new(false),
            cut: Cell::new(false),
        }
    }

    /// A stage begins.
    pub(crate) fn enter(&self, stage: Stage, now: Instant) {
        self.stage.set(stage);
        self.since.set(now);
        self.expired.set(false);
    }

    /// How the request's body gets on.
    pub(crate) fn upload(&self, upload: Upload) {
        self.upload.set(upload);
    }

    /// Whether the answer's head took too long.
    pub(crate) fn expired(&self) -> bool {
        self.expired.get()
    }

    /// Whether the watchdog closed the connection.
    pub(crate) fn was_cut(&self) -> bool {
        self.cut.get()
    }

    fn look(&self, limits: &Timeouts, now: Instant) -> Finding {
        let stage = self.stage.get();
        if self.moved.take() && matches!(stage, Stage::Awaiting | Stage::Answering) {
            self.since.set(now);
        }
        let limit = match stage {
            Stage::Idle => limits.keep_alive,
            Stage::Head => limits.header_read,
            Stage::Working => return Finding::Look(now + tick(limits)),
            // It is the request's body that is waited for, not the answer.
            Stage::Awaiting if self.upload.get() == Upload::ClientSilent => limits.body_idle,
            Stage::Awaiting => limits.response_head,
            Stage::Answering => limits.body_idle,
        };
        let deadline = self.since.get() + limit;
        if now < deadline {
            return Finding::Look(deadline.min(now + tick(limits)));
        }
        // A second expiry means that the request did not take the first.
        let answerable = stage == Stage::Awaiting && self.upload.get() != Upload::ClientSilent;
        if answerable && !self.expired.replace(true) {
            self.since.set(now);
            Finding::Expire
        } else {
            self.cut.set(true);
            Finding::Cut
        }
    }
}

impl Observer for Activity {
    fn read(&self) {
        self.moved.set(true);
        if self.stage.get() == Stage::Idle {
            self.enter(Stage::Head, Instant::now());
        }
    }

    fn written(&self) {
        self.moved.set(true);
    }
}

/// How often the watchdog looks.
fn tick(limits: &Timeouts) -> Duration {
    let shortest = limits
        .header_read
        .min(limits.keep_alive)
        .min(limits.response_head)
        .min(limits.body_idle);
    (shortest / 4).max(Duration::from_millis(1))
}

/// Looks whether a limit has passed. To be polled before what it watches, in the same task.
///
/// Ready: the connection is to be closed.
pub(crate) fn poll_watchdog(
    mut timer: Pin<&mut Sleep>,
    activity: &Activity,
    limits: &Timeouts,
    cx: &mut Context<'_>,
) -> Poll<()> {
    loop {
        ready!(timer.as_mut().poll(cx));
        let now = Instant::now();
        let next = match activity.look(limits, now) {
            Finding::Cut => return Poll::Ready(()),
            Finding::Expire => now + tick(limits),
            Finding::Look(next) => next,
        };
        timer.as_mut().reset(next);
    }
}

/// When the watchdog of a new connection looks first.
pub(crate) fn first_look(limits: &Timeouts, now: Instant) -> Instant {
    now + tick(limits)
}

#[cfg(test)]
mod tests;
