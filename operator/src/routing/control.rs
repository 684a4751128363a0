//! The loop: events into the world, jobs out of the queue, and what became of them back.

use std::{future::pending, sync::Arc};

use k8s_openapi::{apimachinery::pkg::apis::meta::v1::Time, jiff::Timestamp};
use kube::Client;
use latchkey_runtime::{
    api::{ApiError, Call, Limits, send},
    watch::{Collection, Event},
};
use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::{JoinSet, yield_now},
    time::{Instant, sleep_until},
};

use super::{
    kinds::{Key, Watched},
    notices::{Notice, Notices},
    queue::{End, Job, Queue},
    stats::Stats,
    world::World,
};
use crate::{
    leadership::{self, Leadership},
    refusal::told,
    status::{self, Written},
};

/// How many events go into one commit at most.
const BATCH: usize = 1024;
/// How many objects are looked at in one turn: most have nothing to be written.
const TURN: usize = 128;

/// The loop and what it works on.
pub(super) struct Control {
    client: Client,
    leadership: Leadership,
    world: World,
    collections: Vec<(Watched, Collection)>,
    notices: Notices,
    queue: Queue,
    jobs: JoinSet<(Key, Ended)>,
    /// Everything was looked at since this process may write.
    led: bool,
    stats: Arc<Stats>,
}

/// What became of a job's request.
enum Ended {
    Write(Written),
    /// The object, if it could be read, and the version that was held when it was asked for.
    Read(Result<Value, ApiError>, Option<String>),
}

impl Control {
    pub(super) fn new(
        client: Client,
        leadership: Leadership,
        world: World,
        collections: Vec<(Watched, Collection)>,
        concurrency: usize,
        stats: Arc<Stats>,
    ) -> Self {
        Self {
            client,
            leadership,
            world,
            collections,
            notices: Notices::default(),
            queue: Queue::new(concurrency),
            jobs: JoinSet::new(),
            led: false,
            stats,
        }
    }

    /// Goes on until nobody can send events any more.
    pub(super) async fn run(mut self, mut events: mpsc::Receiver<(usize, Event)>) {
        loop {
            let more = self.work();
            let deadline = self.queue.deadline().map(Instant::from_std);
            tokio::select! {
                event = events.recv() => {
                    let Some((index, event)) = event else { return };
                    self.take(index, event);
                    for _ in 1..BATCH {
                        let Ok((index, event)) = events.try_recv() else { break };
                        self.take(index, event);
                    }
                    self.commit();
                }
                () = self.leadership.changed() => {}
                Some(ended) = self.jobs.join_next() => {
                    // A job that panicked stays busy: it must not be tried for ever.
                    if let Ok((key, ended)) = ended {
                        self.finish(key, ended);
                    }
                }
                // Whatever else this thread does has its turn in between.
                () = yield_now(), if more => {}
                () = until(deadline) => self.queue.expire(leadership::now()),
            }
        }
    }

    fn take(&mut self, index: usize, event: Event) {
        if let Some((_, collection)) = self.collections.get(index) {
            match self.notices.of(index, collection, &event) {
                Some(Notice::Missing(line)) => tracing::warn!("{line}"),
                Some(Notice::There(line)) => tracing::info!("{line}"),
                None => {}
            }
        }
        self.world.take(index, event);
    }

    fn commit(&mut self) {
        let changed = self.world.commit();
        // Also while another leads: what waits for this version must not wait on once this process leads again.
        changed
            .arrived
            .into_iter()
            .for_each(|key| self.queue.arrived(key));
        // Whoever comes to lead looks at everything.
        if self.led {
            changed.touched.into_iter().for_each(|key| self.queue.touch(key));
        }
    }

    /// Starts as many jobs as there may be, if this process may write and knows enough. Says whether there
    /// are more to look at.
    fn work(&mut self) -> bool {
        let leads = self.leadership.remaining(leadership::now()).is_some();
        if !leads || !self.world.complete() {
            self.led &= leads;
            return false;
        }
        if !self.led {
            self.led = true;
            self.world.keys().cloned().for_each(|key| self.queue.touch(key));
        }
        let mut looked_at = 0;
        while looked_at < TURN
            && let Some((key, job)) = self.queue.start()
        {
            match job {
                Job::Write => self.write(key),
                Job::ReadAndWrite => self.read(key),
            }
            looked_at += 1;
        }
        self.stats.wait(self.queue.len());
        looked_at == TURN
    }

    fn write(&mut self, key: Key) {
        let Some(write) = self.world.plan(&key, &now()) else {
            self.end(key, End::Nothing);
            return;
        };
        let (client, leadership) = (self.client.clone(), self.leadership.clone());
        self.jobs.spawn(async move {
            let written = status::write(&client, &leadership, &write.target, &write.status).await;
            (key, Ended::Write(written))
        });
    }

    fn read(&mut self, key: Key) {
        let (client, version) = (self.client.clone(), self.world.version(&key).map(str::to_owned));
        self.jobs.spawn(async move {
            let object = read(&client, key.subject.path(&key.name)).await;
            (key, Ended::Read(object, version))
        });
    }

    fn finish(&mut self, key: Key, ended: Ended) {
        match ended {
            Ended::Write(written) => self.wrote(key, written),
            // The watch brought another one meanwhile, which may be newer than what was read.
            Ended::Read(_, version) if self.world.version(&key) != version.as_deref() => self.write(key),
            Ended::Read(Ok(object), _) if self.world.refresh(&key, &object) => self.write(key),
            Ended::Read(Ok(_), _) => self.end(key, End::Newer),
            Ended::Read(Err(why), _) => self.failed(key, &format!("cannot be read: {}", told(&why))),
        }
    }

    fn wrote(&mut self, key: Key, written: Written) {
        self.stats.wrote(key.subject, &written);
        match written {
            Written::Done(_) | Written::Conflict => self.end(key, End::Newer),
            Written::Gone => self.end(key, End::Nothing),
            Written::NotLeading => {
                // What is left undone is done by whoever leads next.
                self.led = false;
                self.end(key, End::Nothing);
            }
            Written::Failed(why) => self.failed(key, &format!("cannot be written: {why}")),
        }
    }

    fn failed(&mut self, key: Key, why: &str) {
        let (kind, name) = (key.subject.as_str(), &key.name);
        tracing::warn!("the status of {kind} {name} {why}; it is tried again");
        self.end(key, End::Failed);
    }

    fn end(&mut self, key: Key, end: End) {
        self.queue.finish(key, end, leadership::now());
    }
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}

async fn read(client: &Client, path: String) -> Result<Value, ApiError> {
    send(client, Call::get(path), Limits::default())
        .await?
        .ok()?
        .json()
}

/// The time in whole seconds, as conditions write it.
fn now() -> Time {
    let now = Timestamp::now();
    Time(Timestamp::from_second(now.as_second()).unwrap_or(now))
}

#[cfg(test)]
mod tests;
