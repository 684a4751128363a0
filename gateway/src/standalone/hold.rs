//! What is not believed yet: changes of objects that may open a door, until the folder is quiet.
//!
//! Whoever moves a policy to another file changes two files, and one is seen before the other. What may
//! open is therefore held back together, so that the other half can still come, and is believed together.
//!
//! Pure: knows no object's meaning, and is told the time. That has an end ([`MAX_HELD`]), so that a
//! folder that is never quiet is not one where nothing can be opened.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use crate::object::ObjectKey;

/// How long nothing that may open must have been seen to change before all of it is believed.
pub const QUIET: Duration = Duration::from_millis(250);
/// How long anything is held back; longer than a file may be written to and doubtful afterwards.
pub const MAX_HELD: Duration = Duration::from_secs(8);

/// When changes are taken in, and what is known to be still unseen then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The time.
    pub now: Instant,
    /// Whether a look at the whole folder is under way.
    pub scanning: bool,
    /// Whether some file is still to be looked at.
    pub waiting: bool,
}

/// What is held back.
#[derive(Debug)]
pub struct Hold<S> {
    states: BTreeMap<ObjectKey, S>,
    /// When the first of them came, and when one came or changed last.
    times: Option<(Instant, Instant)>,
}

impl<S> Default for Hold<S> {
    fn default() -> Self {
        Self {
            states: BTreeMap::new(),
            times: None,
        }
    }
}

impl<S: PartialEq> Hold<S> {
    /// Holds back that an object is in this state.
    pub fn put(&mut self, key: ObjectKey, state: S, now: Instant) {
        let first = self.times.map_or(now, |(first, _)| first);
        if self.states.get(&key) != Some(&state) {
            self.states.insert(key, state);
            self.times = Some((first, now));
        }
    }

    /// An object is as it was before, or has changed in a way that need not be held back.
    pub fn drop(&mut self, key: &ObjectKey) {
        self.states.remove(key);
        if self.states.is_empty() {
            self.times = None;
        }
    }

    /// When what is held is to be believed, unless something happens or is seen before; `None` if nothing is.
    pub fn due(&self, waiting: bool) -> Option<Instant> {
        let (first, last) = self.times?;
        let end = first + MAX_HELD;
        Some(if waiting { end } else { end.min(last + QUIET) })
    }

    /// The objects that are believed now: all, or none.
    ///
    /// A look at the whole folder is waited for in any case, because it ends by itself.
    pub fn release(&mut self, moment: Moment) -> Vec<ObjectKey> {
        let due = self.due(moment.waiting).is_some_and(|due| due <= moment.now);
        if !due || moment.scanning {
            return Vec::new();
        }
        self.times = None;
        std::mem::take(&mut self.states).into_keys().collect()
    }
}

#[cfg(test)]
mod tests {
    use latchkey_core::object::ObjectName;

    use super::*;
    use crate::object::Kind;

    fn key(name: &str) -> ObjectKey {
        ObjectKey {
            kind: Kind::AuthPolicy,
            name: ObjectName::new("default", name),
        }
    }

    fn quiet(now: Instant) -> Moment {
        Moment {
            now,
            scanning: false,
            waiting: false,
        }
    }

    #[test]
    fn all_is_released_together_when_the_last_has_been_quiet() {
        let (mut hold, start) = (Hold::default(), Instant::now());
        hold.put(key("a"), 1, start);
        hold.put(key("b"), 1, start + QUIET / 2);
        hold.put(key("b"), 1, start + QUIET);
        let due = start + QUIET / 2 + QUIET;
        assert_eq!(hold.due(false), Some(due));
        assert_eq!(hold.release(quiet(start + QUIET)), []);
        assert_eq!(hold.release(quiet(due)), [key("a"), key("b")]);
        assert_eq!(hold.due(false), None);
    }

    #[test]
    fn what_goes_back_is_not_waited_for() {
        let (mut hold, start) = (Hold::default(), Instant::now());
        hold.put(key("a"), 1, start);
        hold.drop(&key("a"));
        assert_eq!(hold.due(false), None);
        hold.put(key("a"), 1, start + QUIET);
        assert_eq!(hold.due(false), Some(start + 2 * QUIET));
    }

    #[test]
    fn a_folder_that_is_never_quiet_delays_but_does_not_prevent() {
        let (mut hold, start) = (Hold::default(), Instant::now());
        let mut now = start;
        let busy = |now, scanning| Moment {
            now,
            scanning,
            waiting: true,
        };
        for n in 0.. {
            hold.put(key("a"), n, now);
            if now >= start + MAX_HELD {
                break;
            }
            assert_eq!(hold.release(busy(now, false)), []);
            now += QUIET / 3;
        }
        assert_eq!(hold.release(busy(now, true)), [], "the look ends by itself");
        assert_eq!(hold.release(busy(now, false)), [key("a")]);
    }
}
