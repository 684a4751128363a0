//! From an object as its source holds it to a typed one of our kinds, or to what is wrong with it.
//!
//! ```text
//! JSON value -> serde (unknown fields of spec refused) -> validate() -> object
//! ```
//!
//! An error names the field and the remedy and never shows a value, nor a field's name that may be
//! one: people paste keys into the wrong places, and errors go to logs.

mod redact;

use std::fmt;

use latchkey_crds::validate::{Validate, Violation};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::publish::DEFAULT_MIN_KEY_LENGTH;

/// Why an object does not count: one or more fields, each with a remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    first: Violation,
    rest: Vec<Violation>,
}

impl DecodeError {
    /// The path of the first field, such as `spec.apiKey.sha256`; empty for the object as a whole.
    pub fn field(&self) -> &str {
        &self.first.field
    }

    /// What is wrong with that field and what to do.
    pub fn message(&self) -> &str {
        &self.first.message
    }

    /// Everything that is wrong.
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        std::iter::once(&self.first).chain(&self.rest)
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        self.rest
            .iter()
            .try_for_each(|violation| write!(f, "; {violation}"))
    }
}

impl std::error::Error for DecodeError {}

/// Reads an object of one of our kinds and checks the rules of its kind.
///
/// # Errors
/// What cannot be read, or every rule that is broken.
pub fn decode<T: DeserializeOwned + Validate>(value: &Value) -> Result<T, DecodeError> {
    let object: T =
        serde_path_to_error::deserialize(redact::Redacting(value)).map_err(|error| DecodeError {
            first: error.inner().explain(error.path()),
            rest: Vec::new(),
        })?;
    let mut violations = object.validate().into_iter();
    match violations.next() {
        None => Ok(object),
        Some(first) => Err(DecodeError {
            first,
            rest: violations.collect(),
        }),
    }
}

/// The name of a field that somebody made up, if an error may show it: a word in camelCase, or letters
/// and digits that are too few for a key, such as a misspelt field is. Anything else may be a key in the
/// wrong place.
pub fn shown_field(name: &str) -> Option<&str> {
    const LONGEST: usize = 32;
    let word = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.len() <= LONGEST
        && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    let no_key = (1..DEFAULT_MIN_KEY_LENGTH).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (word || no_key).then_some(name)
}

#[cfg(test)]
mod tests;
