//! `metadata`: what decides age and identity.

use jiff::Timestamp;
use latchkey_core::time::UnixSeconds;
use serde_json::Value;

use super::fields::{Fields, Misfit};

/// What counts of an object's metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// `uid`; none if the object has none that can be read.
    pub uid: Option<String>,
    /// `creationTimestamp`; the epoch if the object has none.
    pub created: UnixSeconds,
    /// Whether there is a `deletionTimestamp`.
    pub terminating: bool,
}

impl Metadata {
    /// Reads an object's metadata.
    pub fn read(object: &Value) -> Result<Self, Misfit> {
        match Fields::of(object)?.object("metadata")? {
            Some(fields) => Self::of(fields).map_err(|misfit| misfit.under("metadata")),
            None => Ok(Self::default()),
        }
    }

    /// What can be read of the metadata of an object that is broken.
    pub fn salvage(object: &Value) -> Self {
        Self::read(object).unwrap_or_else(|_| Self {
            uid: object
                .pointer("/metadata/uid")
                .and_then(Value::as_str)
                .map(str::to_owned),
            ..Self::default()
        })
    }

    fn of(fields: Fields<'_>) -> Result<Self, Misfit> {
        let created = fields.read("creationTimestamp", |value| {
            value
                .as_str()
                .and_then(|text| text.parse::<Timestamp>().ok())
                .map(|time| UnixSeconds(time.as_second()))
                .ok_or_else(|| Misfit::new("a time such as 2030-01-31T12:00:00Z"))
        })?;
        Ok(Self {
            uid: fields.text("uid")?.map(str::to_owned),
            created: created.unwrap_or_default(),
            terminating: fields.get("deletionTimestamp").is_some(),
        })
    }
}
