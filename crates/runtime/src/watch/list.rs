//! Listing a collection, until a list was complete.

use super::{
    Event, Health, object,
    object::ObjectError,
    page::{Page, PageError},
    pages::{MAX_PAGE, Pages},
    stream::Stream,
    trouble,
    watcher::Watcher,
};
use crate::{
    api::{Answer, ApiError, Call, Limits, Verb, send},
    watch::counts::count,
};

/// Why a list was not complete.
enum Broken {
    Call(Verb, ApiError),
    Content(PageError),
}

impl From<PageError> for Broken {
    fn from(error: PageError) -> Self {
        Self::Content(error)
    }
}

impl From<ObjectError> for Broken {
    fn from(error: ObjectError) -> Self {
        Self::Content(error.into())
    }
}

/// From where to watch after a list: a version, or a watch that is open already.
type Position = (Option<String>, Option<Stream>);

impl<T: Clone> Watcher<'_, T> {
    /// Lists until a list was complete.
    pub(super) async fn list(&mut self) -> Position {
        loop {
            let listed = match self.collection.name.clone() {
                None => self.pages().await,
                Some(name) => self.single(&name).await,
            };
            let broken = match listed {
                Ok(position) => {
                    self.listed().await;
                    return position;
                }
                Err(broken) => broken,
            };
            count(&self.record.list_failures);
            let (health, retry_after) = match &broken {
                Broken::Call(verb, error) => {
                    if error.failure().is_none() {
                        self.shared.lost.notify_one();
                    }
                    (
                        trouble::health(*verb, &self.collection, error),
                        error.retry_after(),
                    )
                }
                Broken::Content(error) => (Health::Trouble(format!("list: {error}")), None),
            };
            self.tell(health).await;
            self.wait_to_list(retry_after).await;
        }
    }

    /// All pages. The version is that of the first: what came later is told again rather than left out.
    async fn pages(&mut self) -> Result<Position, Broken> {
        let client = &self.shared.client;
        let size = self.shared.tuning.page_size;
        let mut pages = Pages::new(client, &self.collection, self.limits(), size);
        let mut version = None;
        loop {
            let answer = pages.ask().await;
            let answer = answer.map_err(|error| Broken::Call(Verb::List, error))?;
            let page = Page::read(&answer.body)?;
            if version.is_none() {
                version = Some(page.version()?.to_owned());
                self.emit(Event::ListBegin).await;
            }
            for object in page.objects(self.collection.content) {
                self.emit(Event::Listed(object?.value)).await;
            }
            if !pages.turn(&page) {
                break;
            }
        }
        self.emit(Event::ListEnd).await;
        if let Some(version) = &version {
            self.hold(version);
        }
        Ok((version, None))
    }

    /// The one object. A `get` tells no version of the collection to watch from, and the object's own may
    /// be long forgotten. So the watch is opened first, without a version: it begins with the object as it
    /// is, if it is. Then the object is read. Whatever happens after the watch began is told by the watch,
    /// so nothing is lost between the two, a deletion neither. What the watch tells from before the `get`
    /// is told late, but in order, and ends in the same state.
    async fn single(&mut self, name: &str) -> Result<Position, Broken> {
        let stream = self
            .open(None)
            .await
            .map_err(|error| Broken::Call(Verb::Watch, error))?;
        let object = match self.ask(self.collection.get(name)).await {
            Ok(answer) => Some(object::read_answer(&answer.body, self.collection.content)?),
            Err(Broken::Call(_, error)) if is_absent(&error, name) => None,
            Err(broken) => return Err(broken),
        };
        self.emit(Event::ListBegin).await;
        if let Some(object) = object {
            self.emit(Event::Listed(object.value)).await;
        }
        self.emit(Event::ListEnd).await;
        Ok((None, Some(stream)))
    }

    async fn ask(&self, call: Call) -> Result<Answer, Broken> {
        let verb = call.verb();
        let answer = send(&self.shared.client, call, self.limits()).await;
        answer
            .and_then(|answer| Ok(answer.ok()?))
            .map_err(|error| Broken::Call(verb, error))
    }

    fn limits(&self) -> Limits {
        Limits {
            timeout: self.shared.tuning.read_timeout,
            body: MAX_PAGE,
        }
    }
}

/// Whether the server knows the kind, and not this object.
pub(super) fn is_absent(error: &ApiError, name: &str) -> bool {
    error
        .failure()
        .is_some_and(|failure| failure.code == 404 && failure.about.as_deref() == Some(name))
}
