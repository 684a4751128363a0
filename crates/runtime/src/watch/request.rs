//! What is asked for a collection: paths, queries and representations. Pure.

use std::{fmt, fmt::Write as _, time::Duration};

use super::{Collection, Content};
use crate::api::{Call, Verb, encode};

const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

impl Collection {
    /// A page of the list. `resourceVersion` stays unset: only then is the read consistent, anything else
    /// may come from a cache that is behind.
    pub(super) fn list(&self, limit: u32, after: Option<&str>) -> Call {
        let mut path = format!("{}?limit={limit}", self.path());
        self.select(&mut path);
        if let Some(token) = after {
            // Writing to a String cannot fail, here and below.
            let _ = write!(path, "&continue={}", encode(token));
        }
        self.as_content(Call::list(path), METADATA_LIST)
    }

    /// The one object of a collection that names one.
    pub(super) fn get(&self, name: &str) -> Call {
        self.as_content(Call::get(format!("{}/{}", self.path(), encode(name))), METADATA)
    }

    /// What changed since a version; `None`: all there is now, and then what changes.
    pub(super) fn watch(&self, since: Option<&str>, timeout: Duration) -> Call {
        let seconds = timeout.as_secs().max(1);
        let mut path = format!(
            "{}?watch=true&allowWatchBookmarks=true&timeoutSeconds={seconds}",
            self.path()
        );
        self.select(&mut path);
        if let Some(version) = since {
            let _ = write!(path, "&resourceVersion={}", encode(version));
        }
        self.as_content(Call::watch(path), METADATA)
    }

    /// What reads it.
    pub(super) fn verb(&self) -> Verb {
        if self.name.is_some() {
            Verb::Get
        } else {
            Verb::List
        }
    }

    /// The resource as RBAC rules name it: `plural` or `plural.group`.
    pub(super) fn resource(&self) -> String {
        match self.api_version.split_once('/') {
            Some((group, _)) => format!("{}.{group}", self.plural),
            None => self.plural.to_owned(),
        }
    }

    fn path(&self) -> String {
        let root = if self.api_version.contains('/') {
            "apis"
        } else {
            "api"
        };
        let mut path = format!("/{root}/{}", self.api_version);
        if let Some(namespace) = &self.namespace {
            let _ = write!(path, "/namespaces/{}", encode(namespace));
        }
        let _ = write!(path, "/{}", self.plural);
        path
    }

    fn select(&self, path: &mut String) {
        if let Some(labels) = &self.labels {
            let _ = write!(path, "&labelSelector={}", encode(labels));
        }
        if let Some(name) = &self.name {
            let _ = write!(
                path,
                "&fieldSelector={}",
                encode(&format!("metadata.name={name}"))
            );
        }
    }

    /// Metadata has no fallback to whole objects: a server that cannot cut them says 406.
    fn as_content(&self, call: Call, metadata: &'static str) -> Call {
        match self.content {
            Content::Whole => call,
            Content::Metadata => call.accept(metadata),
        }
    }
}

/// For log lines: the resource, and where.
impl fmt::Display for Collection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource())?;
        if let Some(name) = &self.name {
            write!(f, " {name}")?;
        }
        if let Some(namespace) = &self.namespace {
            write!(f, " in namespace {namespace}")?;
        }
        Ok(())
    }
}
