//! One lane of the queue: namespaces take turns, and what came first of a namespace goes first. However much
//! of one namespace waits, it delays another's by one turn.
//!
//! Every operation takes logarithmic time. Holds nothing of a namespace of which nothing waits.

use std::{
    collections::{BTreeMap, HashMap},
    time::Instant,
};

use latchkey_core::object::ObjectName;

/// The lane. Numbers come from its owner: each is greater than all before it.
#[derive(Debug, Default)]
pub(super) struct Fair {
    /// Since when each waits: the first has waited longest.
    since: BTreeMap<u64, Instant>,
    lines: HashMap<String, Line>,
    /// The namespaces in the order of their turns.
    turns: BTreeMap<u64, String>,
}

/// What waits of one namespace: always something.
#[derive(Debug)]
struct Line {
    turn: u64,
    names: BTreeMap<u64, ObjectName>,
}

impl Fair {
    /// Puts one at the end of its namespace's line. A namespace that had none is last to have its turn.
    pub(super) fn push(&mut self, name: ObjectName, number: u64, now: Instant) {
        self.since.insert(number, now);
        if let Some(line) = self.lines.get_mut(&name.namespace) {
            line.names.insert(number, name);
            return;
        }
        let namespace = name.namespace.clone();
        self.turns.insert(number, namespace.clone());
        let line = Line {
            turn: number,
            names: BTreeMap::from([(number, name)]),
        };
        self.lines.insert(namespace, line);
    }

    /// Takes the first of the namespace whose turn it is; `number` is that namespace's next turn.
    pub(super) fn pop(&mut self, number: u64) -> Option<ObjectName> {
        let (_, namespace) = self.turns.pop_first()?;
        let line = self.lines.get_mut(&namespace)?;
        let (place, name) = line.names.pop_first()?;
        self.since.remove(&place);
        if line.names.is_empty() {
            self.lines.remove(&namespace);
        } else {
            line.turn = number;
            self.turns.insert(number, namespace);
        }
        Some(name)
    }

    /// Takes out the one that was put in with this number.
    pub(super) fn remove(&mut self, name: &ObjectName, number: u64) {
        self.since.remove(&number);
        let Some(line) = self.lines.get_mut(&name.namespace) else {
            return;
        };
        line.names.remove(&number);
        if line.names.is_empty() {
            self.turns.remove(&line.turn);
            self.lines.remove(&name.namespace);
        }
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.since.len()
    }

    /// Since when the one waits that waits longest.
    pub(super) fn oldest(&self) -> Option<Instant> {
        self.since.values().next().copied()
    }

    /// Of how many namespaces anything is held.
    #[cfg(test)]
    pub(super) fn namespaces(&self) -> [usize; 2] {
        [self.lines.len(), self.turns.len()]
    }
}
