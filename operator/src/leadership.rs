//! Permission to write, until a moment of this process's own monotonic clock.

use std::time::{Duration, Instant};

use tokio::sync::watch;

/// What a writer asks before each write. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Leadership(watch::Receiver<Option<Instant>>);

impl Leadership {
    /// The permission, and who grants it: until this moment, or (`None`) not now.
    pub fn new() -> (watch::Sender<Option<Instant>>, Self) {
        let (granted, until) = watch::channel(None);
        (granted, Self(until))
    }

    /// How long writing is still permitted; `None`: it is not.
    pub fn remaining(&self, now: Instant) -> Option<Duration> {
        let until = (*self.0.borrow())?;
        until.checked_duration_since(now).filter(|rest| !rest.is_zero())
    }

    /// Waits until the permission was granted, renewed, or withdrawn. Never completes once nobody grants
    /// it any more.
    pub async fn changed(&mut self) {
        if self.0.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
