//! The rules of our kinds as pure functions, for objects that no API server has checked.
//!
//! They say what the limits and CEL rules of the CRDs say, in the same words; a test holds the two
//! together on one table of samples.

mod auth_policy;
mod consumer;
mod credential;

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;

use crate::{
    form::{self, Form},
    time,
};

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
        if self.field.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.field, self.message)
    }
}

/// A kind whose objects can be checked without an API server.
pub trait Validate {
    /// All broken rules; empty if the object may count.
    fn validate(&self) -> Vec<Violation>;
}

/// Whether an object can have this name: what a reference to one must be.
pub fn is_object_name(text: &str) -> bool {
    text.len() <= form::NAME_LENGTH && form::NAME.fits(text)
}

/// What is wrong with a text that cannot be read as a time, and what to do.
pub fn time_problem(text: &str) -> &'static str {
    time::problem(text)
}

/// Collects broken rules.
#[derive(Default)]
struct Check(Vec<Violation>);

impl Check {
    /// A rule of the field at `path`.
    fn require(&mut self, holds: bool, path: impl fmt::Display, message: &str) {
        if !holds {
            self.0.push(Violation::new(path.to_string(), message));
        }
    }

    /// The form and the length of a text.
    fn text(&mut self, text: &str, path: impl fmt::Display, form: &Form) {
        if text.chars().count() > form.longest {
            let message = format!("must have at most {} characters; shorten it", form.longest);
            self.0.push(Violation::new(path.to_string(), message));
        } else {
            self.require(form.fits(text), path, form.message);
        }
    }

    /// The span of a time.
    fn time(&mut self, time: Option<&Time>, path: impl fmt::Display) {
        let holds = time.is_none_or(|given| time::SPAN.holds(given));
        self.require(holds, path, time::SPAN.message);
    }

    /// The length of a list.
    fn at_most(&mut self, longest: usize, length: usize, path: impl fmt::Display) {
        if length > longest {
            let message = format!("must have at most {longest} items; remove some");
            self.0.push(Violation::new(path.to_string(), message));
        }
    }

    /// The length of a list of texts and the form of each.
    fn texts(&mut self, texts: &[String], longest: usize, path: &str, form: &Form) {
        self.at_most(longest, texts.len(), path);
        for (index, text) in texts.iter().enumerate() {
            self.text(text, format_args!("{path}[{index}]"), form);
        }
    }
}
