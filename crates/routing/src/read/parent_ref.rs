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
}

/// An element of `parentRefs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Parent {
    /// A Gateway.
    Gateway(ParentRef),
    /// Something that other controllers serve.
    Foreign,
    /// A reference that may mean less than what can be read of it: it attaches nowhere.
    Unsupported(Problem),
}

const KNOWN: &[&str] = &["group", "kind", "namespace", "name", "sectionName", "port"];

impl Parent {
    /// Reads one element, of a route in `namespace`.
    pub(super) fn read(value: &Value, namespace: &str) -> Result<Self, Misfit> {
        let fields = Fields::of(value)?;
        let group = fields.text_or("group", GATEWAY_GROUP)?;
        let kind = fields.text_or("kind", "Gateway")?;
        let parent = ParentRef {
            gateway: ObjectName::new(
                fields.text_or("namespace", namespace)?,
                fields.required_text("name")?,
            ),
            section: fields.text("sectionName")?.map(str::to_owned),
            port: fields.port("port")?,
        };
        if group != GATEWAY_GROUP || kind != "Gateway" {
            return Ok(Self::Foreign);
        }
        Ok(match fields.unknown(KNOWN).next() {
            Some(field) => Self::Unsupported(Problem::unknown_field(field)),
            None => Self::Gateway(parent),
        })
    }
}
