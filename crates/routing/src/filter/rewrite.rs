//! `URLRewrite`: what the upstream sees instead of what the client asked for. Routing and policies have
//! seen the latter.

use std::borrow::Cow;

use http::HeaderValue;

use super::PathChange;

/// A rewrite. What it does not say stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewrite {
    /// Another `Host`.
    pub host: Option<HeaderValue>,
    pub(crate) path: Option<PathChange>,
}

impl Rewrite {
    /// The path that the upstream sees.
    pub fn path<'p>(&'p self, path: &'p str) -> Cow<'p, str> {
        match &self.path {
            Some(change) => change.apply(path),
            None => Cow::Borrowed(path),
        }
    }
}
