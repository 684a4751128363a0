//! Going through a list page by page, however large its objects are.

use kube::Client;

use super::{Collection, page::Page};
use crate::api::{Answer, ApiError, Limits, send};

/// The most bytes of a page. A larger one is asked for again by halves, down to one object.
pub(super) const MAX_PAGE: usize = 32 << 20;

/// Where in a list somebody is.
pub(super) struct Pages<'a> {
    client: &'a Client,
    collection: &'a Collection,
    limits: Limits,
    size: u32,
    next: Option<String>,
}

impl<'a> Pages<'a> {
    /// Before the first page, of so many objects. The limits are those of one page.
    pub(super) fn new(client: &'a Client, collection: &'a Collection, limits: Limits, size: u32) -> Self {
        Self {
            client,
            collection,
            limits,
            size: size.max(1),
            next: None,
        }
    }

    /// The page that comes now.
    pub(super) async fn ask(&mut self) -> Result<Answer, ApiError> {
        loop {
            let call = self.collection.list(self.size, self.next.as_deref());
            match send(self.client, call, self.limits).await {
                Err(ApiError::TooLarge(_)) if self.size > 1 => self.size /= 2,
                answer => return Ok(answer?.ok()?),
            }
        }
    }

    /// Goes behind this page; whether there is another.
    pub(super) fn turn(&mut self, page: &Page<'_>) -> bool {
        self.next = page.next().map(str::to_owned);
        self.next.is_some()
    }
}
