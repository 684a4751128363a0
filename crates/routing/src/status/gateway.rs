//! What a Gateway's status says.

use latchkey_core::{
    conditions::{Finding, Status},
    object::ObjectName,
};

use super::{GatewayStatus, ListenerStatus, finding, good, types};
use crate::{
    ports::{self, Role},
    read::{
        GATEWAY_GROUP, Problem, Reason,
        gateway::{Gateway, Listener},
    },
};

/// One listener, and what is known of it besides what it says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListenerFacts<'a> {
    pub(crate) listener: &'a Listener,
    pub(crate) role: Role,
    /// Another Gateway that has its port.
    pub(crate) owner: Option<&'a ObjectName>,
    /// Routes attached to it.
    pub(crate) attached: usize,
}

/// The status of a Gateway; `facts` are none if its listeners cannot be read.
pub(crate) fn status(gateway: &Gateway, facts: &[ListenerFacts<'_>]) -> GatewayStatus {
    let listeners: Vec<_> = facts.iter().enumerate().map(listener).collect();
    GatewayStatus {
        conditions: match &gateway.body {
            Ok(_) => vec![accepted(gateway, &listeners), programmed(gateway, &listeners)],
            Err(broken) => {
                let message = broken.problem().text();
                [types::ACCEPTED, types::PROGRAMMED]
                    .map(|type_| finding(type_, Status::False, "Invalid", message.clone()))
                    .into()
            }
        },
        listeners,
    }
}

fn accepted(gateway: &Gateway, listeners: &[ListenerStatus]) -> Finding {
    if let Some(problem) = unmet(gateway, Reason::InvalidParameters) {
        return against(types::ACCEPTED, problem);
    }
    let refused: Vec<_> = listeners
        .iter()
        .filter(|listener| !listener.holds(types::ACCEPTED))
        .map(|listener| listener.name.as_str())
        .collect();
    if refused.is_empty() && !listeners.is_empty() {
        return good(types::ACCEPTED, "Accepted");
    }
    let (status, message) = if listeners.is_empty() {
        let message = "spec.listeners: is empty; add a listener of protocol HTTP";
        (Status::False, message.to_owned())
    } else if refused.len() == listeners.len() {
        let message = "spec.listeners: none can be served; do what their conditions in status.listeners say";
        (Status::False, message.to_owned())
    } else {
        let message = format!(
            "spec.listeners: {} cannot be served; do what their conditions in status.listeners say",
            refused.join(", ")
        );
        (Status::True, message)
    };
    finding(types::ACCEPTED, status, "ListenersNotValid", message)
}

fn programmed(gateway: &Gateway, listeners: &[ListenerStatus]) -> Finding {
    if let Some(problem) = unmet(gateway, Reason::AddressNotUsable) {
        return against(types::PROGRAMMED, problem);
    }
    if listeners.iter().any(|listener| listener.holds(types::PROGRAMMED)) {
        return good(types::PROGRAMMED, "Programmed");
    }
    let message = "spec.listeners: none is served; do what the condition Accepted says";
    finding(types::PROGRAMMED, Status::False, "Invalid", message.to_owned())
}

fn unmet(gateway: &Gateway, reason: Reason) -> Option<&Problem> {
    gateway.unmet.iter().find(|problem| problem.reason == reason)
}

fn listener((index, facts): (usize, &ListenerFacts<'_>)) -> ListenerStatus {
    let listener = facts.listener;
    let problems: Vec<_> = listener.problems_at(index).collect();
    let conflict = ports::conflict(index, facts.role);
    let place = format!("spec.listeners[{index}].port");
    let refusal = problems
        .iter()
        .find(|problem| problem.reason == Reason::UnsupportedProtocol)
        .cloned()
        .or_else(|| conflict.clone())
        .or_else(|| {
            let owner = facts.owner?;
            Some(ports::unavailable(listener.port, owner).under(&place))
        })
        .or_else(|| {
            let mut unread = problems.iter();
            unread
                .find(|problem| problem.reason != Reason::InvalidRouteKinds)
                .cloned()
        });
    let kinds = problems
        .iter()
        .find(|problem| problem.reason == Reason::InvalidRouteKinds);
    let conditions = vec![
        match &refusal {
            Some(problem) => against(types::ACCEPTED, problem),
            None => good(types::ACCEPTED, "Accepted"),
        },
        match &refusal {
            Some(problem) => finding(types::PROGRAMMED, Status::False, "Invalid", problem.text()),
            None => good(types::PROGRAMMED, "Programmed"),
        },
        match kinds {
            Some(problem) => against(types::RESOLVED_REFS, problem),
            None => good(types::RESOLVED_REFS, "ResolvedRefs"),
        },
        match &conflict {
            Some(problem) => finding(
                types::CONFLICTED,
                Status::True,
                problem.reason.as_str(),
                problem.text(),
            ),
            None => finding(types::CONFLICTED, Status::False, "NoConflicts", String::new()),
        },
    ];
    let served = facts.role != Role::Foreign && listener.http_routes;
    ListenerStatus {
        name: listener.name.clone(),
        supported_kinds: served
            .then_some((GATEWAY_GROUP, "HTTPRoute"))
            .into_iter()
            .collect(),
        attached_routes: facts.attached,
        conditions,
    }
}

fn against(type_: &'static str, problem: &Problem) -> Finding {
    finding(type_, Status::False, problem.reason.as_str(), problem.text())
}

impl ListenerStatus {
    fn holds(&self, type_: &str) -> bool {
        self.conditions
            .iter()
            .any(|condition| condition.type_ == type_ && condition.status == Status::True)
    }
}
