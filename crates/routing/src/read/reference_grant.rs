//! ReferenceGrant: whose HTTPRoutes may use Services of its namespace. It grants: what cannot be read
//! of it grants nothing.

use serde_json::Value;

use super::{
    GATEWAY_GROUP,
    fields::{Fields, Misfit},
    metadata::Metadata,
    problem::{Problem, Reason},
    selector::refuse_unknown,
};
use crate::object::Manifest;

/// What a grant permits of what concerns us.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceGrant {
    /// Namespaces whose HTTPRoutes are permitted.
    from: Vec<String>,
    /// Services that they may refer to; `None` is all.
    to: Vec<Option<String>>,
    /// Why it grants nothing, if it cannot be read.
    pub problem: Option<Problem>,
}

impl ReferenceGrant {
    /// Reads a grant. A terminating one grants nothing any more.
    pub fn read(manifest: &Manifest) -> Self {
        let read = match manifest {
            Manifest::Value(object) => Self::try_read(object),
            Manifest::Unreadable => Err(Misfit::new("an object that can be read")),
        };
        read.unwrap_or_else(|misfit| Self {
            problem: Some(Problem::new(
                Reason::Invalid,
                format!("{misfit}; until then it grants nothing"),
            )),
            ..Self::default()
        })
    }

    fn try_read(object: &Value) -> Result<Self, Misfit> {
        let meta = Metadata::read(object)?;
        let Some(spec) = Fields::of(object)?.object("spec")? else {
            return Err(Misfit::new("given").under("spec"));
        };
        if meta.terminating {
            return Ok(Self::default());
        }
        Self::of(spec).map_err(|misfit| misfit.under("spec"))
    }

    fn of(spec: Fields<'_>) -> Result<Self, Misfit> {
        refuse_unknown(spec, &["from", "to"])?;
        let from = spec.list("from", |value| {
            let from = Fields::of(value)?;
            refuse_unknown(from, &["group", "kind", "namespace"])?;
            let ours =
                from.text_or("group", "")? == GATEWAY_GROUP && from.required_text("kind")? == "HTTPRoute";
            let namespace = from.required_text("namespace")?;
            Ok(ours.then(|| namespace.to_owned()))
        })?;
        let to = spec.list("to", |value| {
            let to = Fields::of(value)?;
            refuse_unknown(to, &["group", "kind", "name"])?;
            let ours = to.text_or("group", "")?.is_empty() && to.required_text("kind")? == "Service";
            let name = to.text("name")?.filter(|name| !name.is_empty());
            Ok(ours.then(|| name.map(str::to_owned)))
        })?;
        Ok(Self {
            from: from.into_iter().flatten().collect(),
            to: to.into_iter().flatten().collect(),
            problem: None,
        })
    }

    /// Whether HTTPRoutes of `namespace` may refer to this Service of the grant's namespace.
    pub fn permits(&self, namespace: &str, service: &str) -> bool {
        self.from.iter().any(|from| from == namespace)
            && self
                .to
                .iter()
                .any(|to| to.as_deref().is_none_or(|name| name == service))
    }
}

#[cfg(test)]
mod tests;
