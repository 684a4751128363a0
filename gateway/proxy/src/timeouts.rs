//! All time limits of a client connection, by one timer that looks now and then.
//!
//! A timer per request would be set and cancelled millions of times to fire never. Instead a connection
//! keeps what stage it is in and since when, and a watchdog wakes every quarter of the shortest limit:
//!
//! ```text
//! Fresh -first byte-> Head -parsed-> Working -sent upstream-> Awaiting -answer's head-> Answering -> Idle
//! first_byte          header_read    (own limits)   response_head              body_idle       keep_alive
//! ```
//!
//! `Fresh`, `Idle` and `Head` end exactly at their limit. `Awaiting` and `Answering` are limits on
//! silence: any byte from or to the client counts, and since only the watchdog asks the clock for those,
//! they may last up to a quarter of the shortest limit longer. A client that does not take what is
//! written to it has `write_stall`, whatever it sends meanwhile.

use std::{
    cell::Cell,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::time::{Instant, Sleep};

use crate::{config::Timeouts, io::Observer, stats::Limit};

/// How long a kept connection without a request stays when the gateway goes down. What its client sent
/// before is read by then; what it sends later it would lose at any moment.
const DRAIN_IDLE: Duration = Duration::from_millis(50);
/// The same for a connection that has not had a request yet: one is about to come, or it is a spare.
const DRAIN_FRESH: Duration = Duration::from_secs(2);

/// Where a client connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Accepted; nothing came yet.
    Fresh,
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
    /// Nobody reads what is left of it.
    Abandoned,
}

/// What a client connection is doing, as its socket, its request and its bodies say.
#[derive(Debug)]
pub(crate) struct Activity {
    stage: Cell<Stage>,
    since: Cell<Instant>,
    moved: Cell<bool>,
    wrote: Cell<bool>,
    stalled: Cell<bool>,
    ended: Cell<bool>,
    draining: Cell<bool>,
    upload: Cell<Upload>,
    expired: Cell<bool>,
    cut: Cell<Option<Limit>>,
}

/// What is to be done when a limit was looked at.
#[derive(Debug, PartialEq, Eq)]
enum Finding {
    /// Nothing before this time.
    Look(Instant),
    /// The request waiting for its answer is to be told.
    Expire,
    /// The connection is to be closed.
    Cut(Limit),
    /// The gateway goes down, and the connection has no request.
    Leave,
}

/// When a connection learns that the gateway goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drain {
    /// Its present request is its last.
    Now,
    /// It has no request, and ends then if none has come.
    At(Instant),
    /// With the answer to the request whose head is on its way.
    Later,
}

impl Activity {
    /// Of a connection that was just accepted.
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            stage: Cell::new(Stage::Fresh),
            since: Cell::new(now),
            moved: Cell::new(false),
            wrote: Cell::new(false),
            stalled: Cell::new(false),
            ended: Cell::new(false),
            draining: Cell::new(false),
            upload: Cell::new(Upload::Done),
            expired: Cell::new(false),
            cut: Cell::new(None),
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

    /// Whether some of the request's body was not read, so that nothing behind it can be.
    pub(crate) fn has_unread_body(&self) -> bool {
        self.upload.get() != Upload::Done
    }

    /// Whether the answer's head took too long.
    pub(crate) fn expired(&self) -> bool {
        self.expired.get()
    }

    /// Whether the watchdog closed the connection.
    pub(crate) fn was_cut(&self) -> bool {
        self.cut.get().is_some()
    }

    /// Whether the client will send no more.
    pub(crate) fn client_ended(&self) -> bool {
        self.ended.get()
    }

    /// The gateway goes down.
    pub(crate) fn drain(&self, now: Instant) -> Drain {
        match (self.stage.get(), self.drain_grace()) {
            (_, Some(grace)) => {
                self.draining.set(true);
                self.since.set(now);
                Drain::At(now + grace)
            }
            // hyper would take it for a connection without a request. Its answer will say it.
            (Stage::Head, None) => Drain::Later,
            (_, None) => Drain::Now,
        }
    }

