//! Live reads of single objects: quorum reads (no resourceVersion), so that what they bring is at least as
//! new as anything that was known when they began.

use std::time::Duration;

use http::Request;
use kube::{
    Client,
    api::ListParams,
    core::{self, Status},
};
use latchkey_core::object::ObjectName;
use serde_json::Value;

use super::{
    reconcile::path,
    secret::{Read, Secret},
};

/// How long one read may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a Secret, and of its data one key. With a selector only a Secret that fits it is found: it is asked
/// for by a list of at most one.
pub(super) async fn secret(client: &Client, name: &ObjectName, key: &str, selector: Option<&str>) -> Read {
    let ObjectName { namespace, name } = name;
    let url = format!("/api/v1/namespaces/{namespace}/secrets");
    let object = match selector {
        None => ask(client, core::Request::new(url).get(name, &Default::default())).await,
        Some(selector) => {
            let params = ListParams::default()
                .fields(&format!("metadata.name={name}"))
                .labels(selector)
                .limit(1);
            let list = ask(client, core::Request::new(url).list(&params)).await;
            list.map(|list| list.and_then(first))
        }
    };
    match object {
        Ok(Some(object)) => Read::Found(Secret::read(&object, key)),
        Ok(None) => Read::NotFound,
        Err(why) => Read::Failed(why),
    }
}

/// Reads a Credential; `None`: it does not exist.
pub(super) async fn credential(client: &Client, name: &ObjectName) -> Result<Option<Value>, String> {
    let request = Request::get(path(&name.namespace, &name.name)).body(Vec::new());
    ask(client, request.map_err(core::request::Error::BuildRequest)).await
}

fn first(mut list: Value) -> Option<Value> {
    list["items"].as_array_mut()?.pop()
}

async fn ask(
    client: &Client,
    request: Result<Request<Vec<u8>>, core::request::Error>,
) -> Result<Option<Value>, String> {
    let request = request.map_err(|error| error.to_string())?;
    match tokio::time::timeout(TIMEOUT, client.request::<Value>(request)).await {
        Ok(Ok(object)) => Ok(Some(object)),
        Ok(Err(kube::Error::Api(status))) if status.code == 404 => Ok(None),
        Ok(Err(kube::Error::Api(status))) => Err(refusal(&status)),
        // An answer that cannot be read may hold anything: only that it is so is said.
        Ok(Err(kube::Error::SerdeError(_))) => Err("the answer cannot be read".to_owned()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no answer within {} s", TIMEOUT.as_secs())),
    }
}

fn refusal(status: &Status) -> String {
    let remedy = match status.code {
        401 | 403 => "; give the operator's role this verb",
        _ => "",
    };
    format!("{} {}: {}{remedy}", status.code, status.reason, status.message)
}
