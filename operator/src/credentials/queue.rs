//! Which Credentials are to be looked at, and when: each is there once, and worked on once at a time.
//!
//! ```text
//! push -> fresh | backlog -> pop (running) -> finish: gone, again, or later
//! ```
//!
//! What just changed goes before what a list or a new leader brings up; among either, namespaces take turns.
//! Knows no clock: the time is an argument. Holds nothing of a Credential that neither waits nor runs.

mod fair;

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use latchkey_core::object::ObjectName;
use latchkey_runtime::{backoff, random::Random};

use self::fair::Fair;

/// The shortest and the longest wait before a retry.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(30));
/// One in so many goes to the backlog although something fresh waits: it must not starve.
const BACKLOG_TURN: u32 = 8;

/// Where a Credential waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// It just changed.
    Fresh,
    /// It was listed, or nobody has looked at it since this process leads.
    Backlog,
}

/// What is to become of one that was worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// Nothing, until it changes.
    Nothing,
    /// It is looked at again at once, behind those of its namespace that wait.
    Again,
    /// It is looked at again after this long, or when it changes.
    Wait(Duration),
    /// It failed: the same, after longer and longer waits.
    Retry,
}

/// The queue.
#[derive(Debug)]
pub(super) struct Queue {
    entries: HashMap<ObjectName, Entry>,
    lanes: [Fair; 2],
    delayed: BTreeMap<(Instant, u64), ObjectName>,
    next_ticket: u64,
    turns: u32,
    random: Random,
}

#[derive(Debug)]
struct Entry {
    place: Place,
    failures: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Lane(Lane, u64),
    Delayed(Instant, u64),
    /// Worked on; and whether it changed meanwhile.
    Running(Option<Lane>),
}

impl Queue {
    /// Empty. `seed` spreads the waits of processes that fail together.
    pub(super) fn new(seed: u64) -> Self {
        Self {
            entries: HashMap::new(),
            lanes: [Fair::default(), Fair::default()],
            delayed: BTreeMap::new(),
            next_ticket: 0,
            turns: 0,
            random: Random::new(seed),
        }
    }

    /// A Credential is to be looked at.
    pub(super) fn push(&mut self, name: ObjectName, lane: Lane, now: Instant) {
        match self.entries.get_mut(&name).map(|entry| &mut entry.place) {
            None => self.line_up(name, lane, 0, now),
            Some(Place::Running(again)) => {
                if *again != Some(Lane::Fresh) {
                    *again = Some(lane);
                }
            }
            // What is in the backlog and then changes is as fresh as what was not.
            Some(&mut Place::Lane(held, _)) if held == lane || lane == Lane::Backlog => {}
            Some(&mut (Place::Lane(..) | Place::Delayed(..))) => {
                let failures = self.forget(&name);
                self.line_up(name, lane, failures, now);
            }
        }
    }

    /// The next one to work on; it is running until it is finished.
    pub(super) fn pop(&mut self, now: Instant) -> Option<ObjectName> {
        self.wake(now);
        self.turns = self.turns.wrapping_add(1);
        let lanes = if self.turns.is_multiple_of(BACKLOG_TURN) {
            [Lane::Backlog, Lane::Fresh]
        } else {
            [Lane::Fresh, Lane::Backlog]
        };
        let turn = self.ticket();
        let name = lanes
            .into_iter()
            .find_map(|lane| self.lanes[lane as usize].pop(turn))?;
        if let Some(entry) = self.entries.get_mut(&name) {
            entry.place = Place::Running(None);
        }
        Some(name)
    }

    /// One that was running is not any more.
    pub(super) fn finish(&mut self, name: &ObjectName, after: After, now: Instant) {
        let Some(entry) = self.entries.get_mut(name) else {
            return;
        };
        let Place::Running(again) = entry.place else {
            return;
        };
        entry.failures = match after {
            After::Retry => entry.failures.saturating_add(1),
            After::Wait(_) | After::Again => entry.failures,
            After::Nothing => 0,
        };
        let failures = entry.failures;
        let wait = match (again, after) {
            (Some(lane), _) => return self.line_up(name.clone(), lane, failures, now),
            (None, After::Again) => return self.line_up(name.clone(), Lane::Fresh, failures, now),
            (None, After::Nothing) => {
                self.entries.remove(name);
                return;
            }
            (None, After::Wait(wait)) => wait,
            (None, After::Retry) => backoff::wait(BACKOFF, failures, self.random.roll()),
        };
        let key = (now + wait, self.ticket());
        self.delayed.insert(key, name.clone());
        let place = Place::Delayed(key.0, key.1);
        self.entries.insert(name.clone(), Entry { place, failures });
    }

    /// Forgets all that waits. What runs goes on, and is forgotten when it is finished.
    pub(super) fn clear(&mut self) {
        self.lanes = [Fair::default(), Fair::default()];
        self.delayed.clear();
        self.entries.retain(|_, entry| {
            let running = matches!(entry.place, Place::Running(_));
            if running {
                entry.place = Place::Running(None);
            }
            running
        });
    }

    /// When the next one has waited long enough.
    pub(super) fn next_wake(&self) -> Option<Instant> {
        self.delayed.keys().next().map(|(at, _)| *at)
    }

    /// How many wait in a lane.
    pub(super) fn depth(&self, lane: Lane) -> usize {
        self.lanes[lane as usize].len()
    }

    /// How many wait for a retry.
    pub(super) fn delayed(&self) -> usize {
        self.delayed.len()
    }

    /// How long the one that waits longest in a lane has waited.
    pub(super) fn age(&self, now: Instant) -> Duration {
        let oldest = self.lanes.iter().filter_map(Fair::oldest).min();
        oldest
            .map(|since| now.saturating_duration_since(since))
            .unwrap_or_default()
    }

    /// Moves those that have waited long enough into the fresh lane.
    fn wake(&mut self, now: Instant) {
        while let Some(entry) = self.delayed.first_entry().filter(|entry| entry.key().0 <= now) {
            let name = entry.remove();
            let failures = self.entries.get(&name).map_or(0, |entry| entry.failures);
            self.line_up(name, Lane::Fresh, failures, now);
        }
    }

    fn line_up(&mut self, name: ObjectName, lane: Lane, failures: u32, now: Instant) {
        let number = self.ticket();
        let place = Place::Lane(lane, number);
        self.entries.insert(name.clone(), Entry { place, failures });
        self.lanes[lane as usize].push(name, number, now);
    }

    /// Takes one that waits out of its place; gives back how often it has failed.
    fn forget(&mut self, name: &ObjectName) -> u32 {
        let Some(entry) = self.entries.remove(name) else {
            return 0;
        };
        match entry.place {
            Place::Lane(lane, number) => self.lanes[lane as usize].remove(name, number),
            Place::Delayed(at, number) => drop(self.delayed.remove(&(at, number))),
            Place::Running(_) => {}
        }
        entry.failures
    }

    fn ticket(&mut self) -> u64 {
        self.next_ticket += 1;
        self.next_ticket
    }
}

#[cfg(test)]
mod tests;
