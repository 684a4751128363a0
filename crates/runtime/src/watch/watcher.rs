//! The life of one collection: list, watch, and what to do when either ends.
//!
//! ```text
//! run: a generation -> cycle: list -> follow -> decide: resume | list again
//!        ^-- the store was put back: drop the cycle wherever it is
//! ```

use std::{convert::Infallible, sync::Arc, time::Duration};

use tokio::{
    sync::mpsc,
    time::{Instant, sleep, timeout_at},
};

use super::{
    Cause, Collection, Event, Health,
    counts::{Record, Running, count},
    end::{self, Start},
    shared::Shared,
};
use crate::backoff::Backoff;

pub(super) struct Watcher<'a, T> {
    pub(super) shared: &'a Shared,
    pub(super) collection: Collection,
    pub(super) record: Arc<Record>,
    pub(super) generation: u64,
    tag: T,
    events: &'a mpsc::Sender<(T, Event)>,
    health: Health,
    running: Running,
    /// Of lists; reset by a complete one.
    list_pace: Backoff,
    /// Of watches; reset by one that lasted, for one that opens and ends at once did not work.
    watch_pace: Backoff,
}

impl<'a, T: Clone> Watcher<'a, T> {
    pub(super) fn new(
        shared: &'a Shared,
        collection: Collection,
        tag: T,
        events: &'a mpsc::Sender<(T, Event)>,
    ) -> Self {
        let record = shared.counts.record(collection.plural);
        Self {
            shared,
            running: Running::new(Arc::clone(&record)),
            record,
            collection,
            generation: 0,
            tag,
            events,
            health: Health::Working,
            list_pace: Backoff::new(shared.tuning.backoff),
            watch_pace: Backoff::new(shared.tuning.backoff),
        }
    }

    /// Until it is dropped.
    pub(super) async fn run(&mut self) -> Infallible {
        let mut generations = self.shared.generation();
        loop {
            self.generation = *generations.borrow_and_update();
            tokio::select! {
                biased;
                _ = generations.changed() => self.record.restarted(Cause::Rollback),
                () = self.cycle() => {}
            }
        }
    }

    /// A complete list, and then watches until all must be listed again.
    async fn cycle(&mut self) {
        let (mut version, mut stream) = self.list().await;
        let tuning = &self.shared.tuning;
        let due = Instant::now() + self.shared.about(tuning.relist_interval);
        let mut refusals = 0;
        loop {
            let Ok(end) = timeout_at(due, self.follow(stream.take(), &mut version)).await else {
                self.restarted(Cause::Interval, Start::List);
                return;
            };
            let decision = end::decide(&end, &self.collection, refusals);
            refusals = decision.refusals;
            self.restarted(decision.cause, decision.start);
            if let Some(health) = decision.health {
                self.tell(health).await;
            }
            if decision.lost {
                self.shared.lost.notify_one();
            }
            let roll = self.shared.roll();
            let lasted = end.lasted.unwrap_or_default();
            let rest = self
                .watch_pace
                .after(lasted, decision.at_once, decision.retry_after, roll);
            sleep(rest).await;
            if decision.start == Start::List || version.is_none() {
                return;
            }
        }
    }

    /// A watch is over. Whether that is a trouble is told elsewhere, and once; this is for who asks why
    /// everything is listed.
    fn restarted(&self, cause: Cause, start: Start) {
        self.record.restarted(cause);
        let (collection, why) = (&self.collection, cause.as_str());
        match (start, cause) {
            (Start::List, Cause::Gone) => tracing::info!(
                %collection,
                cause = why,
                "the API server has forgotten the version to watch from: listing again"
            ),
            (Start::List, _) => tracing::debug!(%collection, cause = why, "listing again"),
            (Start::Resume, _) => tracing::debug!(%collection, cause = why, "watching again"),
        }
    }

    /// Waits after a failed list.
    pub(super) async fn wait_to_list(&mut self, retry_after: Option<Duration>) {
        sleep(self.list_pace.next(retry_after, self.shared.roll())).await;
    }

    /// A list was complete.
    pub(super) async fn listed(&mut self) {
        self.list_pace.reset();
        count(&self.record.lists);
        self.tell(Health::Working).await;
    }

    /// Says how the collection stands, if that is news.
    pub(super) async fn tell(&mut self, health: Health) {
        self.running.works(health == Health::Working);
        if !self.health.becomes(health) {
            return;
        }
        let collection = &self.collection;
        let event = match &self.health {
            Health::Working => {
                tracing::info!(%collection, "watching works again");
                Event::Working
            }
            Health::Missing => {
                tracing::warn!(%collection, "the API server does not know this kind; install its CRD");
                Event::Missing
            }
            Health::Trouble(reason) => {
                tracing::warn!(%collection, reason, "watching fails and is tried again");
                Event::Trouble(reason.clone())
            }
        };
        self.emit(event).await;
    }

    /// Hands on an event, as soon as the receiver has room. Once it is gone the watch is abandoned by
    /// whoever runs it, here too.
    pub(super) async fn emit(&self, event: Event) {
        if self.events.send((self.tag.clone(), event)).await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
