//! Who refers to whom, so that a change finds what it touches without looking at all that exists.

use std::{
    collections::{BTreeSet, HashMap},
    hash::Hash,
};

use latchkey_core::object::ObjectName;

use super::{claims::Claims, work};
use crate::read::{
    auth_policy::AuthPolicy,
    backend_ref::BackendTarget,
    filter::Filter,
    http_route::{HttpRoute, RouteRule},
};

/// Who refers to whom, by what is referred to.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) routes_of_gateway: Multimap<ObjectName, ObjectName>,
    /// By Gateway and the listener that they name; `None`: they name none, and each may be meant.
    pub(super) routes_of_listener: Multimap<(ObjectName, Option<String>), ObjectName>,
    /// Routes whose parents cannot be read: each Gateway may be one.
    pub(super) routes_of_any_gateway: BTreeSet<ObjectName>,
    pub(super) routes_of_service: Multimap<ObjectName, ObjectName>,
    /// By AuthPolicy, through `ExtensionRef` filters.
    pub(super) routes_of_policy: Multimap<ObjectName, ObjectName>,
    /// By the namespace whose ReferenceGrants they need.
    pub(super) routes_of_grants: Multimap<String, ObjectName>,
    pub(super) routes_of_namespace: Multimap<String, ObjectName>,
    pub(super) slices_of_service: Multimap<ObjectName, ObjectName>,
    /// Policies, by what they name.
    pub(super) claims: Claims,
    /// By the namespace that they close: broken policies without targets that can all be read.
    pub(super) closing_policies: Multimap<String, ObjectName>,
    /// By the namespace that they close: routes of which not all hostnames can be read.
    pub(super) closing_routes: Multimap<String, ObjectName>,
}

impl Links {
    /// Puts in, or takes out, what a route refers to.
    pub(super) fn set_route(&mut self, present: bool, name: &ObjectName, route: &HttpRoute) {
        let namespace = &name.namespace;
        self.routes_of_namespace
            .set(present, namespace.clone(), name.clone());
        let parents = match &route.body {
            Ok(spec) => {
                for rule in &spec.rules {
                    self.set_rule(present, name, rule);
                }
                Some(&spec.parents)
            }
            Err(broken) => {
                if route_closes(route) {
                    self.closing_routes.set(present, namespace.clone(), name.clone());
                }
                broken.parents.as_ref()
            }
        };
        match parents {
            Some(parents) => {
                for parent in parents {
                    let gateway = &parent.gateway;
                    self.routes_of_gateway.set(present, gateway.clone(), name.clone());
                    let listener = (gateway.clone(), parent.section.clone());
                    self.routes_of_listener.set(present, listener, name.clone());
                }
            }
            None if present => {
                self.routes_of_any_gateway.insert(name.clone());
            }
            None => {
                self.routes_of_any_gateway.remove(name);
            }
        }
    }

    fn set_rule(&mut self, present: bool, name: &ObjectName, rule: &RouteRule) {
        for backend in &rule.backends {
            if let BackendTarget::Service(service, _) = &backend.target {
                self.routes_of_service.set(present, service.clone(), name.clone());
                if service.namespace != name.namespace {
                    self.routes_of_grants
                        .set(present, service.namespace.clone(), name.clone());
                }
            }
        }
        for policy in policies_of_rule(name, rule) {
            self.routes_of_policy.set(present, policy, name.clone());
        }
    }

    /// Puts in, or takes out, what a policy holds for.
    pub(super) fn set_policy(&mut self, present: bool, name: &ObjectName, policy: &AuthPolicy) {
        self.claims.set(present, name, policy);
        if policy_closes(policy) {
            self.closing_policies
                .set(present, name.namespace.clone(), name.clone());
        }
    }
}

/// Whether a route closes its namespace: not all of its hostnames can be read.
pub(super) fn route_closes(route: &HttpRoute) -> bool {
    route.body.as_ref().is_err_and(|broken| !broken.complete)
}

/// Whether a policy closes its namespace: not all of its targets can be read.
pub(super) fn policy_closes(policy: &AuthPolicy) -> bool {
    policy.body.as_ref().is_err_and(|error| error.everything)
}

/// The policies that a route's filters name.
pub(super) fn policies_of(name: &ObjectName, route: &HttpRoute) -> impl Iterator<Item = ObjectName> {
    let rules = route.body.as_ref().map_or(&[][..], |spec| &spec.rules);
    rules.iter().flat_map(move |rule| policies_of_rule(name, rule))
}

fn policies_of_rule(name: &ObjectName, rule: &RouteRule) -> impl Iterator<Item = ObjectName> {
    rule.filters.iter().filter_map(move |filter| match filter {
        Filter::Policy(policy) => Some(ObjectName::new(name.namespace.as_str(), policy.as_str())),
        _ => None,
    })
}

/// A map to sets, without empty sets.
#[derive(Debug)]
pub(super) struct Multimap<K, V>(HashMap<K, BTreeSet<V>>);

impl<K, V> Default for Multimap<K, V> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash, V: Ord> Multimap<K, V> {
    pub(super) fn insert(&mut self, key: K, value: V) {
        self.0.entry(key).or_default().insert(value);
    }

    pub(super) fn remove(&mut self, key: &K, value: &V) {
        if let Some(values) = self.0.get_mut(key) {
            values.remove(value);
            if values.is_empty() {
                self.0.remove(key);
            }
        }
    }

    /// Puts a value in or takes it out.
    pub(super) fn set(&mut self, present: bool, key: K, value: V) {
        if present {
            self.insert(key, value);
        } else {
            self.remove(&key, &value);
        }
    }

    pub(super) fn get(&self, key: &K) -> impl Iterator<Item = &V> + use<'_, K, V> {
        self.0.get(key).into_iter().flatten().inspect(|_| work::look())
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.keys().inspect(|_| work::look())
    }
}
