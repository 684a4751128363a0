//! One page of a list.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    Content,
    object::{self, ItemType, Object, ObjectError},
};
use crate::api::ApiError;

/// Why a page is of no use. No text quotes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum PageError {
    #[error("it sent something that is no list")]
    NoList,
    #[error("its list has no resourceVersion, so it cannot be watched")]
    NoVersion,
    #[error(transparent)]
    Object(#[from] ObjectError),
}

impl From<PageError> for ApiError {
    fn from(error: PageError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// A page: what stands around the items, and the items, each still as it came.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page<'a> {
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    api_version: Option<Cow<'a, str>>,
    #[serde(borrow)]
    metadata: PageMetadata<'a>,
    /// `null` where a list is empty.
    #[serde(borrow, default)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageMetadata<'a> {
    #[serde(borrow)]
    resource_version: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "continue")]
    next: Option<Cow<'a, str>>,
}

impl<'a> Page<'a> {
    pub(super) fn read(json: &'a [u8]) -> Result<Self, PageError> {
        serde_json::from_slice(json).map_err(|_| PageError::NoList)
    }

    /// The version of the whole list.
    pub(super) fn version(&self) -> Result<&str, PageError> {
        let version = self.metadata.resource_version.as_deref();
        version
            .filter(|version| !version.is_empty())
            .ok_or(PageError::NoVersion)
    }

    /// Whether it says of itself that it is a list, as every API server's does: an answer that is something
    /// else must not pass for an empty one.
    pub(super) fn is_list(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| kind.ends_with("List")) && self.version().is_ok()
    }

    /// What to ask for the next page, if there is one.
    pub(super) fn next(&self) -> Option<&str> {
        self.metadata.next.as_deref().filter(|token| !token.is_empty())
    }

    /// The items, one by one.
    pub(super) fn objects(&self, content: Content) -> impl Iterator<Item = Result<Object, ObjectError>> {
        let of = ItemType {
            kind: self
                .kind
                .as_deref()
                .and_then(|kind| kind.strip_suffix("List"))
                .map(str::to_owned),
            api_version: self.api_version.as_deref().map(str::to_owned),
        };
        let items = self.items.as_deref().unwrap_or_default();
        items.iter().map(move |raw| object::read(raw, content, &of))
    }
}
