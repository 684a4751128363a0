//! What is known of all objects, and who refers to whom.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::SocketAddr,
    sync::Arc,
};

use latchkey_core::object::ObjectName;

use super::links::Links;
use crate::{
    policy::Holding,
    read::{
        auth_policy::{AuthPolicy, Target},
        endpoint_slice::EndpointSlice,
        gateway::Gateway,
        http_route::HttpRoute,
        namespace,
        reference_grant::ReferenceGrant,
        selector::Labels,
        service::Service,
    },
};

/// All objects, as they were read.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub(super) gateways: HashMap<ObjectName, Gateway>,
    pub(super) routes: HashMap<ObjectName, Arc<HttpRoute>>,
    /// By namespace, then name: all of a namespace are asked together.
    pub(super) grants: HashMap<String, BTreeMap<String, ReferenceGrant>>,
    pub(super) services: HashMap<ObjectName, Service>,
    pub(super) slices: HashMap<ObjectName, EndpointSlice>,
    pub(super) namespaces: HashMap<String, Labels>,
    pub(super) policies: HashMap<ObjectName, AuthPolicy>,
    pub(super) links: Links,
}

/// Sets or removes what stands under a key; gives back what stood there if that changed anything.
pub(super) fn replace<T: PartialEq>(
    map: &mut HashMap<ObjectName, T>,
    name: &ObjectName,
    new: Option<T>,
) -> Option<Option<T>> {
    if map.get(name) == new.as_ref() {
        return None;
    }
    Some(match new {
        Some(new) => map.insert(name.clone(), new),
        None => map.remove(name),
    })
}

impl Store {
    /// The labels of a namespace, which need not be described by an object.
    pub(super) fn labels(&self, namespace: &str) -> Labels {
        self.namespaces
            .get(namespace)
            .cloned()
            .unwrap_or_else(|| namespace::read(namespace, None))
    }

    /// Whether HTTPRoutes of `namespace` may refer to a Service.
    pub(super) fn permits(&self, namespace: &str, service: &ObjectName) -> bool {
        namespace == service.namespace
            || self.grants.get(&service.namespace).is_some_and(|grants| {
                grants
                    .values()
                    .any(|grant| grant.permits(namespace, &service.name))
            })
    }

    /// The ready endpoints of a Service's port, sorted, each once.
    pub(super) fn endpoints(&self, service: &ObjectName, port: u16) -> Vec<SocketAddr> {
        let mut endpoints = BTreeSet::new();
        let port = self.services.get(service).and_then(|service| service.port(port));
        if let Some(port) = port {
            for slice in self.links.slices_of_service.get(service) {
                if let Some(slice) = self.slices.get(slice) {
                    slice.collect(&port.name, &mut endpoints);
                }
            }
        }
        endpoints.into_iter().collect()
    }

    /// What holds for a target.
    pub(super) fn holding(&self, target: &Target) -> Holding {
        let deciding = self.links.claims.deciding(target);
        let mut holding = Holding::of(deciding.filter_map(|name| self.policies.get(name)));
        if let Target::Gateway(gateway) = target {
            holding.closed |= self.has_astray(gateway);
        }
        holding
    }

    /// Whether a policy names a listener that this Gateway does not have. Looks at one more at most than
    /// the Gateway has.
    fn has_astray(&self, gateway: &ObjectName) -> bool {
        let mut sections = self.links.claims.sections(gateway);
        sections.any(|section| self.astray(&Target::Listener(gateway.clone(), section.clone())))
    }

    /// Whether a target's Gateway is there and can be read, but has no such listener. It may serve what
    /// the policy was meant to hold for under another name, so all of the Gateway is closed.
    pub(super) fn astray(&self, target: &Target) -> bool {
        matches!(target, Target::Listener(gateway, _) if self.gateways.contains_key(gateway))
            && !self.exists(target)
    }

    /// Whether a policy's target exists.
    pub(super) fn exists(&self, target: &Target) -> bool {
        match target {
            Target::Gateway(name) => self.gateways.contains_key(name),
            Target::Listener(name, section) => {
                self.gateways
                    .get(name)
                    .is_some_and(|gateway| match &gateway.body {
                        Ok(listeners) => listeners.iter().any(|l| l.name == *section),
                        // Which listeners it has cannot be said.
                        Err(_) => true,
                    })
            }
            Target::Route(name) => self.routes.contains_key(name),
        }
    }
}
