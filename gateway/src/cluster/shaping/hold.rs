//! Deletions of what shapes routing, held until it is known whether they are meant.
//!
//! ```text
//! Deleted -> held HOLD long -> asked: is the kind still served? -> yes: passed on
//!    |                             ^                           `-> it goes or is gone: ignored
//!    `- Applied, a complete list:  `-- cannot be said ---'
//!       forgotten
//! ```
//!
//! Before an API server removes a CRD it deletes all objects of its kind, and a watch shows that as so many
//! single deletions. Whoever removes a CRD did not mean to open every door that its objects kept shut, so
//! such a deletion is ignored; for that, each one has to wait until the kind's standing can be told.
//!
//! Pure: the clock is an argument, and others do the asking. Policies are held longer than what they protect,
//! so that a route that was deleted before its policy goes before it too, though the watch that tells of it
//! is a little behind.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::{Duration, Instant},
};

use latchkey_core::object::ObjectName;
use latchkey_routing::object::Resource;
use latchkey_runtime::watch::Event;
use serde_json::json;

use super::pace::Pace;
use crate::{
    cluster::{fact::name_of, kinds::Watched},
    object::Kind,
};

/// How long a deletion waits before it is asked about: every API server has by then heard of a CRD that was
/// being removed when the object was deleted.
const HOLD: Duration = Duration::from_millis(500);
/// How long that of an AuthPolicy does.
const HOLD_POLICY: Duration = Duration::from_secs(1);
/// Deletions that are held at most. What would be too much is ignored, so that nothing opens.
const LIMIT: usize = 65_536;

/// What follows from an event or an answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Step {
    /// Events that are in force now, in order, each with the number of its collection.
    pub(super) pass: Vec<(usize, Event)>,
    /// Deletions that never will be.
    pub(super) ignored: Vec<Ignored>,
}

/// Deletions that are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ignored {
    pub(super) kind: Kind,
    pub(super) why: Why,
    pub(super) count: usize,
    /// Whether this is news: not since the last complete list of the kind.
    pub(super) news: bool,
}

/// Why a deletion is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// Its kind is being removed.
    KindGoes,
    /// Too many are held.
    TooMany,
}

/// All deletions that are held.
#[derive(Debug)]
pub(super) struct Hold {
    /// By number.
    watched: Vec<Watched>,
    /// In the order in which they are due.
    held: BTreeMap<Turn, Deletion>,
    places: HashMap<(usize, ObjectName), Turn>,
    next: u64,
    /// Those that were due then are being asked about.
    asked: Option<Instant>,
    pace: Pace,
    told: BTreeSet<(Kind, Why)>,
    limit: usize,
}

/// When a deletion is due, and a number that sets those apart that are due at once.
type Turn = (Instant, u64);

#[derive(Debug)]
struct Deletion {
    collection: usize,
    name: ObjectName,
}

impl Hold {
    /// Nothing is held. `seed` spreads the waits of processes that fail together.
    pub(super) fn new(watched: Vec<Watched>, seed: u64) -> Self {
        Self {
            watched,
            held: BTreeMap::new(),
            places: HashMap::new(),
            next: 0,
            asked: None,
            pace: Pace::new(seed),
            told: BTreeSet::new(),
            limit: LIMIT,
        }
    }

    /// How many are held.
    pub(super) fn len(&self) -> usize {
        self.held.len()
    }

    /// Takes in what happened in a collection.
    pub(super) fn take(&mut self, id: usize, event: Event, now: Instant) -> Step {
        let mut step = Step::default();
        let Some(kind) = self.watched.get(id).map(|watched| watched.kind) else {
            return step;
        };
        match &event {
            Event::Deleted(object) if kind.shapes() => {
                if let Some(name) = name_of(object) {
                    self.hold(id, kind, name, now, &mut step);
                    return step;
                }
            }
            Event::Applied(object) | Event::Listed(object) => {
                if let Some(name) = name_of(object) {
                    self.forget(id, name);
                }
            }
            // What a complete list does not name is gone, whatever was held.
            Event::ListEnd => {
                self.release(id);
                self.told.retain(|(told, _)| *told != kind);
            }
            Event::Missing => {
                let count = self.release(id);
                self.ignore(kind, Why::KindGoes, count, &mut step);
            }
            Event::Deleted(_) | Event::ListBegin | Event::Trouble(_) | Event::Working => {}
        }
        step.pass.push((id, event));
        step
    }

