//! One line of a watch.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Content,
    object::{self, ItemType, Object, ObjectError},
};
use crate::api::Failure;

/// What a line says.
#[derive(Debug)]
pub(super) enum Line {
    Applied(Object),
    Deleted(Object),
    /// Nothing happened up to this version.
    Bookmark(String),
    /// The watch cannot go on.
    Failed(Failure),
}

/// Why a line is of no use. No text quotes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineError {
    #[error("its watch sent a line that is no event")]
    NoEvent,
    #[error("its watch sent an event of a type that this version does not know")]
    UnknownType,
    #[error("its watch sent an event without a resourceVersion")]
    NoVersion,
    #[error(transparent)]
    Object(#[from] ObjectError),
}

#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Reads a line. An event that cannot be understood is never passed over: the caller lists again.
pub(super) fn read(line: &[u8], content: Content) -> Result<Line, LineError> {
    let raw: Raw<'_> = serde_json::from_slice(line).map_err(|_| LineError::NoEvent)?;
    let object = || {
        let object = object::read(raw.object, content, &ItemType::default())?;
        if object.version.is_none() {
            return Err(LineError::NoVersion);
        }
        Ok(object)
    };
    match raw.kind.as_ref() {
        "ADDED" | "MODIFIED" => Ok(Line::Applied(object()?)),
        "DELETED" => Ok(Line::Deleted(object()?)),
        "BOOKMARK" => object::version(raw.object)
            .map(Line::Bookmark)
            .ok_or(LineError::NoVersion),
        "ERROR" => Failure::of_status(raw.object.get().as_bytes())
            .map(Line::Failed)
            .ok_or(LineError::NoEvent),
        _ => Err(LineError::UnknownType),
    }
}
