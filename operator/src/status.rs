//! Writing a status: a merge patch that carries the version it was computed from, only while leading.

use kube::Client;
use serde_json::Value;

use crate::leadership::Leadership;

/// Whose status, and the version that it was computed from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The URL path of the object, such as `/apis/latchkey.dev/v1alpha1/namespaces/n/credentials/c`.
    pub path: String,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.resourceVersion`.
    pub resource_version: String,
}

/// What became of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// It stands, as this version.
    Done(String),
    /// The object has changed since: compute again from what it is now.
    Conflict,
    /// The object is gone.
    Gone,
    /// This process may not write now.
    NotLeading,
    /// It failed and may be tried again: why.
    Failed(String),
}

/// Writes `{"status": status}` as a merge patch of the status subresource. A field of `status` that is
/// null is removed; lists are replaced whole.
#[allow(clippy::unused_async, reason = "skeleton")]
pub async fn write(client: &Client, leadership: &Leadership, target: &Target, status: &Value) -> Written {
    let _ = (client, leadership, target, status);
    unimplemented!()
}
