//! Filters, compiled.

use http::{HeaderMap, HeaderName, HeaderValue};

/// A RequestHeaderModifier: set, then add, then remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderModifier {
    /// Replaces all values of the name.
    pub set: Vec<(HeaderName, HeaderValue)>,
    /// Appends a value.
    pub add: Vec<(HeaderName, HeaderValue)>,
    /// Removes all values of the name.
    pub remove: Vec<HeaderName>,
}

impl HeaderModifier {
    /// Changes a head in place.
    pub fn apply(&self, headers: &mut HeaderMap) {
        for (name, value) in &self.set {
            headers.insert(name.clone(), value.clone());
        }
        for (name, value) in &self.add {
            headers.append(name.clone(), value.clone());
        }
        for name in &self.remove {
            headers.remove(name);
        }
    }
}
