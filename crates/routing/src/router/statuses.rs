//! What is known of one object, put together for its status.

use std::mem;

use latchkey_core::{
    conditions::{Finding, Status as Truth},
    object::ObjectName,
};

use super::{Router, attachment, changes::Changes, policies, routes};
use crate::{
    object::Kind,
    ports,
    read::{
        GATEWAY_GROUP, Problem, auth_policy::Target, gateway::Gateway, http_route::Readable,
        parent_ref::ParentRef,
    },
    status::{
        AncestorStatus, GatewayStatus, ParentStatus, Reference, Status,
        gateway::{self, ListenerFacts},
        joined,
        route::{self, Rules},
        types,
    },
};

/// Most elements of a policy's `status.ancestors` (Gateway API).
const ANCESTORS: usize = 16;

impl Router {
    /// Objects of which the last commit may have changed what [`Router::status`] gives. Asked after each
    /// commit: the next one forgets them.
    pub fn take_status_changes(&mut self) -> Vec<(Kind, ObjectName)> {
        mem::take(&mut self.statuses).into_iter().collect()
    }

    /// What an object's status should say; `None`: it is not there, or not known to be ours.
    pub fn status(&self, kind: Kind, name: &ObjectName) -> Option<Status> {
        match kind {
            Kind::Gateway => self.gateway_status(name).map(Status::Gateway),
            Kind::HttpRoute => self.route_status(name).map(Status::HttpRoute),
            Kind::AuthPolicy => self.policy_status(name).map(Status::AuthPolicy),
            Kind::ReferenceGrant | Kind::Service | Kind::EndpointSlice | Kind::Namespace => None,
        }
    }

    /// Notes of whose status the commit of these changes may change what is said. Gateways whose count of
    /// attached routes or whose ports it concerns are noted where that is found.
    pub(super) fn note_statuses(&mut self, changes: &Changes) {
        let routes = changes.routes.keys().map(|name| (Kind::HttpRoute, name));
        let policies = changes.policies.iter().map(|name| (Kind::AuthPolicy, name));
        let noted = routes.chain(policies);
        self.statuses
            .extend(noted.map(|(kind, name)| (kind, name.clone())));
    }

    /// A Gateway that says that it is ours. One whose class cannot be read may be another controller's.
    fn our_gateway(&self, name: &ObjectName) -> Option<&Gateway> {
        let gateway = self.store.gateways.get(name)?;
        let class = gateway.class.as_ref()?;
        (*class == self.config.gateway_class).then_some(gateway)
    }

    fn gateway_status(&self, name: &ObjectName) -> Option<GatewayStatus> {
        let gateway = self.our_gateway(name)?;
        let listeners = gateway.body.as_deref().unwrap_or_default();
        let facts: Vec<_> = listeners
            .iter()
            .zip(ports::roles(listeners))
            .map(|(listener, role)| ListenerFacts {
                listener,
                role,
                owner: self.gateways.other_owner(listener.port, name),
                attached: self.routes.attached_to(&(name.clone(), listener.name.clone())),
            })
            .collect();
        Some(gateway::status(gateway, &facts))
    }

    fn route_status(&self, name: &ObjectName) -> Option<Vec<ParentStatus>> {
        let route = self.store.routes.get(name)?;
        let labels = self.store.labels(&name.namespace);
        let Readable { parents, hostnames } = route.readable();
        let rules = match (self.routes.faults(name), routes::undecodable(route)) {
            (Some(faults), _) => Ok(Rules {
                fail_all: faults.fail_all(),
                unsupported: &faults.unsupported,
                unresolved: &faults.unresolved,
            }),
            (None, problem) => Err(problem?),
        };
        let ours = parents.unwrap_or_default().iter();
        let statuses = ours
            .filter(|parent| self.our_gateway(&parent.gateway).is_some())
            .map(|parent| {
                let found = attachment::to(&self.store, &self.config, name, &labels, hostnames, parent);
                ParentStatus {
                    parent: parent_reference(parent),
                    conditions: route::conditions(found.err().flatten(), rules.clone()),
                }
            });
        Some(statuses.collect())
    }

    fn policy_status(&self, name: &ObjectName) -> Option<Vec<AncestorStatus>> {
        let policy = self.store.policies.get(name)?;
        let invalid = policies::invalid(policy);
        let at = |target: &Target| {
            let problems = match &invalid {
                Some(problem) => vec![problem.clone()],
                None => policies::at(&self.store, &self.config, name, policy, target),
            };
            ancestor(target, &problems)
        };
        let ancestors = if policy.targets.is_empty() {
            let routes = self.store.links.routes_of_policy.get(name).take(ANCESTORS);
            routes
                .map(|route| ancestor(&Target::Route(route.clone()), invalid.as_slice()))
                .collect()
        } else {
            policy.targets.iter().take(ANCESTORS).map(at).collect()
        };
        Some(ancestors)
    }
}

fn ancestor(target: &Target, problems: &[Problem]) -> AncestorStatus {
    let (kind, section) = match target {
        Target::Gateway(_) => ("Gateway", None),
        Target::Listener(_, section) => ("Gateway", Some(section.clone())),
        Target::Route(_) => ("HTTPRoute", None),
    };
    let object = target.object();
    let accepted = Finding {
        type_: types::ACCEPTED,
        status: if problems.is_empty() {
            Truth::True
        } else {
            Truth::False
        },
        reason: problems
            .first()
            .map_or("Accepted", |problem| problem.reason.as_str()),
        message: joined(problems),
    };
    AncestorStatus {
        ancestor: Reference {
            group: GATEWAY_GROUP.to_owned(),
            kind: kind.to_owned(),
            namespace: Some(object.namespace.clone()),
            name: object.name.clone(),
            section,
            port: None,
        },
        conditions: vec![accepted],
    }
}

fn parent_reference(parent: &ParentRef) -> Reference {
    Reference {
        group: GATEWAY_GROUP.to_owned(),
        kind: "Gateway".to_owned(),
        namespace: parent.namespace.clone(),
        name: parent.gateway.name.clone(),
        section: parent.section.clone(),
        port: parent.port,
    }
}
