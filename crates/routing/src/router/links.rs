//! Who refers to whom, so that a change finds what it touches without looking at all that exists.

use std::{
    collections::{BTreeSet, HashMap},
    hash::Hash,
};

use latchkey_core::{object::ObjectName, time::UnixSeconds};

use crate::read::{
    auth_policy::{AuthPolicy, Target},
    backend_ref::BackendTarget,
    filter::Filter,
    http_route::{HttpRoute, RouteRule},
};

/// Who refers to whom, by what is referred to.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) routes_of_gateway: Multimap<ObjectName, ObjectName>,
    /// Routes whose parents cannot be read: each Gateway may be one.
    pub(super) routes_of_any_gateway: BTreeSet<ObjectName>,
    pub(super) routes_of_service: Multimap<ObjectName, ObjectName>,
    /// By AuthPolicy, through `ExtensionRef` filters.
    pub(super) routes_of_policy: Multimap<ObjectName, ObjectName>,
    /// By the namespace whose ReferenceGrants they need.
    pub(super) routes_of_grants: Multimap<String, ObjectName>,
    pub(super) routes_of_namespace: Multimap<String, ObjectName>,
    pub(super) slices_of_service: Multimap<ObjectName, ObjectName>,
    pub(super) policies_of_gateway: Multimap<ObjectName, ObjectName>,
    pub(super) policies_of_route: Multimap<ObjectName, ObjectName>,
    /// Policies by target, the oldest first.
    pub(super) claims: Multimap<Target, (UnixSeconds, ObjectName)>,
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
                if !broken.complete {
                    self.closing_routes.set(present, namespace.clone(), name.clone());
                }
                broken.parents.as_ref()
            }
        };
        match parents {
            Some(parents) => {
                for parent in parents {
                    self.routes_of_gateway
                        .set(present, parent.gateway.clone(), name.clone());
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
        for target in &policy.targets {
            let claim = (policy.meta.created, name.clone());
            self.claims.set(present, target.clone(), claim);
            let policies = match target {
                Target::Gateway(_) | Target::Listener(..) => &mut self.policies_of_gateway,
                Target::Route(_) => &mut self.policies_of_route,
            };
            policies.set(present, target.object().clone(), name.clone());
        }
        if policy.body.as_ref().is_err_and(|error| error.everything) {
            self.closing_policies
                .set(present, name.namespace.clone(), name.clone());
        }
    }
}

/// The policies that a route's filters name.
pub(super) fn policies_of(name: &ObjectName, route: &HttpRoute) -> impl Iterator<Item = ObjectName> {
    let rules = route.body.as_ref().map_or(&[][..], |spec| &spec.rules);
    rules.iter().flat_map(move |rule| policies_of_rule(name, rule))
}

fn policies_of_rule(name: &ObjectName, rule: &RouteRule) -> impl Iterator<Item = ObjectName> {
    rule.filters.iter().filter_map(move |filter| match filter {
        Filter::Policy(policy) => Some(ObjectName::new(name.namespace.as_str(), policy.as_str())),
        Filter::RequestHeaders(_) | Filter::Unsupported => None,
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

    pub(super) fn get(&self, key: &K) -> impl Iterator<Item = &V> {
        self.0.get(key).into_iter().flatten()
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.keys()
    }
}
