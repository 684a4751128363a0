//! What was touched since the last commit.

use std::collections::{BTreeMap, BTreeSet};

use latchkey_core::object::ObjectName;

use super::links::Links;
use crate::read::{auth_policy::Target, gateway::Listener};

/// What the next commit has to look at.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Gateways that changed, came or went.
    pub(super) gateways: BTreeSet<ObjectName>,
    /// Routes, and what may be different for them.
    pub(super) routes: BTreeMap<ObjectName, Touch>,
    /// Services of which ports or endpoints changed.
    pub(super) services: BTreeSet<ObjectName>,
    /// Policies of which something may be wrong or right again.
    pub(super) policies: BTreeSet<ObjectName>,
    /// Targets of which other policies may hold.
    pub(super) targets: BTreeSet<Target>,
    /// Which namespaces are closed.
    pub(super) closures: bool,
}

/// What may be different for a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touch {
    /// Where it is attached.
    Attachment,
    /// That, and what its rules do.
    Rules,
}

impl Changes {
    /// Touches a route.
    pub(super) fn route(&mut self, name: &ObjectName, touch: Touch) {
        let held = self.routes.entry(name.clone()).or_insert(touch);
        *held = touch.max(*held);
    }

    /// Touches routes.
    pub(super) fn routes<'n>(&mut self, names: impl IntoIterator<Item = &'n ObjectName>, touch: Touch) {
        for name in names {
            self.route(name, touch);
        }
    }

    /// Touches all that refers to a Gateway: whether it is there, is ours or can be read is not as before.
    pub(super) fn whole_gateway(&mut self, links: &Links, name: &ObjectName) {
        let routes = links.routes_of_gateway.get(name);
        self.routes(routes.chain(&links.routes_of_any_gateway), Touch::Attachment);
        self.policies.extend(links.claims.of_gateway(name).cloned());
        self.astray(links, name);
    }

    /// Touches what refers to the listeners of a Gateway that are not as before.
    pub(super) fn listeners(
        &mut self,
        links: &Links,
        gateway: &ObjectName,
        old: &[Listener],
        new: &[Listener],
    ) {
        let lacks = |listeners: &[Listener], name: &str| listeners.iter().all(|l| l.name != name);
        let changed = old.iter().filter(|listener| !new.contains(listener));
        let changed = changed.chain(new.iter().filter(|listener| !old.contains(listener)));
        let changed: BTreeSet<_> = changed.map(|listener| &listener.name).collect();
        if changed.is_empty() {
            return;
        }
        // Routes that name none of its listeners may be attached to each.
        let named = changed.iter().map(|name| Some((*name).clone()));
        for section in named.chain([None]) {
            let routes = links.routes_of_listener.get(&(gateway.clone(), section));
            self.routes(routes, Touch::Attachment);
        }
        self.routes(&links.routes_of_any_gateway, Touch::Attachment);
        for name in changed {
            if lacks(old, name) || lacks(new, name) {
                let target = Target::Listener(gateway.clone(), name.clone());
                self.policies.extend(links.claims.of(&target).cloned());
                self.astray(links, gateway);
            }
        }
    }

    /// Policies may name listeners that a Gateway has no longer, or again: that closes or opens all of it.
    fn astray(&mut self, links: &Links, gateway: &ObjectName) {
        if links.claims.sections(gateway).next().is_some() {
            self.targets.insert(Target::Gateway(gateway.clone()));
        }
    }
}
