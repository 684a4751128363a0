//! Permission to write, until a moment of this process's own monotonic clock.

use std::time::{Duration, Instant};

use tokio::sync::watch;

/// How long a permission lasts that nobody has to renew: longer than any process lives.
const ALWAYS: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// What a writer asks before each write. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Leadership(watch::Receiver<Option<Instant>>);

/// The present moment of the clock that permissions are measured on. It is tokio's, so that a test which
/// pauses time pauses permissions with it.
pub fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

impl Leadership {
    /// The permission, and who grants it: until this moment, or (`None`) not now.
    pub fn new() -> (watch::Sender<Option<Instant>>, Self) {
        let (granted, until) = watch::channel(None);
        (granted, Self(until))
    }

    /// For a process that is the only one: permitted for as long as it lives.
    pub fn always() -> Self {
        let (granted, leadership) = Self::new();
        granted.send_replace(Some(now() + ALWAYS));
        leadership
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

/// Logs when this process may write and when it may not any more, also where a permission ends because
/// it was not renewed. Never ends.
pub async fn tell(mut leadership: Leadership) {
    let mut told = false;
    loop {
        let remaining = leadership.remaining(now());
        match (told, remaining.is_some()) {
            (false, true) => tracing::info!("leading: this process writes"),
            (true, false) => tracing::warn!("not leading any more: this process writes nothing"),
            (true, true) | (false, false) => {}
        }
        told = remaining.is_some();
        tokio::select! {
            () = leadership.changed() => {}
            () = tokio::time::sleep(remaining.unwrap_or_default()), if told => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_permission_ends_at_its_moment_by_itself_and_at_once_when_withdrawn() {
        let (granted, leadership) = Leadership::new();
        assert_eq!(leadership.remaining(now()), None);
        granted.send_replace(Some(now() + Duration::from_secs(10)));
        assert_eq!(leadership.remaining(now()), Some(Duration::from_secs(10)));
        tokio::time::advance(Duration::from_secs(10)).await;
        assert_eq!(leadership.remaining(now()), None);
        granted.send_replace(Some(now() + Duration::from_secs(10)));
        granted.send_replace(None);
        assert_eq!(leadership.remaining(now()), None);
    }

    #[tokio::test(start_paused = true)]
    async fn the_only_process_leads_for_as_long_as_it_lives() {
        let leadership = Leadership::always();
        tokio::time::advance(Duration::from_secs(365 * 24 * 3600)).await;
        assert!(leadership.remaining(now()).is_some());
    }
}
