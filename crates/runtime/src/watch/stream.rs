//! Following a watch: bytes to lines to events, with a limit on silence and on the length of a line.

use std::{sync::atomic::Ordering, time::Duration};

use http::Response;
use http_body_util::BodyExt as _;
use kube::client::Body;
use tokio::time::{Instant, timeout, timeout_at};

use super::{
    Event, Health,
    counts::count,
    end::{End, Why},
    event::{self, Line},
    lines::{Lines, TooLong},
    object::Object,
    watcher::Watcher,
};
use crate::api::{ApiError, open, read, reason};

/// The longest line of a watch: one event with one object, which the store keeps below two MiB.
const MAX_LINE: usize = 8 << 20;
/// The longest refusal that is read.
const MAX_REFUSAL: usize = 64 << 10;

/// An open watch.
pub(super) struct Stream {
    body: Body,
    lines: Lines,
    opened: Instant,
}

impl<T: Clone> Watcher<'_, T> {
    /// Opens a watch from a version, or (`None`) one that begins with what there is.
    pub(super) async fn open(&self, since: Option<&str>) -> Result<Stream, ApiError> {
        let tuning = &self.shared.tuning;
        let call = self.collection.watch(since, tuning.watch_timeout);
        let response = open(&self.shared.client, call, tuning.read_timeout).await?;
        if !response.status().is_success() {
            return Err(refusal(response, tuning.read_timeout).await);
        }
        Ok(Stream {
            body: response.into_body(),
            lines: Lines::new(MAX_LINE),
            opened: Instant::now(),
        })
    }

    /// Follows a watch, or opens the next one, until it ends. `version` moves with what was handed on.
    pub(super) async fn follow(&mut self, stream: Option<Stream>, version: &mut Option<String>) -> End {
        let mut stream = match stream {
            Some(stream) => stream,
            None => match self.open(version.as_deref()).await {
                Ok(stream) => stream,
                Err(error) => {
                    return End {
                        why: Why::Failed(error),
                        lasted: None,
                    };
                }
            },
        };
        self.tell(Health::Working).await;
        let why = self.drain(&mut stream, version).await;
        End {
            why,
            lasted: Some(stream.opened.elapsed()),
        }
    }

    async fn drain(&mut self, stream: &mut Stream, version: &mut Option<String>) -> Why {
        let silence = self.shared.tuning.read_timeout;
        // The server owes the end, too, and owes it no longer than anything else. A watch that still moves
        // then is so slow that its events do not come through.
        let longest = self.shared.tuning.watch_timeout + silence;
        let overdue = stream.opened + longest;
        loop {
            loop {
                match stream.lines.next() {
                    Ok(None) => break,
                    Ok(Some(line)) => {
                        if let Err(why) = self.take(&line, version).await {
                            return why;
                        }
                    }
                    Err(TooLong) => return Why::TooLong(MAX_LINE),
                }
            }
            let silent = Instant::now() + silence;
            match timeout_at(silent.min(overdue), stream.body.frame()).await {
                Err(_) if overdue < silent => return Why::Overdue(longest),
                Err(_) => return Why::Silent(silence),
                // The rest of a line that was cut is dropped: its event comes again after the last version.
                Ok(None) => return Why::Ended,
                Ok(Some(Err(error))) => return Why::Failed(ApiError::Transport(reason(&error))),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        stream.lines.push(&data);
                    }
                }
            }
        }
    }

    async fn take(&mut self, line: &[u8], version: &mut Option<String>) -> Result<(), Why> {
        let (event, object) = match event::read(line, self.collection.content).map_err(Why::Unreadable)? {
            Line::Applied(object) => (Event::Applied as fn(_) -> _, object),
            Line::Deleted(object) => (Event::Deleted as fn(_) -> _, object),
            Line::Bookmark(reached) => {
                self.hold(&reached);
                *version = Some(reached);
                return Ok(());
            }
            Line::Failed(failure) => return Err(Why::Failed(failure.into())),
        };
        let Object {
            value,
            version: reached,
        } = object;
        self.emit(event(value)).await;
        count(&self.record.events);
        if let Some(reached) = reached {
            self.hold(&reached);
            *version = Some(reached);
        }
        Ok(())
    }

    /// This version was seen.
    pub(super) fn hold(&self, version: &str) {
        // Only the contact compares versions; where they are no numbers it cannot.
        if let Ok(version) = version.parse() {
            self.record.revision.store(version, Ordering::Relaxed);
            self.shared.hold(self.generation, version);
        }
    }
}

async fn refusal(response: Response<Body>, silence: Duration) -> ApiError {
    match timeout(silence, read(response, MAX_REFUSAL)).await {
        Err(_) => ApiError::Timeout(silence),
        Ok(Err(error)) => error,
        Ok(Ok(answer)) => match answer.ok() {
            Err(failure) => failure.into(),
            Ok(_) => ApiError::Unreadable("its status changed".to_owned()),
        },
    }
}
