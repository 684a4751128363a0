//! The Gateways of our class: who has which port, and the tables of each listener's hostnames.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use latchkey_core::{object::ObjectName, time::UnixSeconds};

use super::{RouterConfig, links::Multimap, store::Store, work};
use crate::{
    host::Hosts,
    ports::{self, Role},
    read::{
        Problem,
        auth_policy::Target,
        gateway::{Gateway, HTTP, Listener},
    },
    table::{ListenerTable, PortTable},
};

/// All Gateways of our class.
#[derive(Debug, Default)]
pub(super) struct Gateways {
    states: HashMap<ObjectName, State>,
    /// Who asks for a port, the oldest first.
    claims: Multimap<u16, (UnixSeconds, ObjectName)>,
}

#[derive(Debug)]
struct State {
    created: UnixSeconds,
    claimed: BTreeSet<u16>,
    listeners: BTreeMap<String, ListenerState>,
}

#[derive(Debug, Default)]
struct ListenerState {
    port: u16,
    hosts: Hosts,
}

/// What the change of a Gateway does to ports.
pub(super) struct Touched {
    /// What it serves, or served.
    pub(super) served: BTreeSet<u16>,
    /// Of these, the ones that went to it, or to others.
    pub(super) passed_on: BTreeSet<u16>,
}

impl Gateways {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    /// A Gateway may have changed: gives back what that does to ports.
    pub(super) fn update(&mut self, name: &ObjectName, gateway: Option<&Gateway>) -> Touched {
        let had = self.owned(name);
        self.replace(name, gateway);
        let has = self.owned(name);
        Touched {
            passed_on: had.symmetric_difference(&has).copied().collect(),
            served: had.union(&has).copied().collect(),
        }
    }

    /// The ports that a Gateway has.
    fn owned(&self, name: &ObjectName) -> BTreeSet<u16> {
        let claimed = self.claimed(name);
        claimed
            .filter(|port| self.claimants(port).next() == Some(name))
            .collect()
    }

    fn replace(&mut self, name: &ObjectName, gateway: Option<&Gateway>) {
        let old = self.states.remove(name);
        let mut tables = BTreeMap::new();
        if let Some(old) = old {
            for port in old.claimed {
                self.claims.remove(&port, &(old.created, name.clone()));
            }
            tables = old.listeners;
        }
        let Some(gateway) = gateway else {
            return;
        };
        let (claimed, listeners) = match &gateway.body {
            Ok(listeners) => (ports::claimed(listeners), listeners.as_slice()),
            Err(broken) => (broken.ports.clone(), &[][..]),
        };
        let created = gateway.meta.created;
        for port in &claimed {
            self.claims.insert(*port, (created, name.clone()));
        }
        let listeners = listeners
            .iter()
            .filter(|listener| listener.protocol == HTTP)
            .map(|listener| {
                let mut state: ListenerState = tables.remove(&listener.name).unwrap_or_default();
                state.port = listener.port;
                (listener.name.clone(), state)
            })
            .collect();
        let state = State {
            created,
            claimed,
            listeners,
        };
        self.states.insert(name.clone(), state);
    }

    /// The hostname tables of a listener, and its port.
    pub(super) fn hosts_mut(&mut self, gateway: &ObjectName, listener: &str) -> Option<(u16, &mut Hosts)> {
        let state = self.states.get_mut(gateway)?.listeners.get_mut(listener)?;
        Some((state.port, &mut state.hosts))
    }

    /// All Gateways that ask for a port, the one that has it first.
    pub(super) fn claimants(&self, port: &u16) -> impl Iterator<Item = &ObjectName> {
        self.claims.get(port).map(|(_, name)| name)
    }

    /// The ports that a Gateway asks for.
    pub(super) fn claimed(&self, gateway: &ObjectName) -> impl Iterator<Item = u16> {
        self.states
            .get(gateway)
            .into_iter()
            .flat_map(|state| state.claimed.iter().copied())
    }

    /// What a port serves.
    pub(super) fn port(&self, store: &Store, port: u16) -> Option<PortTable> {
        let name = self.claimants(&port).next()?;
        let (state, gateway) = (self.states.get(name)?, store.gateways.get(name)?);
        let mut table = PortTable {
            port,
            gateway: name.clone(),
            closed: gateway.body.is_err(),
            policies: store.holding(&Target::Gateway(name.clone())),
            listeners: Vec::new(),
        };
        let listeners = gateway.body.as_deref().unwrap_or_default();
        let served = listeners
            .iter()
            .zip(ports::roles(listeners))
            .filter(|(listener, _)| listener.port == port)
            .filter(|(_, role)| matches!(role, Role::Serves | Role::HostnameConflict));
        table.listeners = served
            .map(|(listener, role)| ListenerTable {
                hostname: listener.hostname.clone(),
                refused: role != Role::Serves,
                policies: store.holding(&Target::Listener(name.clone(), listener.name.clone())),
                hosts: state.hosts(listener),
            })
            .collect();
        table
            .listeners
            .sort_by_key(|listener| std::cmp::Reverse(listener.hostname.specificity()));
        Some(table)
    }

    /// What is wrong with a Gateway of our class.
    pub(super) fn problems(&self, name: &ObjectName, gateway: &Gateway) -> Vec<Problem> {
        work::look();
        let mut problems = gateway.problems();
        let Some(state) = self.states.get(name) else {
            return Vec::new();
        };
        if let Ok(listeners) = &gateway.body {
            problems.extend(ports::conflicts(listeners));
        }
        for port in &state.claimed {
            if let Some(owner) = self.other_owner(*port, name) {
                problems.push(ports::unavailable(*port, owner).under("spec.listeners"));
            }
        }
        problems
    }

    /// The Gateway that has a port, if it is another one.
    pub(super) fn other_owner(&self, port: u16, name: &ObjectName) -> Option<&ObjectName> {
        self.claimants(&port).next().filter(|owner| *owner != name)
    }
}

impl State {
    fn hosts(&self, listener: &Listener) -> Hosts {
        self.listeners
            .get(&listener.name)
            .map(|state| state.hosts.clone())
            .unwrap_or_default()
    }
}

/// Whether a Gateway is of our class. One whose class cannot be read may be.
pub(super) fn is_ours(config: &RouterConfig, gateway: &Gateway) -> bool {
    gateway
        .class
        .as_ref()
        .is_none_or(|class| *class == config.gateway_class)
}
