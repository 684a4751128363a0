//! Writing a status: a merge patch that carries the version it was computed from, only while leading.

mod outcome;

use std::time::Duration;

use http::StatusCode;
use kube::Client;
use latchkey_runtime::api::{ApiError, Call, Limits, send};
use serde_json::{Value, json};

pub use self::outcome::Outcome;
pub(crate) use self::outcome::Writes;
use crate::{
    leadership::{Leadership, now},
    refusal::told,
};

/// The longest a write may take. Leadership that ends before cuts it shorter.
const LIMIT: Duration = Duration::from_secs(10);

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
///
/// The answer is waited for no longer than this process leads, so that nothing is in flight when another
/// one may. Nothing is sent twice: what failed may have been done, which the next version tells.
pub async fn write(client: &Client, leadership: &Leadership, target: &Target, status: &Value) -> Written {
    let patch = json!({
        "metadata": {"resourceVersion": target.resource_version, "uid": target.uid},
        "status": status,
    });
    let call = Call::merge_patch(format!("{}/status", target.path), &patch);
    let Some(remaining) = leadership.remaining(now()) else {
        return Written::NotLeading;
    };
    let limits = Limits {
        timeout: remaining.min(LIMIT),
        ..Limits::default()
    };
    written(client, call, limits)
        .await
        .unwrap_or_else(|error| refused(&error))
}

async fn written(client: &Client, call: Call, limits: Limits) -> Result<Written, ApiError> {
    let object: Value = send(client, call, limits).await?.ok()?.json()?;
    let version = object
        .pointer("/metadata/resourceVersion")
        .and_then(Value::as_str);
    Ok(match version {
        Some(version) => Written::Done(version.to_owned()),
        None => Written::Failed("the answer cannot be read: it has no resourceVersion".to_owned()),
    })
}

fn refused(error: &ApiError) -> Written {
    match error.code().map(StatusCode::from_u16) {
        Some(Ok(StatusCode::CONFLICT)) => Written::Conflict,
        Some(Ok(StatusCode::NOT_FOUND)) => Written::Gone,
        _ => Written::Failed(told(error)),
    }
}

#[cfg(test)]
mod tests;
