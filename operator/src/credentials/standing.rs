//! The status that stands in a Credential, read element by element: what cannot be read must not hide
//! what can, and what others wrote must stand when ours is written.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use latchkey_crds::{CONTROLLER_NAME, credential::PublishedKey};
use serde_json::Value;

/// What stands.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Standing {
    pub(super) observed_generation: Option<i64>,
    pub(super) conditions: Vec<Condition>,
    /// The elements of `published` under our controller's name.
    pub(super) ours: Vec<PublishedKey>,
    /// Those of other controllers, as they are.
    pub(super) others: Vec<Value>,
    /// Something could not be read, so that the next write must replace it even if it says nothing new.
    pub(super) spoiled: bool,
}

impl Standing {
    /// Reads `status`. Elements that cannot be read are left out; so are blocks of nobody.
    pub(super) fn read(mut status: Value) -> Self {
        let mut standing = Self {
            observed_generation: status["observedGeneration"].as_i64(),
            ..Self::default()
        };
        for condition in take_list(&mut status, "conditions") {
            match serde_json::from_value(condition) {
                Ok(condition) => standing.conditions.push(condition),
                Err(_) => standing.spoiled = true,
            }
        }
        for block in take_list(&mut status, "published") {
            match block["controllerName"].as_str() {
                Some(CONTROLLER_NAME) => match serde_json::from_value(block) {
                    Ok(block) => standing.ours.push(block),
                    Err(_) => standing.spoiled = true,
                },
                Some(_) => standing.others.push(block),
                None => standing.spoiled = true,
            }
        }
        standing
    }

    /// The condition of this type.
    pub(super) fn condition(&self, type_: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.type_ == type_)
    }
}

/// Takes the elements of a list out of an object; none, if there is no such list.
fn take_list(object: &mut Value, field: &str) -> Vec<Value> {
    match object.get_mut(field).map(Value::take) {
        Some(Value::Array(elements)) => elements,
        _ => Vec::new(),
    }
}

/// Says nothing of what others published: those blocks are raw.
impl fmt::Debug for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Standing")
            .field("observed_generation", &self.observed_generation)
            .field("conditions", &self.conditions)
            .field("ours", &self.ours)
            .field("others", &self.others.len())
            .field("spoiled", &self.spoiled)
            .finish()
    }
}
