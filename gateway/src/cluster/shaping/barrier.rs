//! What may open a route waits until all AuthPolicies are here that were there before it.
//!
//! ```text
//! HTTPRoute, Gateway, Namespace, ReferenceGrant; AuthPolicy deleted
//!    `-> queue -> asked: which AuthPolicies are there? -> all were heard of -> passed on, in order
//!                       ^                               `-> some were not: until they are
//! AuthPolicy -> passed on at once, and noted ------------------'
//! ```
//!
//! Whoever applies a policy and then a route may rely on the policy. Their watches are two, and either may be
//! ahead by milliseconds, or by as long as the other is broken. A list that is asked for after the route was
//! heard of, and is consistent, names every policy that was there before the route; when each of them was
//! heard of in the version that it names, the route may go.
//!
//! Pure: the clock is an argument, and others do the asking.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    mem,
    time::{Duration, Instant},
};

use latchkey_core::object::ObjectName;
use latchkey_runtime::watch::Event;

use super::{
    pace::Pace,
    policies::{Policies, Version},
};
use crate::{
    cluster::{fact::name_of, kinds::Watched},
    object::Kind,
};

/// Events that may wait before no more are taken from watches. Each is one object.
const LIMIT: usize = 4096;
/// Questions that settle nothing before that is told: about two seconds, more than a watch is ever behind.
const PATIENCE: u32 = 4;

/// What follows from an event or an answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Step {
    /// Events that are in force now, in order, each with the number of its collection.
    pub(super) pass: Vec<(usize, Event)>,
    pub(super) news: Option<News>,
}

/// What an operator of the gateway should know.
#[derive(Debug, PartialEq)]
pub(super) enum News {
    /// For a while now policies are there that were not heard of; one of them.
    Late { policies: usize, one: ObjectName },
    /// What waited is in force after all.
    Settled,
}

/// All events that wait.
#[derive(Debug)]
pub(super) struct Barrier {
    /// By number.
    kinds: Vec<Kind>,
    /// In the order in which they came.
    queue: BTreeMap<u64, Waiting>,
    next: u64,
    /// Where deletions of policies stand in the queue.
    deletions: HashMap<(usize, ObjectName), u64>,
    policies: Policies,
    /// Those before this one are being asked about.
    asked: Option<u64>,
    /// An answer that is not satisfied yet.
    answer: Option<Answer>,
    pace: Pace,
    /// Whether it was told that something waits.
    told: bool,
    limit: usize,
}

#[derive(Debug)]
struct Waiting {
    since: Instant,
    id: usize,
    event: Event,
}

/// Policies that were not heard of, and the end of what waits for them.
#[derive(Debug)]
struct Answer {
    end: u64,
    missing: HashSet<Version>,
}

impl Barrier {
    /// Nothing waits. `seed` spreads the questions of processes that start together.
    pub(super) fn new(watched: &[Watched], seed: u64) -> Self {
        Self {
            kinds: watched.iter().map(|watched| watched.kind).collect(),
            queue: BTreeMap::new(),
            next: 0,
            deletions: HashMap::new(),
            policies: Policies::default(),
            asked: None,
            answer: None,
            pace: Pace::new(seed),
            told: false,
            limit: LIMIT,
        }
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether more may be taken from watches.
    pub(super) fn has_room(&self) -> bool {
        self.queue.len() < self.limit
    }

    /// Takes in what happened in a collection.
    pub(super) fn take(&mut self, id: usize, event: Event, now: Instant) -> Step {
        let mut step = Step::default();
        match (self.kinds.get(id), &event) {
            (Some(Kind::AuthPolicy), Event::Deleted(object)) => {
                if let Some(name) = name_of(object) {
                    self.policies.gone(id, name.clone());
                    let before = self.deletions.insert((id, name), self.next);
                    before.and_then(|number| self.queue.remove(&number));
                }
                self.wait(id, event, now);
            }
            (Some(Kind::AuthPolicy), _) => {
                self.note(id, &event);
                step.pass.push((id, event));
                self.look(&mut step);
            }
            // How a watch fares is told at once, and what it means for objects in its place.
            (Some(kind), Event::Trouble(_)) if kind.opens() => step.pass.push((id, event)),
            (Some(kind), Event::Missing) if kind.opens() => {
                step.pass.push((id, event.clone()));
                self.wait(id, event, now);
            }
            (Some(kind), _) if kind.opens() => self.wait(id, event, now),
            _ => step.pass.push((id, event)),
        }
        step
    }

    /// When to ask; `None` while nothing waits, or an answer is awaited.
    pub(super) fn wake(&self) -> Option<Instant> {
        let (_, oldest) = self.queue.first_key_value()?;
        self.asked.is_none().then(|| self.pace.earliest(oldest.since))
    }

    /// It is asked, after all that waits: one question, which is to be followed by its answer.
    pub(super) fn ask(&mut self, now: Instant) {
        self.asked = Some(self.next);
        self.policies.ask();
        self.pace.ask(now);
    }

    /// The answer: all policies that were there at some moment since it was asked.
    pub(super) fn answered(&mut self, listed: HashSet<Version>, now: Instant) -> Step {
        let end = self.asked.take().unwrap_or_default();
        let missing = self.policies.answered(listed);
        self.pace.answered(now);
        let mut step = Step::default();
        if let Some(one) = missing.iter().next().map(|version| version.name().clone())
            && self.pace.again(None, now) == PATIENCE
            && !self.told
        {
            self.told = true;
            let policies = missing.len();
            step.news = Some(News::Late { policies, one });
        }
        self.answer = Some(Answer { end, missing });
        self.look(&mut step);
        step
    }

    /// There is no answer: it is asked again, later each time. Whether that is news.
    pub(super) fn unanswered(&mut self, retry_after: Option<Duration>, now: Instant) -> bool {
        self.asked = None;
        self.policies.unanswered();
        self.pace.again(retry_after, now);
        !mem::replace(&mut self.told, true)
    }

    fn wait(&mut self, id: usize, event: Event, now: Instant) {
        let waiting = Waiting {
            since: now,
            id,
            event,
        };
        self.queue.insert(self.next, waiting);
        self.next += 1;
    }

    /// What is heard of policies.
    fn note(&mut self, id: usize, event: &Event) {
        match event {
            Event::Applied(object) | Event::Listed(object) => {
                // A deletion that still waits is of what stood there before.
                if let Some(place) = name_of(object).map(|name| (id, name))
                    && let Some(number) = self.deletions.remove(&place)
                {
                    self.queue.remove(&number);
                }
                if let Some(version) = Version::of(id, object) {
                    if let Some(answer) = &mut self.answer {
                        answer.missing.remove(&version);
                    }
                    self.policies.heard(version);
                }
            }
            Event::ListBegin => self.policies.list_begin(id),
            Event::ListEnd => self.policies.list_end(id),
            Event::Deleted(_) | Event::Missing | Event::Trouble(_) | Event::Working => {}
        }
    }

    /// Passes on what nothing is missing for any more.
    fn look(&mut self, step: &mut Step) {
        let Some(Answer { end, .. }) = self.answer.take_if(|answer| answer.missing.is_empty()) else {
            return;
        };
        self.pace.settled();
        let later = self.queue.split_off(&end);
        let settled = mem::replace(&mut self.queue, later);
        self.deletions.retain(|_, number| *number >= end);
        let passed = settled.into_values().map(|waiting| (waiting.id, waiting.event));
        step.pass.extend(passed);
        if mem::take(&mut self.told) {
            step.news = Some(News::Settled);
        }
    }
}

#[cfg(test)]
mod tests;