    fn drain_grace(&self) -> Option<Duration> {
        match self.stage.get() {
            // The last answer is still on its way.
            _ if self.stalled.get() => None,
            Stage::Fresh => Some(DRAIN_FRESH),
            Stage::Idle => Some(DRAIN_IDLE),
            _ => None,
        }
    }

    fn look(&self, limits: &Timeouts, now: Instant) -> Finding {
        let stage = self.stage.get();
        let (moved, wrote) = (self.moved.take(), self.wrote.take());
        let stalled = self.stalled.get() && matches!(stage, Stage::Answering | Stage::Idle);
        let progress = if stalled { wrote } else { moved || wrote };
        if progress && matches!(stage, Stage::Awaiting | Stage::Answering) {
            self.since.set(now);
        }
        let (limit, name) = match stage {
            _ if stalled => (limits.write_stall, Limit::WriteStall),
            Stage::Fresh => (limits.first_byte, Limit::FirstByte),
            Stage::Idle => (limits.keep_alive, Limit::KeepAlive),
            Stage::Head => (limits.header_read, Limit::HeaderRead),
            Stage::Working => return Finding::Look(now + tick(limits)),
            // It is the request's body that is waited for, not the answer.
            Stage::Awaiting if self.upload.get() == Upload::ClientSilent => {
                (limits.body_idle, Limit::BodyIdle)
            }
            Stage::Awaiting => (limits.response_head, Limit::Response),
            Stage::Answering => (limits.body_idle, Limit::BodyIdle),
        };
        let leaves = self.draining.get().then(|| self.drain_grace()).flatten();
        let deadline = self.since.get() + leaves.map_or(limit, |grace| grace.min(limit));
        if now < deadline {
            return Finding::Look(deadline.min(now + tick(limits)));
        }
        // A second expiry means that the request did not take the first.
        let answerable = stage == Stage::Awaiting && self.upload.get() != Upload::ClientSilent;
        if answerable && !self.expired.replace(true) {
            self.since.set(now);
            Finding::Expire
        } else if leaves.is_some() {
            // Said once; what still happens has its own limits.
            self.draining.set(false);
            self.since.set(now);
            Finding::Leave
        } else {
            self.cut.set(Some(name));
            Finding::Cut(name)
        }
    }
}

impl Observer for Activity {
    fn read(&self) {
        self.moved.set(true);
        if matches!(self.stage.get(), Stage::Fresh | Stage::Idle) {
            self.enter(Stage::Head, Instant::now());
        }
    }

    fn written(&self) {
        self.wrote.set(true);
        self.stalled.set(false);
    }

    fn ended(&self) {
        self.ended.set(true);
    }

    fn stalled(&self) {
        if !self.stalled.replace(true) {
            self.wrote.set(true);
        }
    }
}

/// How often the watchdog looks.
fn tick(limits: &Timeouts) -> Duration {
    let shortest = limits
        .first_byte
        .min(limits.header_read)
        .min(limits.keep_alive)
        .min(limits.response_head)
        .min(limits.body_idle)
        .min(limits.write_stall);
    (shortest / 4).max(Duration::from_millis(1))
}

/// Why a connection is to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeUp {
    /// A limit was met.
    Limit(Limit),
    /// The gateway goes down, and the connection has no request.
    Leave,
}

/// Looks whether a limit has passed. To be polled before what it watches, in the same task.
pub(crate) fn poll_watchdog(
    mut timer: Pin<&mut Sleep>,
    activity: &Activity,
    limits: &Timeouts,
    cx: &mut Context<'_>,
) -> Poll<TimeUp> {
    loop {
        ready!(timer.as_mut().poll(cx));
        let now = Instant::now();
        let next = match activity.look(limits, now) {
            Finding::Cut(limit) => return Poll::Ready(TimeUp::Limit(limit)),
            Finding::Leave => {
                timer.as_mut().reset(now + tick(limits));
                return Poll::Ready(TimeUp::Leave);
            }
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
