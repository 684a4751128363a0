//! One element of a rule's `backendRefs`.

use latchkey_core::object::ObjectName;
use serde_json::Value;

use super::{
    fields::{Fields, Misfit},
    problem::Problem,
};

/// The greatest weight that Gateway API allows.
const MAX_WEIGHT: i64 = 1_000_000;

const KNOWN: &[&str] = &["group", "kind", "namespace", "name", "port", "weight", "filters"];

/// A reference to a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendRef {
    /// What it refers to.
    pub target: BackendTarget,
    /// Its share of the rule's requests.
    pub weight: u64,
}

/// What a backendRef refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackendTarget {
    /// A Service, and its port if that is given.
    Service(ObjectName, Option<u16>),
    /// A kind that cannot be a backend.
    Foreign,
}

/// Reads a backendRef of a route in `namespace`; what is not supported in it is a problem.
pub(super) fn read(
    value: &Value,
    namespace: &str,
    problems: &mut Vec<Problem>,
) -> Result<BackendRef, Misfit> {
    let fields = Fields::of(value)?;
    problems.extend(fields.unknown(KNOWN).map(Problem::unknown_field));
    if !fields.list("filters", |_| Ok(()))?.is_empty() {
        let message = "filters of a backend are not supported; move them to the rule";
        problems.push(Problem::unsupported(message).under("filters"));
    }
    let weight = fields.integer("weight")?.unwrap_or(1);
    if !(0..=MAX_WEIGHT).contains(&weight) {
        let message = "must be from 0 to 1000000; correct it";
        problems.push(Problem::unsupported(message).under("weight"));
    }
    let name = ObjectName::new(
        fields.text_or("namespace", namespace)?,
        fields.required_text("name")?,
    );
    let port = fields.port("port")?;
    let is_service =
        fields.text_or("group", "")?.is_empty() && fields.text_or("kind", "Service")? == "Service";
    Ok(BackendRef {
        target: if is_service {
            BackendTarget::Service(name, port)
        } else {
            BackendTarget::Foreign
        },
        weight: u64::try_from(weight).unwrap_or_default(),
    })
}
