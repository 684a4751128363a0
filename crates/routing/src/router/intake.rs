//! Objects come and go: what is known of each is replaced, and what that touches is marked.

use std::{
    collections::{BTreeSet, hash_map::Entry},
    sync::Arc,
};

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
        let Some(old) = replace(&mut self.store.gateways, name, new) else {
            return;
        };
        self.changes.gateways.insert(name.clone());
        let new = self.store.gateways.get(name);
        let links = &self.store.links;
        match (&old, new) {
            (Some(old), Some(new)) if old.class == new.class && old.body.is_ok() == new.body.is_ok() => {
                let [old, new] = [old, new].map(|gateway| gateway.body.as_deref().unwrap_or_default());
                self.changes.listeners(links, name, old, new);
            }
            _ => self.changes.whole_gateway(links, name),
        }
    }

    fn set_route(&mut self, name: &ObjectName, new: Option<Arc<HttpRoute>>) {
        let Some(old) = replace(&mut self.store.routes, name, new) else {
            return;
        };
        let new = self.store.routes.get(name);
        let links = &mut self.store.links;
        if let Some(old) = &old {
            links.set_route(false, name, old);
            self.changes.policies.extend(links::policies_of(name, old));
            self.changes.closures |= links::route_closes(old);
        }
        if let Some(new) = new {
            links.set_route(true, name, new);
            self.changes.policies.extend(links::policies_of(name, new));
            self.changes.closures |= links::route_closes(new);
        }
        self.changes.route(name, Touch::Rules);
        // To its policies nothing matters but whether it is there.
        if old.is_none() || new.is_none() {
            let policies = links.claims.of(&Target::Route(name.clone()));
            self.changes.policies.extend(policies.cloned());
        }
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
        let new = self.store.policies.get(name);
        let links = &mut self.store.links;
        let both = || old.iter().chain(new);
        let targets: BTreeSet<_> = both().flat_map(|policy| &policy.targets).cloned().collect();
        let holders: Vec<_> = targets
            .iter()
            .map(|target| links.claims.holders(target))
            .collect();
        self.changes.closures |= both().any(links::policy_closes);
        if let Some(old) = &old {
            links.set_policy(false, name, old);
        }
        if let Some(new) = new {
            links.set_policy(true, name, new);
        }
        for (target, before) in targets.iter().zip(&holders) {
            let displaced = links.claims.displaced(target, before);
            self.changes.policies.extend(displaced.cloned());
        }
        self.changes.targets.extend(targets);
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
