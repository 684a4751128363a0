//! Filters, compiled: what a request needs of them, and nothing to be parsed.

mod path;
mod redirect;
mod rewrite;

use http::{HeaderName, HeaderValue};

pub use path::{InvalidPath, PathChange};
pub use redirect::{Asked, Redirect, Scheme};
pub use rewrite::Rewrite;

/// A RequestHeaderModifier or ResponseHeaderModifier: set, then add, then remove.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeaderModifier {
    /// Replaces all values of the name.
    pub set: Vec<(HeaderName, HeaderValue)>,
    /// Appends a value.
    pub add: Vec<(HeaderName, HeaderValue)>,
    /// Removes all values of the name.
    pub remove: Vec<HeaderName>,
}
