//! Live reads of single objects: quorum reads (no resourceVersion), so that what they bring is at least as
//! new as anything that was known when they began.

use kube::Client;
use latchkey_core::object::ObjectName;
use latchkey_runtime::api::{ApiError, Call, Limits, encode, send};
use serde_json::Value;

use super::{
    reconcile::path,
    secret::{Read, Secret},
};

/// Reads a Secret, and of its data one key. With a selector only a Secret that fits it is found: it is asked
/// for by a list of at most one.
pub(super) async fn secret(client: &Client, name: &ObjectName, key: &str, selector: Option<&str>) -> Read {
    let ObjectName { namespace, name } = name;
    let secrets = format!("/api/v1/namespaces/{namespace}/secrets");
    let object = match selector {
        None => ask(client, Call::get(format!("{secrets}/{name}"))).await,
        Some(selector) => {
            let (name, selector) = (encode(name), encode(selector));
            let query = format!("fieldSelector=metadata.name%3D{name}&labelSelector={selector}&limit=1");
            let list = ask(client, Call::list(format!("{secrets}?{query}"))).await;
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
    ask(client, Call::get(path(&name.namespace, &name.name))).await
}

fn first(mut list: Value) -> Option<Value> {
    list["items"].as_array_mut()?.pop()
}

/// `None`: the API server itself says that there is no such object. Something in between proves nothing.
async fn ask(client: &Client, call: Call) -> Result<Option<Value>, String> {
    let verb = call.verb();
    let object = async { send(client, call, Limits::default()).await?.ok()?.json() };
    object
        .await
        .map(Some)
        .or_else(|error: ApiError| match error.failure() {
            Some(failure) if failure.code == 404 && failure.is_status => Ok(None),
            Some(failure) if matches!(failure.code, 401 | 403) => Err(format!(
                "{failure}; give the operator's role the verb {verb} there"
            )),
            _ => Err(error.to_string()),
        })
}
