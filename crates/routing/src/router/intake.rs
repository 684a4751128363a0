//! Objects come and go: what is known of each is replaced, and what that touches is marked.

use std::{collections::hash_map::Entry, sync::Arc};

use latchkey_core::object::ObjectName;

use super::{Router, changes::Touch, links, store::replace};
use crate::{
    object::{Kind, Manifest},
    read::{
        auth_policy::{AuthPolicy, Target},
        endpoint_slice::EndpointSlice,
        gateway::Gateway,
        http_route::HttpRoute,
        namespace,
        reference_grant::ReferenceGrant,
        service::Service,
    },
};

impl Router {
    /// Replaces what is known of an object; `None`: it is gone.
    pub(super) fn set(&mut self, kind: Kind, name: &ObjectName, manifest: Option<&Manifest>) {
        match kind {
            Kind::Gateway => self.set_gateway(name, manifest.map(Gateway::read)),
            Kind::HttpRoute => {
                let read = |manifest| Arc::new(HttpRoute::read(manifest, &name.namespace));
                self.set_route(name, manifest.map(read));
            }
            Kind::ReferenceGrant => self.set_grant(name, manifest.map(ReferenceGrant::read)),
            Kind::AuthPolicy => {
                let read = |manifest| AuthPolicy::read(manifest, name);
                self.set_policy(name, manifest.map(read));
            }
            Kind::Service => self.set_service(name, manifest.map(Service::read)),
            Kind::EndpointSlice => self.set_slice(name, manifest.map(EndpointSlice::read)),
            Kind::Namespace => self.set_namespace(&name.name, manifest),
        }
    }

    fn set_gateway(&mut self, name: &ObjectName, new: Option<Gateway>) {
        if replace(&mut self.store.gateways, name, new).is_none() {
            return;
        }
        let links = &self.store.links;
        self.changes.gateways.insert(name.clone());
        let routes = links.routes_of_gateway.get(name);
        self.changes
            .routes(routes.chain(&links.routes_of_any_gateway), Touch::Attachment);
        let mut policies = links.policies_of_gateway.get(name).cloned().peekable();
        // Policies may name listeners that it has no longer, or again: that closes or opens all of it.
        if policies.peek().is_some() {
            self.changes.targets.insert(Target::Gateway(name.clone()));
        }
        self.changes.policies.extend(policies);
    }

    fn set_route(&mut self, name: &ObjectName, new: Option<Arc<HttpRoute>>) {
        let Some(old) = replace(&mut self.store.routes, name, new) else {
            return;
        };
        let links = &mut self.store.links;
        if let Some(old) = old {
            links.set_route(false, name, &old);
            self.changes.policies.extend(links::policies_of(name, &old));
        }
        if let Some(new) = self.store.routes.get(name) {
            links.set_route(true, name, new);
            self.changes.policies.extend(links::policies_of(name, new));
        }
        self.changes.closures = true;
        self.changes.route(name, Touch::Rules);
        let policies = links.policies_of_route.get(name).cloned();
        self.changes.policies.extend(policies);
    }

    fn set_grant(&mut self, name: &ObjectName, new: Option<ReferenceGrant>) {
        let problem = new.as_ref().and_then(|grant| grant.problem.clone());
        let grants = self.store.grants.entry(name.namespace.clone()).or_default();
        if grants.get(&name.name) == new.as_ref() {
            return;
        }
        match new {
            Some(new) => grants.insert(name.name.clone(), new),
            None => grants.remove(&name.name),
        };
        if grants.is_empty() {
            self.store.grants.remove(&name.namespace);
        }
        let routes = self.store.links.routes_of_grants.get(&name.namespace);
        self.changes.routes(routes, Touch::Rules);
        self.findings.set(Kind::ReferenceGrant, name, problem);
    }

    fn set_policy(&mut self, name: &ObjectName, new: Option<AuthPolicy>) {
        let Some(old) = replace(&mut self.store.policies, name, new) else {
            return;
        };
        let links = &mut self.store.links;
        if let Some(old) = old {
            links.set_policy(false, name, &old);
            self.changes.targets.extend(old.targets);
        }
        if let Some(new) = self.store.policies.get(name) {
            links.set_policy(true, name, new);
            self.changes.targets.extend(new.targets.iter().cloned());
        }
        self.changes.closures = true;
        self.changes.policies.insert(name.clone());
        self.changes
            .routes(links.routes_of_policy.get(name), Touch::Rules);
    }

    fn set_service(&mut self, name: &ObjectName, new: Option<Service>) {
        let problem = new
            .as_ref()
            .and_then(|service| service.ports.as_ref().err().cloned());
        if replace(&mut self.store.services, name, new).is_none() {
            return;
        }
        let routes = self.store.links.routes_of_service.get(name);
        self.changes.routes(routes, Touch::Rules);
        self.changes.services.insert(name.clone());
        self.findings.set(Kind::Service, name, problem);
    }

    fn set_slice(&mut self, name: &ObjectName, new: Option<EndpointSlice>) {
        let problem = new.as_ref().and_then(|slice| slice.problem.clone());
        let Some(old) = replace(&mut self.store.slices, name, new) else {
            return;
        };
        let service = |slice: &EndpointSlice| {
            let service = slice.service.as_deref()?;
            Some(ObjectName::new(name.namespace.as_str(), service))
        };
        let old = old.as_ref().and_then(service);
        let new = self.store.slices.get(name).and_then(service);
        let slices = &mut self.store.links.slices_of_service;
        if let Some(service) = old {
            slices.remove(&service, name);
            self.changes.services.insert(service);
        }
        if let Some(service) = new {
            slices.insert(service.clone(), name.clone());
            self.changes.services.insert(service);
        }
        self.findings.set(Kind::EndpointSlice, name, problem);
    }

    fn set_namespace(&mut self, name: &str, manifest: Option<&Manifest>) {
        let before = self.store.labels(name);
        match (manifest, self.store.namespaces.entry(name.to_owned())) {
            (None, Entry::Occupied(held)) => {
                held.remove();
            }
            (None, Entry::Vacant(_)) => {}
            (Some(manifest), entry) => {
                entry.insert_entry(namespace::read(name, Some(manifest)));
            }
        }
        if self.store.labels(name) != before {
            let name = name.to_owned();
            let routes = self.store.links.routes_of_namespace.get(&name);
            self.changes.routes(routes, Touch::Attachment);
        }
    }
}
