//! What to ask of the Lease and when, and how long this process may write. Knows no clock and no client.
//!
//! ```text
//! next(now) -> Step: Read | Create | Claim, at, limit      answered(step, sent, now, answer) -> until()
//! ```
//!
//! Why no two may write at once: a permission lasts from *before* the successful claim was sent for
//! [`Timing::renew_deadline`]. Another takes the Lease only when it has seen no change for the whole
//! (longer) duration, counted from *after* it had read the last change, and by writing with that version: a
//! claim in between makes it fail. Both measure on their own monotonic clocks, each by its own duration, which
//! must be the same for all; times and durations in the record are for people: whoever may write the Lease
//! could otherwise make all wait for ever.

use std::time::{Duration, Instant};

use super::record::Record;

/// How many calls follow each other without a pause: claim, (conflict) read, claim, and one to spare.
const MAX_CALLS_IN_A_ROUND: u8 = 4;

/// How long things last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// How long others wait without seeing a change before they take the Lease.
    pub duration: Duration,
    /// How long a claim permits to write.
    pub renew_deadline: Duration,
    /// The shortest time from one round of calls to the next.
    pub retry: Duration,
}

impl Timing {
    /// Deadline and retry in the customary proportion: 10 s and 2 s of 15 s.
    pub fn of(duration: Duration) -> Self {
        Self {
            duration,
            renew_deadline: duration * 2 / 3,
            retry: duration * 2 / 15,
        }
    }
}

/// What is asked of the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// The Lease as it is.
    Read,
    /// To make it, held by this process.
    Create,
    /// To make this process its holder, on top of the version last seen.
    Claim,
    /// To make nobody its holder, likewise.
    Release,
}

/// The next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// When to send it.
    pub at: Instant,
    /// When to give it up, after that.
    pub limit: Duration,
    /// What it is.
    pub call: Call,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The Lease, as it is after it.
    Lease(Record),
    /// There is no such Lease.
    Missing,
    /// It has changed, or exists already.
    Conflict,
    /// It cannot be known: an error, or no answer in time.
    Failed,
}

/// One candidate.
#[derive(Debug)]
pub struct Elector {
    identity: String,
    timing: Timing,
    seen: Option<Seen>,
    /// What to do about what was seen.
    view: View,
    /// A claim whose answer was not seen may have been done.
    unsure: bool,
    until: Option<Instant>,
    /// When the present round began, and its calls so far; 0: it is over.
    round: Option<Instant>,
    calls: u8,
}

#[derive(Debug)]
struct Seen {
    record: Record,
    /// When this version was first seen, after it was read.
    since: Instant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    /// It may have changed.
    Stale,
    /// As far as is known it is like that.
    Current,
    /// It does not exist.
    Absent,
}

impl Elector {
    /// A candidate that has seen nothing yet. No other may have the same identity.
    pub fn new(identity: String, timing: Timing) -> Self {
        Self {
            identity,
            timing,
            seen: None,
            view: View::Stale,
            unsure: false,
            until: None,
            round: None,
            calls: 0,
        }
    }

    /// Until when this process may write.
    pub fn until(&self) -> Option<Instant> {
        self.until
    }

    /// The Lease as last seen.
    pub fn record(&self) -> Option<&Record> {
        self.seen.as_ref().map(|seen| &seen.record)
    }

    /// The other that holds the Lease, as last seen.
    pub fn other(&self) -> Option<&str> {
        let holder = self.record()?.holder();
        (!holder.is_empty() && !self.is_ours()).then_some(holder)
    }

    /// The next call of a candidate or holder.
    pub fn next(&self, now: Instant) -> Step {
        let at = if self.calls > 0 {
            now
        } else {
            let round = self.round.map_or(now, |began| began + self.timing.retry);
            // Whoever waits for the end of another's lease acts at that moment, not at the next look.
            let end = self.others_end().filter(|end| *end > now).unwrap_or(round);
            round.min(end).max(now)
        };
        Step {
            at,
            limit: self.limit(at),
            call: self.call(at),
        }
    }

    /// The next call of someone who leaves; `None`: it holds nothing (any more).
    pub fn leave(&self) -> Option<Call> {
        match self.view {
            _ if self.unsure => Some(Call::Read),
            View::Stale => self.seen.is_some().then_some(Call::Read),
            View::Current => self.is_ours().then_some(Call::Release),
            View::Absent => None,
        }
    }

    /// What became of a call that was sent at `sent`, known at `now`.
    pub fn answered(&mut self, call: Call, sent: Instant, now: Instant, answer: Answer) {
        if self.calls == 0 {
            self.round = Some(sent);
        }
        let failed = answer == Answer::Failed;
        match answer {
            Answer::Lease(record) => {
                self.see(record, now);
                self.unsure = false;
                if matches!(call, Call::Create | Call::Claim) && self.is_ours() {
                    self.until = Some(sent + self.timing.renew_deadline);
                }
            }
            Answer::Missing => {
                self.view = View::Absent;
                self.unsure = false;
                self.until = None;
            }
            Answer::Conflict => self.view = View::Stale,
            Answer::Failed => self.unsure |= call != Call::Read,
        }
        let done = match call {
            Call::Read => self.call(now) == Call::Read,
            Call::Create | Call::Claim | Call::Release => self.view == View::Current,
        };
        self.calls = if failed || done || self.calls + 1 == MAX_CALLS_IN_A_ROUND {
            0
        } else {
            self.calls + 1
        };
    }

    /// Stops writing at once, whatever the Lease says.
    pub fn withdraw(&mut self) {
        self.until = None;
    }

    fn see(&mut self, record: Record, now: Instant) {
        self.view = View::Current;
        let since = match &self.seen {
            Some(seen) if seen.record.same_version(&record) => seen.since,
            _ => now,
        };
        self.seen = Some(Seen { record, since });
        if !self.is_ours() {
            self.until = None;
        }
    }

    fn is_ours(&self) -> bool {
        self.record()
            .is_some_and(|record| record.holder() == self.identity)
    }

    /// When the lease of another that was seen ends, if nothing changes. That it was deleted does not
    /// shorten it: its holder does not know yet.
    fn others_end(&self) -> Option<Instant> {
        self.other()?;
        Some(self.seen.as_ref()?.since + self.timing.duration)
    }

    fn call(&self, now: Instant) -> Call {
        let must_wait = self.others_end().is_some_and(|end| now < end);
        match self.view {
            View::Stale => Call::Read,
            _ if must_wait => Call::Read,
            View::Current => Call::Claim,
            View::Absent => Call::Create,
        }
    }

    /// Half of what is left of a permission, so that a call that hangs leaves time for another; without
    /// one a server may be as slow as a permission is long.
    fn limit(&self, at: Instant) -> Duration {
        let deadline = self.timing.renew_deadline;
        match self.until.and_then(|until| until.checked_duration_since(at)) {
            Some(rest) if !rest.is_zero() => (rest / 2).clamp(self.timing.retry.min(deadline), deadline),
            _ => deadline,
        }
    }
}

#[cfg(test)]
mod tests;
