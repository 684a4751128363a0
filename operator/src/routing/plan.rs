//! What to write into a status: what should be said, against what stands there. Pure.
//!
//! ```text
//! standing status + desired (latchkey_routing) + now -> nothing, or a merge patch of `status`
//! ```
//!
//! Only what is ours changes: conditions by type, list elements by `controllerName`. Where nothing would be
//! another than it is, nothing is written.

mod elements;
#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use latchkey_core::conditions::{Finding, Status as Truth, merge};
use latchkey_routing::status::{GatewayStatus, ListenerStatus, Status, supported_features, types};
use serde_json::{Map, Value, json};

use self::elements::List;

/// Who else may have written, when, and of which spec this speaks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer<'a> {
    /// `metadata.generation`.
    pub(super) generation: Option<i64>,
    /// The time, in whole seconds.
    pub(super) now: &'a Time,
}

/// What a GatewayClass that is ours says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Class {
    /// It refers to parameters, which this version does not read.
    pub(super) parameters: bool,
}

/// The patch that makes the status of a Gateway, HTTPRoute or AuthPolicy say what it should.
pub(super) fn plan(standing: &Value, desired: &Status, writer: Writer<'_>) -> Option<Value> {
    let patch = match desired {
        Status::Gateway(desired) => gateway(standing, desired, writer),
        Status::HttpRoute(parents) => {
            let ours = parents
                .iter()
                .map(|parent| (&parent.parent, parent.conditions.as_slice()));
            elements::merged(List::PARENTS, standing, ours, writer)?
        }
        Status::AuthPolicy(ancestors) => {
            let ours = ancestors
                .iter()
                .map(|ancestor| (&ancestor.ancestor, ancestor.conditions.as_slice()));
            elements::merged(List::ANCESTORS, standing, ours, writer)?
        }
    };
    changes(standing, &patch).then_some(patch)
}

/// The patch of the status of a GatewayClass that is ours.
pub(super) fn class(standing: &Value, class: Class, writer: Writer<'_>) -> Option<Value> {
    let (status, reason, message) = if class.parameters {
        let message = "spec.parametersRef: is not supported; remove it";
        (Truth::False, "InvalidParameters", message)
    } else {
        (Truth::True, "Accepted", "")
    };
    let accepted = Finding {
        type_: types::ACCEPTED,
        status,
        reason,
        message: message.to_owned(),
    };
    let features: Vec<_> = supported_features()
        .iter()
        .map(|name| json!({ "name": name }))
        .collect();
    let patch = json!({
        "conditions": conditions(standing, &[accepted], writer),
        "supportedFeatures": features,
    });
    changes(standing, &patch).then_some(patch)
}

fn gateway(standing: &Value, desired: &GatewayStatus, writer: Writer<'_>) -> Value {
    let standing_listener = |name: &str| {
        let listeners = standing["listeners"].as_array();
        let found = listeners
            .into_iter()
            .flatten()
            .find(|listener| listener["name"] == name);
        found.unwrap_or(&Value::Null)
    };
    let listener = |desired: &ListenerStatus| {
        let kinds: Vec<_> = desired
            .supported_kinds
            .iter()
            .map(|(group, kind)| json!({ "group": group, "kind": kind }))
            .collect();
        let standing = standing_listener(&desired.name);
        json!({
            "name": desired.name,
            "supportedKinds": kinds,
            "attachedRoutes": desired.attached_routes,
            "conditions": conditions(standing, &desired.conditions, writer),
        })
    };
    json!({
        "conditions": conditions(standing, &desired.conditions, writer),
        "listeners": desired.listeners.iter().map(listener).collect::<Vec<_>>(),
    })
}

/// The conditions to write where `standing` has its own.
fn conditions(standing: &Value, found: &[Finding], writer: Writer<'_>) -> Vec<Condition> {
    merge(
        &standing_conditions(standing),
        found.to_vec(),
        writer.generation,
        writer.now,
    )
}

/// The conditions that stand; one that is no condition, which no API server lets in, does not count.
fn standing_conditions(standing: &Value) -> Vec<Condition> {
    let conditions = standing["conditions"].as_array();
    conditions
        .into_iter()
        .flatten()
        .filter_map(|condition| serde_json::from_value(condition.clone()).ok())
        .collect()
}

/// Whether a field of the patch is not as it stands.
fn changes(standing: &Value, patch: &Value) -> bool {
    let nothing = Map::new();
    let mut fields = patch.as_object().unwrap_or(&nothing).iter();
    fields.any(|(field, value)| standing.get(field) != Some(value))
}
