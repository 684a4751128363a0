//! A complete list, once: what a collection holds now, for who needs to know it beside a watch.

use std::time::Duration;

use kube::Client;
use serde_json::Value;
use tokio::time::timeout;

use super::{
    Collection, Tuning,
    object::ObjectError,
    page::{Page, PageError},
    pages::{MAX_PAGE, Pages},
};
use crate::api::{ApiError, Limits};

/// All objects of a collection, by one consistent read: as they are at some moment between the call and its
/// answer, and no cache that is behind has a part in it.
///
/// # Errors
/// A page, or all, was not complete within its time, or something of it cannot be read: then nothing is
/// known.
pub async fn list_once(
    client: &Client,
    collection: &Collection,
    page: Duration,
    all: Duration,
) -> Result<Vec<Value>, ApiError> {
    let limits = Limits {
        timeout: page,
        body: MAX_PAGE,
    };
    let pages = async {
        let mut pages = Pages::new(client, collection, limits, Tuning::default().page_size);
        let mut listed = Vec::new();
        loop {
            let answer = pages.ask().await?;
            let page = Page::read(&answer.body)?;
            if !page.is_list() {
                return Err(PageError::NoList.into());
            }
            for object in page.objects(collection.content) {
                let object = object.map_err(|error: ObjectError| PageError::from(error))?;
                listed.push(object.value);
            }
            if !pages.turn(&page) {
                return Ok(listed);
            }
        }
    };
    timeout(all, pages).await.unwrap_or(Err(ApiError::Timeout(all)))
}
