//! Lists that several controllers write, each its own elements: `parents` of an HTTPRoute, `ancestors` of
//! an AuthPolicy.

use latchkey_core::conditions::{Finding, merge};
use latchkey_crds::CONTROLLER_NAME;
use latchkey_routing::status::{Reference, types};
use serde_json::{Value, json};

use super::{Writer, standing_conditions};

/// One such list.
#[derive(Clone, Copy, Debug)]
pub(super) struct List {
    /// Its field in `status`.
    field: &'static str,
    /// The field of an element that says what it speaks of.
    reference: &'static str,
    /// How many elements an API server lets in.
    most: usize,
}

impl List {
    pub(super) const PARENTS: Self = Self {
        field: "parents",
        reference: "parentRef",
        most: 32,
    };
    pub(super) const ANCESTORS: Self = Self {
        field: "ancestors",
        reference: "ancestorRef",
        most: 16,
    };
}

/// The conditions that we write into an element, whether or not they are found this time.
const OURS: [&str; 3] = [types::ACCEPTED, types::RESOLVED_REFS, types::PARTIALLY_INVALID];

/// The patch of a list: others' elements stand as they do, ours are as they should be, new ones follow
/// while there is room. `None`: there is no list, and nothing to put into one.
pub(super) fn merged<'d>(
    list: List,
    standing: &Value,
    ours: impl Iterator<Item = (&'d Reference, &'d [Finding])>,
    writer: Writer<'_>,
) -> Option<Value> {
    let held = standing[list.field].as_array();
    let mut ours: Vec<_> = ours.collect();
    let mut elements = Vec::new();
    for element in held.into_iter().flatten() {
        if element["controllerName"] != CONTROLLER_NAME {
            elements.push(element.clone());
            continue;
        }
        let same = ours
            .iter()
            .position(|(reference, _)| element[list.reference] == written(reference));
        if let Some(at) = same {
            let (reference, found) = ours.remove(at);
            elements.push(render(list, reference, element, found, writer));
        }
    }
    for (reference, found) in ours {
        if elements.len() < list.most {
            elements.push(render(list, reference, &Value::Null, found, writer));
        }
    }
    (held.is_some() || !elements.is_empty()).then(|| json!({ list.field: elements }))
}

fn render(
    list: List,
    reference: &Reference,
    standing: &Value,
    found: &[Finding],
    writer: Writer<'_>,
) -> Value {
    let mut conditions = standing_conditions(standing);
    conditions.retain(|condition| {
        let found = found.iter().any(|finding| finding.type_ == condition.type_);
        found || !OURS.contains(&condition.type_.as_str())
    });
    json!({
        list.reference: written(reference),
        "controllerName": CONTROLLER_NAME,
        "conditions": merge(&conditions, found.to_vec(), writer.generation, writer.now),
    })
}

/// A reference as it stands in a status.
fn written(reference: &Reference) -> Value {
    let mut value = json!({
        "group": reference.group,
        "kind": reference.kind,
        "name": reference.name,
    });
    if let Some(namespace) = &reference.namespace {
        value["namespace"] = json!(namespace);
    }
    if let Some(section) = &reference.section {
        value["sectionName"] = json!(section);
    }
    if let Some(port) = reference.port {
        value["port"] = json!(port);
    }
    value
}
