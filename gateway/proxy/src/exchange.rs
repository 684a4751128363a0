//! One request from its counting in to its counting out, however it ends: the end is a drop, because
//! code after a wait never runs if the client hangs up in it.

use std::{rc::Rc, sync::Arc};

use latchkey_core::reason::Reason;
use latchkey_snapshot::counters::RouteCounters;
use tokio::time::Instant;

use crate::{access_log::Entry, connection::Client, load::Place, timeouts::Stage};

/// A request that is counted as in flight until this is dropped.
#[derive(Debug)]
pub(crate) struct Exchange {
    client: Rc<Client>,
    counters: Arc<RouteCounters>,
    started: Instant,
    code: u16,
    reason: Reason,
    sent: u64,
    waits_for_upstream: bool,
    place: Place,
    entry: Option<Box<Entry>>,
}

impl Exchange {
    /// A request begins. Until something else is known, its client is going to hang up.
    pub(crate) fn begin(
        client: Rc<Client>,
        counters: Arc<RouteCounters>,
        started: Instant,
        entry: Option<Box<Entry>>,
    ) -> Self {
        counters.start();
        Self {
            client,
            counters,
            started,
            code: 0,
            reason: Reason::ClientGone,
            sent: 0,
            waits_for_upstream: false,
            place: Place::default(),
            entry,
        }
    }

    /// The request goes on, and has its place until it ends.
    pub(crate) fn hold(&mut self, place: Place) {
        self.place = place;
    }

    /// The gateway answers by itself, with this status.
    pub(crate) fn refuse(&mut self, reason: Reason, code: u16) {
        self.code = code;
        self.reason = reason;
        self.answering();
    }

    /// The upstream's answer begins.
    pub(crate) fn answer(&mut self, code: u16, upstream: std::net::SocketAddr) {
        self.code = code;
        if let Some(entry) = &mut self.entry {
            entry.upstream = Some(upstream);
        }
        self.answering();
    }

    fn answering(&self) {
        self.client.activity.enter(Stage::Answering, Instant::now());
    }

    /// The upstream's answer was handed on whole.
    pub(crate) fn served(&mut self) {
        self.reason = Reason::Served;
    }

    /// The upstream broke off.
    pub(crate) fn upstream_aborted(&mut self) {
        self.reason = Reason::UpstreamAborted;
    }

    /// Bytes of the answer's body were handed on.
    pub(crate) fn sent(&mut self, bytes: usize) {
        self.sent += bytes as u64;
    }

    /// Whether the answer waits for the upstream, or else for the client.
    pub(crate) fn waits_for_upstream(&mut self, waits: bool) {
        self.waits_for_upstream = waits;
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let activity = &self.client.activity;
        let late = self.client.deadline.end();
        if self.reason == Reason::ClientGone
            && let Some(reason) = late
        {
            self.reason = reason;
        }
        if self.reason == Reason::ClientGone && self.waits_for_upstream && activity.was_cut() {
            self.reason = Reason::UpstreamAborted;
        }
        let now = Instant::now();
        activity.enter(Stage::Idle, now);
        let micros = u64::try_from(now.duration_since(self.started).as_micros()).unwrap_or(u64::MAX);
        self.counters.finish(self.code, self.reason, micros);
        if let Some(mut entry) = self.entry.take() {
            entry.code = self.code;
            entry.reason = self.reason;
            entry.bytes = self.sent;
            entry.micros = micros;
            self.client.worker.access_log.write(entry);
        }
    }
}
