//! From a Consumer or Credential as the API server shows it to what the index needs of it.

use latchkey_core::{decode::decode, object::ObjectName};
use latchkey_crds::{Consumer, Credential};
use latchkey_index::object::{ConsumerFacts, CredentialFacts, Fact, Kind};
use serde_json::Value;

/// The facts of an object, or why it cannot be read: never a value of it.
///
/// # Errors
/// Everything that is wrong with it, with the remedy.
pub fn fact(kind: Kind, object: &Value) -> Result<Fact, String> {
    let fact = match kind {
        Kind::Consumer => {
            decode::<Consumer>(object).map(|c| Fact::Consumer(ConsumerFacts::from_resource(&c)))
        }
        Kind::Credential => {
            decode::<Credential>(object).map(|c| Fact::Credential(CredentialFacts::from_resource(&c)))
        }
    };
    fact.map_err(|error| error.to_string())
}

/// Which object it is: all that is needed of one that is gone.
pub fn name_of(object: &Value) -> Option<ObjectName> {
    let metadata = object.get("metadata")?;
    let name = metadata.get("name")?.as_str()?;
    let namespace = metadata.get("namespace").and_then(Value::as_str);
    Some(ObjectName::new(namespace.unwrap_or_default(), name))
}
