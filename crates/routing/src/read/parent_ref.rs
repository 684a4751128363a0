//! `parentRefs` of a route.

use latchkey_core::object::ObjectName;
use serde_json::Value;

use super::{
    GATEWAY_GROUP,
    fields::{Fields, Misfit},
    problem::Problem,
};

/// A Gateway that a route asks to be attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentRef {
    /// The Gateway.
    pub gateway: ObjectName,
    /// Only the listener of this name.
    pub section: Option<String>,
    /// Only listeners on this port.
    pub port: Option<u16>,
    /// Its index in `parentRefs`.
    pub index: usize,
    /// `namespace`, if it is written.
    pub namespace: Option<String>,
    /// Set: it may mean less than what can be read of it, so it attaches nowhere. By path from the
    /// reference.
    pub unsupported: Option<Problem>,
}

const KNOWN: &[&str] = &["group", "kind", "namespace", "name", "sectionName", "port"];

impl ParentRef {
    /// Reads the element at `index`, of a route in `namespace`; `None`: other controllers serve such kinds.
    pub(super) fn read(value: &Value, index: usize, namespace: &str) -> Result<Option<Self>, Misfit> {
        let fields = Fields::of(value)?;
        let group = fields.text_or("group", GATEWAY_GROUP)?;
        let kind = fields.text_or("kind", "Gateway")?;
        let written = fields.text("namespace")?;
        let parent = Self {
            gateway: ObjectName::new(written.unwrap_or(namespace), fields.required_text("name")?),
            section: fields.text("sectionName")?.map(str::to_owned),
            port: fields.port("port")?,
            index,
            namespace: written.map(str::to_owned),
            unsupported: fields.unknown(KNOWN).next().map(Problem::unknown_field),
        };
        Ok((group == GATEWAY_GROUP && kind == "Gateway").then_some(parent))
    }

    /// Something wrong with it, by path from the object.
    pub(crate) fn problem(&self, problem: Problem) -> Problem {
        problem.under(&format!("spec.parentRefs[{}]", self.index))
    }
}
