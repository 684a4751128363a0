//! Which listeners of one Gateway can be served, and which ports it asks for with them.

use std::collections::BTreeSet;

use latchkey_core::object::ObjectName;

use crate::read::{
    Problem, Reason,
    gateway::{HTTP, Listener},
};

/// What becomes of a listener, whoever gets its port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is served.
    Serves,
    /// Its protocol is not ours.
    Foreign,
    /// Another listener has its port and hostname: neither is served (Gateway API picks no winner).
    HostnameConflict,
    /// Another listener has its port and a different protocol.
    ProtocolConflict,
}

/// The role of the listener at each index.
pub(crate) fn roles(listeners: &[Listener]) -> Vec<Role> {
    let role = |(index, listener): (usize, &Listener)| {
        let others = || {
            let others = listeners.iter().enumerate().filter(|(at, _)| *at != index);
            others
                .map(|(_, other)| other)
                .filter(|other| other.port == listener.port)
        };
        if listener.protocol != HTTP {
            Role::Foreign
        } else if others().any(|other| other.protocol != HTTP) {
            Role::ProtocolConflict
        } else if others().any(|other| other.hostname == listener.hostname) {
            Role::HostnameConflict
        } else {
            Role::Serves
        }
    };
    listeners.iter().enumerate().map(role).collect()
}

/// The ports that a Gateway with these listeners asks for.
pub(crate) fn claimed(listeners: &[Listener]) -> BTreeSet<u16> {
    listeners
        .iter()
        .zip(roles(listeners))
        .filter(|(_, role)| *role == Role::Serves)
        .map(|(listener, _)| listener.port)
        .collect()
}

/// What is wrong between listeners, by path from the object.
pub(crate) fn conflicts(listeners: &[Listener]) -> impl Iterator<Item = Problem> {
    let roles = roles(listeners).into_iter().enumerate();
    roles.filter_map(|(index, role)| conflict(index, role))
}

/// What is wrong between the listener at `index`, which has this role, and others.
pub(crate) fn conflict(index: usize, role: Role) -> Option<Problem> {
    let (reason, message) = match role {
        Role::Serves | Role::Foreign => return None,
        Role::HostnameConflict => (
            Reason::HostnameConflict,
            "another listener has this port and hostname, so neither is served; change one",
        ),
        Role::ProtocolConflict => (
            Reason::ProtocolConflict,
            "another listener has this port with another protocol; change one",
        ),
    };
    Some(Problem::new(reason, message).under(&format!("spec.listeners[{index}]")))
}

/// A port that an older Gateway has.
pub(crate) fn unavailable(port: u16, owner: &ObjectName) -> Problem {
    let message =
        format!("port {port} belongs to the older Gateway {owner}; use another port or attach routes there");
    Problem::new(Reason::PortUnavailable, message)
}

#[cfg(test)]
mod tests;
