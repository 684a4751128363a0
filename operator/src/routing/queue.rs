//! Which objects' statuses are to be looked at, and when: each by one job at a time, so many jobs at a
//! time. Pure: the clock is an argument.
//!
//! ```text
//! touch -> queued -> start -> busy -> nothing to do: forgotten
//!             ^                |----> sent or refused as outdated: awaits its newer version --.
//!             |                `----> failed: delayed, longer each time ----------------------|
//!             `---------------- arrival, or the time is up -----------------------------------'
//! ```

use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    time::{Duration, Instant},
};

use super::kinds::Key;

/// How long a version that is known to exist may take to come through the watch before it is read.
const ARRIVAL: Duration = Duration::from_secs(10);
/// The first wait after a failure; it doubles.
const SHORTEST: Duration = Duration::from_millis(500);
/// The longest wait after a failure.
const LONGEST: Duration = Duration::from_secs(30);

/// What is to be done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Job {
    /// Compute its status from what is held, and write it.
    Write,
    /// Read it first: its newer version did not come.
    ReadAndWrite,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// There is nothing to do (any more).
    Nothing,
    /// A newer version than the one that was used exists.
    Newer,
    /// It failed.
    Failed,
}

/// The objects that are to be looked at.
#[derive(Debug)]
pub(super) struct Queue {
    concurrency: usize,
    states: HashMap<Key, State>,
    order: VecDeque<Key>,
    /// Moments at which what awaits or is delayed goes on.
    timers: BTreeSet<(Instant, Key)>,
    busy: usize,
}

#[derive(Clone, Copy, Debug)]
struct State {
    phase: Phase,
    /// Failures in a row.
    failures: u32,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Queued(Job),
    /// Something changed meanwhile; a newer version came meanwhile.
    Busy {
        again: bool,
        newer: bool,
    },
    Awaiting(Instant),
    Delayed,
}

impl Queue {
    /// Nothing is queued. At least one job runs at a time.
    pub(super) fn new(concurrency: usize) -> Self {
        Self {
            concurrency: concurrency.max(1),
            states: HashMap::new(),
            order: VecDeque::new(),
            timers: BTreeSet::new(),
            busy: 0,
        }
    }

    /// An object's status may have to say something else.
    pub(super) fn touch(&mut self, key: Key) {
        match self.states.get_mut(&key).map(|state| &mut state.phase) {
            None => self.queue(key, Job::Write, 0),
            Some(Phase::Busy { again, .. }) => *again = true,
            // What it waits for makes it be looked at.
            Some(Phase::Queued(_) | Phase::Awaiting(_) | Phase::Delayed) => {}
        }
    }

    /// Another version of an object came.
    pub(super) fn arrived(&mut self, key: Key) {
        match self.states.get_mut(&key) {
            Some(State {
                phase: Phase::Busy { again, newer },
                ..
            }) => (*again, *newer) = (true, true),
            Some(State {
                phase: Phase::Awaiting(until),
                failures,
            }) => {
                let (until, failures) = (*until, *failures);
                self.timers.remove(&(until, key.clone()));
                self.queue(key, Job::Write, failures);
            }
            _ => self.touch(key),
        }
    }

    /// The next job, if one more may run. It must be finished.
    pub(super) fn start(&mut self) -> Option<(Key, Job)> {
        if self.busy >= self.concurrency {
            return None;
        }
        let key = self.order.pop_front()?;
        let state = self.states.get_mut(&key)?;
        let job = match state.phase {
            Phase::Queued(job) => job,
            Phase::Busy { .. } | Phase::Awaiting(_) | Phase::Delayed => Job::Write,
        };
        state.phase = Phase::Busy {
            again: false,
            newer: false,
        };
        self.busy += 1;
        Some((key, job))
    }

    /// A job ended.
    pub(super) fn finish(&mut self, key: Key, end: End, now: Instant) {
        let Some(&State {
            phase: Phase::Busy { again, newer },
            failures,
        }) = self.states.get(&key)
        else {
            return;
        };
        self.busy -= 1;
        match end {
            End::Nothing if again => self.queue(key, Job::Write, 0),
            End::Nothing => {
                self.states.remove(&key);
            }
            End::Newer if newer => self.queue(key, Job::Write, 0),
            End::Newer => self.wait(key, now + ARRIVAL, 0, Phase::Awaiting(now + ARRIVAL)),
            End::Failed => {
                let wait = SHORTEST.saturating_mul(1 << failures.min(16)).min(LONGEST);
                self.wait(key, now + wait, failures.saturating_add(1), Phase::Delayed);
            }
        }
    }

    /// The next moment at which [`Queue::expire`] has something to do.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.timers.first().map(|(until, _)| *until)
    }

    /// What waited until now goes on.
    pub(super) fn expire(&mut self, now: Instant) {
        while self.timers.first().is_some_and(|(until, _)| *until <= now) {
            let Some((_, key)) = self.timers.pop_first() else {
                return;
            };
            let Some(&State { phase, failures }) = self.states.get(&key) else {
                continue;
            };
            let job = match phase {
                Phase::Awaiting(_) => Job::ReadAndWrite,
                Phase::Queued(_) | Phase::Busy { .. } | Phase::Delayed => Job::Write,
            };
            self.queue(key, job, failures);
        }
    }

    /// How many objects are in it, in whatever state.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    fn queue(&mut self, key: Key, job: Job, failures: u32) {
        let phase = Phase::Queued(job);
        self.states.insert(key.clone(), State { phase, failures });
        self.order.push_back(key);
    }

    fn wait(&mut self, key: Key, until: Instant, failures: u32, phase: Phase) {
        self.states.insert(key.clone(), State { phase, failures });
        self.timers.insert((until, key));
    }
}

#[cfg(test)]
mod tests;
