//! The rules of our kinds as a pure function, for objects that no API server has checked.
//!
//! They say what the CEL rules of the CRDs say; a test holds the two together.

use std::fmt;

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The field's path from the object's root, such as `spec.apiKey.sha256`.
    pub field: String,
    /// What is wrong and what to do. Never a value that stood in the object.
    pub message: String,
}

impl Violation {
    /// A broken rule of the field at `path`.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            field: path.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// A kind whose objects can be checked without an API server.
pub trait Validate {
    /// All broken rules; empty if the object may count.
    fn validate(&self) -> Vec<Violation>;
}

impl Validate for crate::Consumer {
    fn validate(&self) -> Vec<Violation> {
        Vec::new()
    }
}

impl Validate for crate::Credential {
    fn validate(&self) -> Vec<Violation> {
        Vec::new()
    }
}

impl Validate for crate::AuthPolicy {
    fn validate(&self) -> Vec<Violation> {
        let mut violations = Vec::new();
        if self.spec.methods.is_empty() {
            violations.push(Violation::new(
                "spec.methods",
                "is empty; name at least one method ({type: Anonymous} opens)",
            ));
        }
        violations
    }
}
