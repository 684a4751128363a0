//! How many routes some listener serves without any policy. Bare routes (with a rule that has no
//! policy of its own) are counted by the listeners that they share, so that a Gateway's policy can
//! come and go without a look at its routes.

use std::collections::{BTreeSet, HashMap};

use latchkey_core::object::ObjectName;

/// A listener: its Gateway and its name.
pub(super) type ListenerKey = (ObjectName, String);

/// Bare routes by the listeners that they are attached to.
#[derive(Debug, Default)]
pub(super) struct Exposure {
    groups: HashMap<BTreeSet<ListenerKey>, Group>,
    exposed: usize,
}

#[derive(Debug)]
struct Group {
    routes: usize,
    /// Whether one of the listeners has no policy.
    exposed: bool,
}

impl Exposure {
    /// A bare route is attached to these listeners.
    pub(super) fn add(&mut self, listeners: BTreeSet<ListenerKey>, protected: impl Fn(&ListenerKey) -> bool) {
        let exposed = !listeners.iter().all(protected);
        let group = self
            .groups
            .entry(listeners)
            .or_insert(Group { routes: 0, exposed });
        group.routes += 1;
        self.exposed += usize::from(group.exposed);
    }

    /// Takes back what was added once.
    pub(super) fn remove(&mut self, listeners: &BTreeSet<ListenerKey>) {
        if let Some(group) = self.groups.get_mut(listeners) {
            group.routes -= 1;
            self.exposed -= usize::from(group.exposed);
            if group.routes == 0 {
                self.groups.remove(listeners);
            }
        }
    }

    /// Policies of listeners or Gateways changed.
    pub(super) fn reassess(&mut self, protected: impl Fn(&ListenerKey) -> bool) {
        self.exposed = 0;
        for (listeners, group) in &mut self.groups {
            group.exposed = !listeners.iter().all(&protected);
            self.exposed += if group.exposed { group.routes } else { 0 };
        }
    }

    /// How many routes are served without any policy.
    pub(super) fn routes(&self) -> usize {
        self.exposed
    }
}
