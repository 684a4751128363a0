//! Which listeners of a Gateway a route is attached to, and under which hostnames.

use crate::{
    hostname::Hostname,
    read::{
        Reason,
        gateway::{Admits, HTTP, Listener},
        parent_ref::ParentRef,
        selector::Labels,
    },
};

/// Why a route is attached to no listener of a Gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// None is what the parentRef names.
    NoMatchingParent,
    /// None of those admits routes of this namespace.
    NotAllowedByListeners,
    /// None of those shares a hostname with the route.
    NoMatchingListenerHostname,
}

impl Refusal {
    /// The condition's reason.
    pub(crate) fn reason(self) -> Reason {
        match self {
            Self::NoMatchingParent => Reason::NoMatchingParent,
            Self::NotAllowedByListeners => Reason::NotAllowedByListeners,
            Self::NoMatchingListenerHostname => Reason::NoMatchingListenerHostname,
        }
    }

    /// What is wrong and the remedy.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::NoMatchingParent => {
                "it has no HTTP listener of that sectionName and port; correct the parentRef"
            }
            Self::NotAllowedByListeners => {
                "its listeners do not admit this namespace; change their allowedRoutes"
            }
            Self::NoMatchingListenerHostname => {
                "its listeners have no hostname in common with the route; change either"
            }
        }
    }
}

/// The namespaces of a route and of a Gateway that it asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Namespaces<'a> {
    pub(crate) route: &'a str,
    /// The labels of the route's namespace.
    pub(crate) labels: &'a Labels,
    pub(crate) gateway: &'a str,
}

/// Attaches a route to the listeners that it asks for: by name of the listener and hostname.
pub(crate) fn attach<'l>(
    parent: &ParentRef,
    hostnames: &[Hostname],
    namespaces: Namespaces<'_>,
    listeners: &'l [Listener],
) -> Result<Vec<(&'l str, Hostname)>, Refusal> {
    let named = |listener: &&Listener| {
        parent.section.as_ref().is_none_or(|name| *name == listener.name)
            && parent.port.is_none_or(|port| port == listener.port)
    };
    attach_where(named, hostnames, namespaces, listeners)
}

/// Attaches a route whose parents cannot be read to each listener that might be meant.
pub(crate) fn attach_anywhere<'l>(
    hostnames: &[Hostname],
    namespaces: Namespaces<'_>,
    listeners: &'l [Listener],
) -> Result<Vec<(&'l str, Hostname)>, Refusal> {
    attach_where(|_| true, hostnames, namespaces, listeners)
}

fn attach_where<'l>(
    named: impl Fn(&&'l Listener) -> bool,
    hostnames: &[Hostname],
    namespaces: Namespaces<'_>,
    listeners: &'l [Listener],
) -> Result<Vec<(&'l str, Hostname)>, Refusal> {
    let named: Vec<_> = listeners
        .iter()
        .filter(|listener| listener.protocol == HTTP)
        .filter(named)
        .collect();
    if named.is_empty() {
        return Err(Refusal::NoMatchingParent);
    }
    let admitting: Vec<_> = named
        .into_iter()
        .filter(|listener| admits(&listener.admits, namespaces))
        .collect();
    if admitting.is_empty() {
        return Err(Refusal::NotAllowedByListeners);
    }
    let attached: Vec<_> = admitting
        .into_iter()
        .flat_map(|listener| {
            common(&listener.hostname, hostnames)
                .into_iter()
                .map(|hostname| (listener.name.as_str(), hostname))
        })
        .collect();
    if attached.is_empty() {
        return Err(Refusal::NoMatchingListenerHostname);
    }
    Ok(attached)
}

fn admits(admits: &Admits, namespaces: Namespaces<'_>) -> bool {
    match admits {
        Admits::All => true,
        Admits::Same => namespaces.route == namespaces.gateway,
        Admits::Selected(selector) => selector.selects(namespaces.labels),
        Admits::Nobody => false,
    }
}

/// The hostnames of a route on a listener: those in common, or the listener's if the route has none.
fn common(listener: &Hostname, route: &[Hostname]) -> Vec<Hostname> {
    if route.is_empty() {
        return vec![listener.clone()];
    }
    route
        .iter()
        .filter_map(|hostname| listener.intersect(hostname))
        .collect()
}

#[cfg(test)]
mod tests;
