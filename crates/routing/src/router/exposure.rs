//! How many routes some listener serves without any policy. Bare routes (with a rule that has no
//! policy of its own) are counted by the listeners that they share, so that a Gateway's policy can
//! come and go without a look at its routes.

use std::collections::{BTreeSet, HashMap};

use latchkey_core::object::ObjectName;

use super::links::Multimap;

/// A listener: its Gateway and its name.
pub(super) type ListenerKey = (ObjectName, String);

/// Bare routes by the listeners that they are attached to.
#[derive(Debug, Default)]
pub(super) struct Exposure {
    groups: HashMap<BTreeSet<ListenerKey>, Group>,
    groups_of_gateway: Multimap<ObjectName, BTreeSet<ListenerKey>>,
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
        let groups_of_gateway = &mut self.groups_of_gateway;
        let group = self.groups.entry(listeners).or_insert_with_key(|listeners| {
            for (gateway, _) in listeners {
                groups_of_gateway.insert(gateway.clone(), listeners.clone());
            }
            Group { routes: 0, exposed }
        });
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
                for (gateway, _) in listeners {
                    self.groups_of_gateway.remove(gateway, listeners);
                }
            }
        }
    }

    /// Policies of a Gateway or of its listeners changed.
    pub(super) fn reassess(&mut self, gateway: &ObjectName, protected: impl Fn(&ListenerKey) -> bool) {
        for listeners in self.groups_of_gateway.get(gateway) {
            let Some(group) = self.groups.get_mut(listeners) else {
                continue;
            };
            let exposed = !listeners.iter().all(&protected);
            if exposed && !group.exposed {
                self.exposed += group.routes;
            } else if !exposed && group.exposed {
                self.exposed -= group.routes;
            }
            group.exposed = exposed;
        }
    }

    /// How many routes are served without any policy.
    pub(super) fn routes(&self) -> usize {
        self.exposed
    }
}
