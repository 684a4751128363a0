//! Where a route is attached, as all objects are now, and why it is not where it asks to be.

use std::collections::BTreeSet;

use latchkey_core::object::ObjectName;

use super::{RouterConfig, gateways, store::Store};
use crate::{
    attach::{self, Namespaces, Refusal},
    hostname::Hostname,
    read::{
        Problem, Reason,
        gateway::{Gateway, Listener},
        http_route::{HttpRoute, Readable},
        parent_ref::ParentRef,
        selector::Labels,
    },
};

/// A hostname on a listener.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct HostRef {
    pub(super) gateway: ObjectName,
    pub(super) listener: String,
    pub(super) hostname: Hostname,
}

/// Where a route is attached.
pub(super) fn of(
    store: &Store,
    config: &RouterConfig,
    name: &ObjectName,
    route: &HttpRoute,
) -> (BTreeSet<HostRef>, Vec<Problem>) {
    let labels = store.labels(&name.namespace);
    let mut attached = BTreeSet::new();
    let mut problems = Vec::new();
    let Readable { parents, hostnames } = route.readable();
    match parents {
        Some(parents) => {
            for parent in parents {
                match to(store, config, name, &labels, hostnames, parent) {
                    Ok(found) => attached.extend(host_refs(&parent.gateway, found)),
                    Err(problem) => problems.extend(problem),
                }
            }
        }
        // Without a hostname either, closing its namespace is all that can be done.
        None if hostnames.is_empty() => {}
        None => {
            for (gateway, listeners) in all_listeners(store, config) {
                let found = attach::attach_anywhere(hostnames, namespaces(name, &labels, gateway), listeners);
                attached.extend(host_refs(gateway, found.unwrap_or_default()));
            }
        }
    }
    (attached, problems)
}

/// The listeners of a parent that a route is attached to, or why to none; `None`: other controllers
/// serve it.
pub(super) fn to<'s>(
    store: &'s Store,
    config: &RouterConfig,
    name: &ObjectName,
    labels: &Labels,
    hostnames: &[Hostname],
    parent: &ParentRef,
) -> Result<Vec<(&'s str, Hostname)>, Option<Problem>> {
    if let Some(problem) = &parent.unsupported {
        return Err(Some(parent.problem(problem.clone())));
    }
    let found = listeners(store, config, parent).and_then(|listeners| {
        let namespaces = namespaces(name, labels, &parent.gateway);
        attach::attach(parent, hostnames, namespaces, listeners).map_err(refused)
    });
    found.map_err(|why| {
        let (reason, message) = why?;
        let text = format!("Gateway {}: {message}", parent.gateway);
        Some(parent.problem(Problem::new(reason, text)))
    })
}

fn namespaces<'a>(route: &'a ObjectName, labels: &'a Labels, gateway: &'a ObjectName) -> Namespaces<'a> {
    Namespaces {
        route: &route.namespace,
        labels,
        gateway: &gateway.namespace,
    }
}

type Why = Option<(Reason, &'static str)>;

/// The listeners of a parent, or why there are none; `None`: other controllers serve it.
fn listeners<'s>(store: &'s Store, config: &RouterConfig, parent: &ParentRef) -> Result<&'s [Listener], Why> {
    let missing = |message| Err(Some((Reason::NoMatchingParent, message)));
    match store.gateways.get(&parent.gateway) {
        None => missing("does not exist; create it or correct the parentRef"),
        Some(gateway) if !gateways::is_ours(config, gateway) => Err(None),
        Some(Gateway { body: Err(_), .. }) => missing("cannot be read; correct it"),
        Some(Gateway {
            body: Ok(listeners), ..
        }) => Ok(listeners),
    }
}

fn refused(refusal: Refusal) -> Why {
    Some((refusal.reason(), refusal.message()))
}

/// The listeners of all Gateways of our class that can be read.
fn all_listeners<'s>(
    store: &'s Store,
    config: &RouterConfig,
) -> impl Iterator<Item = (&'s ObjectName, &'s [Listener])> {
    store
        .gateways
        .iter()
        .filter(|(_, gateway)| gateways::is_ours(config, gateway))
        .filter_map(|(name, gateway)| Some((name, gateway.body.as_deref().ok()?)))
}

fn host_refs(gateway: &ObjectName, found: Vec<(&str, Hostname)>) -> impl Iterator<Item = HostRef> {
    found.into_iter().map(|(listener, hostname)| HostRef {
        gateway: gateway.clone(),
        listener: listener.to_owned(),
        hostname,
    })
}
