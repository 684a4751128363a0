//! The rendered text, ready for any number of scrapes. A scrape copies a pointer and waits for nothing.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use bytes::Bytes;

/// Where scrapes find the text. The worker runs as long as one of these exists.
#[derive(Clone, Debug)]
pub struct Cache(pub(crate) Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    text: ArcSwapOption<Rendered>,
    expiry: Duration,
    /// How often rendering failed since start.
    failures: AtomicU64,
    /// Closing it ends the worker's wait.
    _alive: mpsc::Sender<Infallible>,
}

#[derive(Debug)]
struct Rendered {
    bytes: Bytes,
    at: Instant,
}

/// Why there is no text. Old numbers or none would look like a healthy, idle process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoText {
    /// The first is not yet rendered.
    #[error("metrics were not rendered yet ({failures} attempts failed; see the log)")]
    NotYet {
        /// Failed attempts since start.
        failures: u64,
    },
    /// The last one is too old.
    #[error(
        "the last metrics are {age:.1?} old, more than {expiry:?}: rendering is stuck or fails \
         ({failures} times since start; see the log)"
    )]
    Expired {
        /// How old.
        age: Duration,
        /// How old it may be.
        expiry: Duration,
        /// Failed attempts since start.
        failures: u64,
    },
}

impl Cache {
    /// The text, in the media type [`CONTENT_TYPE`](crate::encode::CONTENT_TYPE).
    ///
    /// # Errors
    /// There is none, or it is too old to be believed: answer 503 with this reason.
    pub fn text(&self) -> Result<Bytes, NoText> {
        let failures = self.0.failures.load(Ordering::Relaxed);
        let text = self.0.text.load();
        let Some(text) = text.as_deref() else {
            return Err(NoText::NotYet { failures });
        };
        let (age, expiry) = (text.at.elapsed(), self.0.expiry);
        if age > expiry {
            return Err(NoText::Expired {
                age,
                expiry,
                failures,
            });
        }
        Ok(text.bytes.clone())
    }
}

impl Shared {
    pub(crate) fn new(expiry: Duration, alive: mpsc::Sender<Infallible>) -> Self {
        Self {
            text: ArcSwapOption::empty(),
            expiry,
            failures: AtomicU64::new(0),
            _alive: alive,
        }
    }

    /// Swaps a new text in, and gives back the old one if no scrape holds it.
    pub(crate) fn publish(&self, bytes: Bytes) -> Option<Bytes> {
        let new = Rendered {
            bytes,
            at: Instant::now(),
        };
        let old = self.text.swap(Some(Arc::new(new)))?;
        Some(Arc::into_inner(old)?.bytes)
    }

    pub(crate) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }
}
