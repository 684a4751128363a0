//! What statuses say, in a notation short enough to compare.

mod changes;
mod gateways;
mod policies;
mod routes;

use latchkey_core::conditions::{Finding, Status as Truth};

use super::support::*;
use crate::{
    object::Kind,
    status::{GatewayStatus, Reference, Status},
};

/// Conditions as `Type=Status Reason`; one that has a message, or must have one, is checked for it.
fn conditions(found: &[Finding]) -> Vec<String> {
    let show = |condition: &Finding| {
        let good = match condition.type_ {
            "Conflicted" | "PartiallyInvalid" => condition.status == Truth::False,
            _ => condition.status == Truth::True,
        };
        assert!(good || !condition.message.is_empty(), "{condition:?}");
        let status = condition.status.as_str();
        format!("{}={status} {}", condition.type_, condition.reason)
    };
    found.iter().map(show).collect()
}

/// The message of a condition.
fn message<'f>(found: &'f [Finding], type_: &str) -> &'f str {
    let condition = found.iter().find(|condition| condition.type_ == type_);
    &condition.expect("a condition of this type").message
}

fn gateway_status(world: &World, name: &str) -> GatewayStatus {
    match world.router.status(Kind::Gateway, &full(name)) {
        Some(Status::Gateway(status)) => status,
        other => panic!("no status of a Gateway: {other:?}"),
    }
}

/// A reference as `Kind namespace/name#section:port`.
fn reference(reference: &Reference) -> String {
    let namespace = reference.namespace.as_ref().map(|n| format!("{n}/"));
    let section = reference.section.as_ref().map(|s| format!("#{s}"));
    let port = reference.port.map(|port| format!(":{port}"));
    assert_eq!(reference.group, "gateway.networking.k8s.io");
    format!(
        "{} {}{}{}{}",
        reference.kind,
        namespace.unwrap_or_default(),
        reference.name,
        section.unwrap_or_default(),
        port.unwrap_or_default()
    )
}

/// Each parent of a route, with the conditions there.
fn parents(world: &World, name: &str) -> Vec<(String, Vec<Finding>)> {
    match world.router.status(Kind::HttpRoute, &full(name)) {
        Some(Status::HttpRoute(parents)) => parents
            .into_iter()
            .map(|parent| (reference(&parent.parent), parent.conditions))
            .collect(),
        other => panic!("no status of an HTTPRoute: {other:?}"),
    }
}

/// Each ancestor of a policy, with its one condition and the message.
fn ancestors(world: &World, name: &str) -> Vec<(String, String, String)> {
    match world.router.status(Kind::AuthPolicy, &full(name)) {
        Some(Status::AuthPolicy(ancestors)) => ancestors
            .into_iter()
            .map(|ancestor| {
                let [condition] = conditions(&ancestor.conditions).try_into().expect("one");
                let message = message(&ancestor.conditions, "Accepted").to_owned();
                (reference(&ancestor.ancestor), condition, message)
            })
            .collect(),
        other => panic!("no status of an AuthPolicy: {other:?}"),
    }
}
