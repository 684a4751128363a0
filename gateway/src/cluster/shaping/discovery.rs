//! Asks the API server which kinds stand: those that it serves, and lets somebody create objects of.
//!
//! While a CRD is being removed, objects of its kind can be read and deleted but no longer created, and
//! discovery says so; afterwards it does not know the kind. Every authenticated account may ask
//! (ClusterRole `system:discovery`).

use std::{collections::BTreeSet, time::Duration};

use http::StatusCode;
use kube::Client;
use latchkey_routing::object::Resource;
use latchkey_runtime::api::{Answer, ApiError, Call, Limits, send};
use serde::Deserialize;

/// How long an answer may take: the API server has it in memory.
const TIMEOUT: Duration = Duration::from_secs(5);
const LIST: &str = "APIResourceList";
const CREATE: &str = "create";

#[derive(Deserialize)]
struct ResourceList {
    kind: String,
    resources: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    name: String,
    verbs: Vec<String>,
}

/// Those of the kinds that stand, with one request for each API version among them.
///
/// # Errors
/// It cannot be said of all of them.
pub(in crate::cluster) async fn standing(
    client: &Client,
    asked: BTreeSet<Resource>,
) -> Result<BTreeSet<Resource>, ApiError> {
    let limits = Limits {
        timeout: TIMEOUT,
        ..Limits::default()
    };
    let versions: BTreeSet<_> = asked.iter().map(|resource| resource.api_version).collect();
    let mut standing = BTreeSet::new();
    for version in versions {
        let answer = send(client, Call::get(format!("/apis/{version}")), limits).await?;
        let creatable = creatable(answer)?;
        let stands =
            |resource: &&Resource| resource.api_version == version && creatable.contains(resource.plural);
        standing.extend(asked.iter().filter(stands));
    }
    Ok(standing)
}

/// The plurals of an API version whose objects can be created; none if there is no such version.
fn creatable(answer: Answer) -> Result<BTreeSet<String>, ApiError> {
    let answer = match answer.ok() {
        Ok(answer) => answer,
        // Anything between here and there could say 404 as well.
        Err(failure) if failure.code == StatusCode::NOT_FOUND.as_u16() && failure.is_status => {
            return Ok(BTreeSet::new());
        }
        Err(failure) => return Err(failure.into()),
    };
    let list: ResourceList = answer.json()?;
    if list.kind != LIST {
        return Err(ApiError::Unreadable(format!("it is not of kind {LIST}")));
    }
    let creatable = |listed: &Listed| listed.verbs.iter().any(|verb| verb == CREATE);
    let resources = list.resources.into_iter().filter(creatable);
    Ok(resources.map(|listed| listed.name).collect())
}

#[cfg(test)]
mod tests;
