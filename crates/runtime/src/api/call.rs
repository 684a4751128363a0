//! A request of the API server, before it is sent.

use std::fmt;

use bytes::Bytes;
use http::{
    HeaderValue, Method, Request,
    header::{ACCEPT, CONTENT_TYPE},
};
use kube::client::Body;
use serde_json::Value;

const JSON: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";

/// What is asked, in the words of RBAC: what a role must grant, and what calls are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// One object.
    Get,
    /// A collection, or a page of it.
    List,
    /// What changes in a collection.
    Watch,
    /// A new object.
    Create,
    /// An object, whole.
    Update,
    /// Parts of an object.
    Patch,
    /// An object's end.
    Delete,
}

impl Verb {
    /// As RBAC writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
        }
    }

    fn method(self) -> Method {
        match self {
            Self::Get | Self::List | Self::Watch => Method::GET,
            Self::Create => Method::POST,
            Self::Update => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One request: verb, path with its query, and a JSON body where the verb has one.
#[derive(Clone)]
pub struct Call {
    verb: Verb,
    path: String,
    accept: &'static str,
    content_type: Option<&'static str>,
    body: Bytes,
}

/// Without the body, which may be a Secret.
impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Call({} {})", self.verb, self.path)
    }
}

impl Call {
    /// Reads one object.
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Verb::Get, path, None, Bytes::new())
    }

    /// Reads a collection, or a page of it.
    pub fn list(path: impl Into<String>) -> Self {
        Self::new(Verb::List, path, None, Bytes::new())
    }

    /// Watches; the path's query says so.
    pub(crate) fn watch(path: impl Into<String>) -> Self {
        Self::new(Verb::Watch, path, None, Bytes::new())
    }

    /// Makes an object in the collection of this path.
    pub fn create(path: impl Into<String>, object: &Value) -> Self {
        Self::new(Verb::Create, path, Some(JSON), object.to_string().into())
    }

    /// Replaces the object of this path; its `metadata.resourceVersion` makes that optimistic.
    pub fn update(path: impl Into<String>, object: &Value) -> Self {
        Self::new(Verb::Update, path, Some(JSON), object.to_string().into())
    }

    /// Changes the object of this path by an RFC 7386 merge patch; a `metadata.resourceVersion` in it makes
    /// that optimistic.
    pub fn merge_patch(path: impl Into<String>, patch: &Value) -> Self {
        Self::new(Verb::Patch, path, Some(MERGE_PATCH), patch.to_string().into())
    }

    /// Deletes the object of this path.
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Verb::Delete, path, None, Bytes::new())
    }

    /// Asks for this representation instead of plain JSON; nothing else is accepted then.
    #[must_use]
    pub fn accept(mut self, media_type: &'static str) -> Self {
        self.accept = media_type;
        self
    }

    /// What is asked.
    pub fn verb(&self) -> Verb {
        self.verb
    }

    fn new(verb: Verb, path: impl Into<String>, content_type: Option<&'static str>, body: Bytes) -> Self {
        Self {
            verb,
            path: path.into(),
            accept: JSON,
            content_type,
            body,
        }
    }

    pub(super) fn into_request(self) -> Result<Request<Body>, http::Error> {
        let mut request = Request::builder()
            .method(self.verb.method())
            .uri(self.path)
            .header(ACCEPT, HeaderValue::from_static(self.accept));
        if let Some(content_type) = self.content_type {
            request = request.header(CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        request.body(Body::from(self.body))
    }
}
