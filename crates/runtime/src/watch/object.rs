//! One object as it stands in a list or an event: made whole where it can be, cut to its identity where not.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::Content;

/// The kind of an object that has its metadata alone.
pub(super) const PARTIAL: &str = "PartialObjectMetadata";

/// Why an object cannot be handed on. Neither text quotes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ObjectError {
    #[error("an object has no metadata.name, so it is not known which one it is")]
    NoName,
    #[error("it sent whole objects where only their metadata was asked for")]
    NotPartial,
}

/// Kind and API version of a list's items, which those of the built-in kinds do not carry.
#[derive(Clone, Debug, Default)]
pub(super) struct ItemType {
    pub(super) kind: Option<String>,
    pub(super) api_version: Option<String>,
}

/// An object and its version.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) value: Value,
    pub(super) version: Option<String>,
}

#[derive(Deserialize)]
struct Identified<'a> {
    #[serde(borrow)]
    metadata: Option<Identity<'a>>,
}

/// The part of `metadata` that tells which object it is and which state of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Identity<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    namespace: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    resource_version: Option<Cow<'a, str>>,
}

/// Reads an object. One that is JSON but cannot be held (a number too large, too deep) is cut to its
/// identity: whoever needs more finds it missing and treats it as undecodable, and the others go on.
pub(super) fn read(raw: &RawValue, content: Content, of: &ItemType) -> Result<Object, ObjectError> {
    let mut value = match serde_json::from_str(raw.get()) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => identity(raw)?,
    };
    add_type(&mut value, of);
    if content == Content::Metadata && value.get("kind").and_then(Value::as_str) != Some(PARTIAL) {
        return Err(ObjectError::NotPartial);
    }
    let Some(Value::Object(metadata)) = value.get_mut("metadata") else {
        return Err(ObjectError::NoName);
    };
    // Who wrote which field is half of an object's bytes, and nobody reads it.
    metadata.remove("managedFields");
    let text = |name| {
        metadata
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    if text("name").is_none() {
        return Err(ObjectError::NoName);
    }
    let version = text("resourceVersion").map(str::to_owned);
    Ok(Object {
        value: Value::Object(value),
        version,
    })
}

/// Reads the object that is a whole answer.
pub(super) fn read_answer(body: &[u8], content: Content) -> Result<Object, ObjectError> {
    let raw = serde_json::from_slice(body).map_err(|_| ObjectError::NoName)?;
    read(raw, content, &ItemType::default())
}

/// The version alone, as a bookmark carries it.
pub(super) fn version(raw: &RawValue) -> Option<String> {
    let identified: Identified<'_> = serde_json::from_str(raw.get()).ok()?;
    identified.metadata?.resource_version.map(Cow::into_owned)
}

fn identity(raw: &RawValue) -> Result<Map<String, Value>, ObjectError> {
    let identified: Identified<'_> = serde_json::from_str(raw.get()).map_err(|_| ObjectError::NoName)?;
    let identity = identified.metadata.ok_or(ObjectError::NoName)?;
    let fields = [
        ("name", identity.name),
        ("namespace", identity.namespace),
        ("uid", identity.uid),
        ("resourceVersion", identity.resource_version),
    ];
    let metadata = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), Value::String(value?.into_owned()))));
    let mut object = Map::new();
    object.insert("metadata".to_owned(), Value::Object(metadata.collect()));
    Ok(object)
}

fn add_type(object: &mut Map<String, Value>, of: &ItemType) {
    for (field, value) in [("kind", &of.kind), ("apiVersion", &of.api_version)] {
        if let (false, Some(value)) = (object.contains_key(field), value) {
            object.insert(field.to_owned(), Value::String(value.clone()));
        }
    }
}