    /// When to ask; `None` while nothing is held, or an answer is awaited.
    pub(super) fn wake(&self) -> Option<Instant> {
        if self.asked.is_some() {
            return None;
        }
        let ((due, _), _) = self.held.first_key_value()?;
        Some(self.pace.earliest(*due))
    }

    /// What to ask about, for all that are due: one question, which is to be followed by its answer.
    pub(super) fn ask(&mut self, now: Instant) -> BTreeSet<Resource> {
        self.asked = Some(now);
        self.pace.ask(now);
        let asked = self.held.range(..=(now, u64::MAX));
        asked
            .filter_map(|(_, deletion)| self.resource(deletion.collection))
            .collect()
    }

    /// The answer: which of the kinds still stand. It decides about those that were due when it was asked;
    /// later ones may belong to a removal that it does not know of.
    pub(super) fn answered(&mut self, standing: &BTreeSet<Resource>, now: Instant) -> Step {
        let mut step = Step::default();
        let Some(asked) = self.asked.take() else {
            return step;
        };
        let later = self.held.split_off(&(asked, u64::MAX));
        let mut ignored = BTreeMap::new();
        for deletion in std::mem::replace(&mut self.held, later).into_values() {
            let id = deletion.collection;
            let place = (id, deletion.name);
            self.places.remove(&place);
            if self
                .resource(id)
                .is_some_and(|resource| standing.contains(&resource))
            {
                step.pass.push((id, deleted(&place.1)));
            } else if let Some(watched) = self.watched.get(id) {
                *ignored.entry(watched.kind).or_default() += 1;
            }
        }
        for (kind, count) in ignored {
            self.ignore(kind, Why::KindGoes, count, &mut step);
        }
        self.pace.answered(now);
        self.pace.settled();
        step
    }

    /// There is no answer: it is asked again, later each time. Whether that is news.
    pub(super) fn unanswered(&mut self, retry_after: Option<Duration>, now: Instant) -> bool {
        self.asked = None;
        self.pace.again(retry_after, now) == 1
    }

    fn resource(&self, id: usize) -> Option<Resource> {
        let collection = &self.watched.get(id)?.collection;
        Some(Resource {
            api_version: collection.api_version,
            plural: collection.plural,
        })
    }

    fn hold(&mut self, id: usize, kind: Kind, name: ObjectName, now: Instant, step: &mut Step) {
        self.forget(id, name.clone());
        if self.held.len() >= self.limit {
            return self.ignore(kind, Why::TooMany, 1, step);
        }
        let hold = match kind {
            Kind::AuthPolicy => HOLD_POLICY,
            _ => HOLD,
        };
        let turn = (now + hold, self.next);
        self.next += 1;
        self.places.insert((id, name.clone()), turn);
        self.held.insert(turn, Deletion { collection: id, name });
    }

    fn forget(&mut self, id: usize, name: ObjectName) {
        if let Some(turn) = self.places.remove(&(id, name)) {
            self.held.remove(&turn);
        }
    }

    /// Forgets all of a collection; how many.
    fn release(&mut self, id: usize) -> usize {
        let before = self.held.len();
        self.held.retain(|_, deletion| deletion.collection != id);
        self.places.retain(|(collection, _), _| *collection != id);
        before - self.held.len()
    }

    fn ignore(&mut self, kind: Kind, why: Why, count: usize, step: &mut Step) {
        if count > 0 {
            step.ignored.push(Ignored {
                kind,
                why,
                count,
                news: self.told.insert((kind, why)),
            });
        }
    }
}

/// As the watch told it, but for what nobody needs of an object that is gone.
fn deleted(name: &ObjectName) -> Event {
    Event::Deleted(json!({"metadata": {"namespace": name.namespace, "name": name.name}}))
}

#[cfg(test)]
mod tests;
