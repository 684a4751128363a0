//! The loop: it alone holds what is known, and does what the reconciler says. Jobs do I/O and nothing else.

use std::{
    future,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::Arc,
    time::Instant,
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::Client;
use latchkey_core::{digest::Pepper, object::ObjectName};
use latchkey_runtime::watch::{Event, Session};
use serde_json::Value;
use tokio::{
    sync::{mpsc, watch},
    task::{JoinError, JoinSet},
};
use tracing::{error, info, warn};

use super::{
    Config,
    complaints::{Class, Complaints},
    known::name_of,
    queue::{Lane, Queue},
    read,
    reconcile::{Attempt, Reconciler, Step},
    secret::Read,
    sources::{Source, Synced, sources},
    stats::{Held, Stats},
    store::Scope,
};
use crate::{
    leadership::{Leadership, now},
    status::{self, Written},
};

/// Events that wait for the loop, and that it takes in one turn. It shares its thread.
const EVENTS: usize = 256;
/// Credentials that it takes in one turn: comparing a long backlog must not keep events waiting.
const TAKEN: usize = 256;

type Events = mpsc::Receiver<(Arc<Source>, Event)>;

/// What a job brings back.
#[derive(Debug)]
enum Done {
    Secret(Attempt, Read),
    Credential(ObjectName, Result<Option<Value>, String>),
    Written(Attempt, Written),
}

struct Loop {
    client: Client,
    leadership: Leadership,
    secret_selector: Option<Arc<str>>,
    concurrency: usize,
    reconciler: Reconciler,
    queue: Queue,
    synced: Synced,
    jobs: JoinSet<Done>,
    /// Whether it works on Credentials at all: it leads, and knows a pepper.
    active: bool,
    complaints: Complaints,
    stats: Arc<Stats>,
}

/// Reconciles Credentials while leading, and keeps up with them while not. Never ends. Nothing is written
/// before the first lists are complete and a pepper is known; with namespaces, before those of a
/// Credential's own.
pub async fn run(
    client: Client,
    session: Session,
    leadership: Leadership,
    peppers: watch::Receiver<Vec<Pepper>>,
    config: Config,
    stats: Arc<Stats>,
) {
    let (sender, mut events) = mpsc::channel(EVENTS);
    let mut watches = JoinSet::new();
    for (source, collection) in sources(&config) {
        let (session, sender) = (session.clone(), sender.clone());
        watches.spawn(async move { session.watch(collection, Arc::new(source), sender).await });
    }
    drop(sender);
    let looped = Loop::new(client, leadership, config, stats).run(&mut events, peppers);
    tokio::select! {
        () = looped => {}
        Some(ended) = watches.join_next() => expect_done(ended),
    }
}

/// Waits for a change; for ever, once nobody can change it any more.
async fn changed(peppers: &mut watch::Receiver<Vec<Pepper>>) {
    if peppers.changed().await.is_err() {
        future::pending::<()>().await;
    }
}

async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(wake) => tokio::time::sleep_until(wake.into()).await,
        None => future::pending().await,
    }
}

/// A job that panicked has a bug: going on would leave its Credential running for ever. None is ever
/// cancelled, but together with this loop.
fn expect_done<T>(done: Result<T, JoinError>) -> T {
    match done {
        Ok(done) => done,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// What spreads the waits of processes that fail together: the keys of a hasher are chance enough.
fn seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The clock of conditions, in whole seconds as the API keeps times.
fn time() -> Time {
    let now = jiff::Timestamp::now();
    Time(jiff::Timestamp::from_second(now.as_second()).unwrap_or(now))
}

impl Loop {
    fn new(client: Client, leadership: Leadership, config: Config, stats: Arc<Stats>) -> Self {
        Self {
            client,
            leadership,
            secret_selector: config.secret_selector.as_deref().map(Arc::from),
            concurrency: config.concurrency.max(1),
            reconciler: Reconciler::new(config.min_key_length, config.secret_selector),
            queue: Queue::new(seed()),
            synced: Synced::default(),
            jobs: JoinSet::new(),
            active: false,
            complaints: Complaints::default(),
            stats,
        }
    }

    /// Ends when the events do.
    async fn run(mut self, events: &mut Events, mut peppers: watch::Receiver<Vec<Pepper>>) {
        self.set_peppers(peppers.borrow_and_update().clone());
        let mut leading = self.leadership.clone();
        let mut batch = Vec::with_capacity(EVENTS);
        loop {
            self.look_whether_active();
            let more = self.take();
            self.report();
            let wake = self.queue.next_wake();
            tokio::select! {
                received = events.recv_many(&mut batch, EVENTS) => {
                    if received == 0 {
                        return;
                    }
                    for (source, event) in batch.drain(..) {
                        self.event(&source, event);
                    }
                }
                Some(done) = self.jobs.join_next() => self.done(expect_done(done)),
                () = leading.changed() => {}
                () = changed(&mut peppers) => self.set_peppers(peppers.borrow_and_update().clone()),
                () = sleep_until(wake) => {}
                () = tokio::task::yield_now(), if more => {}
            }
        }
    }

    /// Whoever begins to lead looks at everything, and whoever ends forgets what it was at.
    fn look_whether_active(&mut self) {
        let leads = self.leadership.remaining(now()).is_some();
        let active = leads && !self.reconciler.world.peppers().is_empty();
        if active == self.active {
            return;
        }
        self.active = active;
        if active {
            self.push_all(&None);
        } else {
            self.queue.clear();
            self.reconciler.pause();
        }
    }

    fn set_peppers(&mut self, peppers: Vec<Pepper>) {
        self.reconciler.world.set_peppers(peppers);
        self.push_touched(Lane::Backlog);
    }

    fn event(&mut self, source: &Source, event: Event) {
        let world = &mut self.reconciler.world;
        let (kind, scope) = (source.kind, &source.scope);
        let lane = match &event {
            Event::Applied(_) | Event::Deleted(_) => Lane::Fresh,
            _ => Lane::Backlog,
        };
        match event {
            Event::ListBegin => world.list_begin(kind, scope),
            Event::Listed(object) | Event::Applied(object) => world.apply(kind, object),
            Event::Deleted(object) => {
                if let Some(name) = name_of(&object) {
                    world.delete(kind, &name);
                }
            }
            Event::ListEnd => {
                world.list_end(kind, scope);
                if self.synced.complete(source) {
                    info!(
                        namespace = scope.as_deref().unwrap_or("*"),
                        "all that concerns Credentials is known"
                    );
                    self.push_all(scope);
                }
            }
            Event::Missing => self.missing(source),
            // The watch has said so itself.
            Event::Trouble(_) | Event::Working => {}
        }
        self.push_touched(lane);
    }

    /// Without its CRD there is no object of a kind. At the start the CRD may be about to come.
    fn missing(&mut self, source: &Source) {
        let crd = source.kind.crd().unwrap_or(source.kind.plural());
        error!(
            crd,
            "the API server does not know this kind; apply its CRD: kubectl apply --server-side -f crds/manifests"
        );
        if self.synced.has(source) {
            let world = &mut self.reconciler.world;
            world.list_begin(source.kind, &source.scope);
            world.list_end(source.kind, &source.scope);
        }
    }

    fn push_all(&mut self, scope: &Scope) {
        let all = self.reconciler.world.credentials();
        let listed = |name: &&ObjectName| scope.as_ref().is_none_or(|scope| *scope == name.namespace);
        let names: Vec<_> = all.filter(listed).cloned().collect();
        self.push(names, Lane::Backlog);
    }

    fn push_touched(&mut self, lane: Lane) {
        let touched = self.reconciler.world.take_touched();
        self.push(touched, lane);
    }

    fn push(&mut self, names: impl IntoIterator<Item = ObjectName>, lane: Lane) {
        if !self.active {
            return;
        }
        let now = now();
        for name in names {
            if self.synced.covers(&name.namespace) {
                self.queue.push(name, lane, now);
            }
        }
    }

    /// Takes what waits, as far as jobs may run. Says whether to go on at once.
    fn take(&mut self) -> bool {
        if !self.active {
            return false;
        }
        for _ in 0..TAKEN {
            if self.jobs.len() >= self.concurrency {
                return false;
            }
            let now = now();
            let Some(name) = self.queue.pop(now) else {
                return false;
            };
            let step = self.reconciler.begin(&name, now, &time());
            self.step(&name, step);
        }
        true
    }

    fn done(&mut self, done: Done) {
        let (name, step) = match done {
            Done::Secret(attempt, read) => {
                if let Read::Failed(why) = &read {
                    self.complain(Class::SecretRead, attempt.name(), why);
                }
                let name = attempt.name().clone();
                (name, self.reconciler.secret_read(attempt, read, &time()))
            }
            Done::Credential(name, read) => {
                if let Err(why) = &read {
                    self.complain(Class::CredentialRead, &name, why);
                }
                let step = self.reconciler.credential_read(read.map_err(drop), &time());
                (name, step)
            }
            Done::Written(attempt, written) => {
                self.count(&attempt, &written);
                let step = self.reconciler.written(&attempt, &written, now());
                (attempt.name().clone(), step)
            }
        };
        self.step(&name, step);
    }

    fn step(&mut self, name: &ObjectName, step: Step) {
        match step {
            Step::ReadSecret(attempt, secret, key) => {
                self.stats.secret_read();
                let (client, selector) = (self.client.clone(), self.secret_selector.clone());
                self.jobs.spawn(async move {
                    let read = read::secret(&client, &secret, &key, selector.as_deref()).await;
                    Done::Secret(attempt, read)
                });
            }
            Step::ReadCredential(name) => {
                let client = self.client.clone();
                self.jobs.spawn(async move {
                    let read = read::credential(&client, &name).await;
                    Done::Credential(name, read)
                });
            }
            Step::Write(attempt, target, status) => {
                let (client, leadership) = (self.client.clone(), self.leadership.clone());
                self.jobs.spawn(async move {
                    let written = status::write(&client, &leadership, &target, &status).await;
                    Done::Written(attempt, written)
                });
            }
            Step::End(outcome, after) => {
                self.stats.ended(outcome);
                self.queue.finish(name, after, now());
            }
        }
    }

    fn count(&mut self, attempt: &Attempt, written: &Written) {
        self.stats.wrote(written);
        let name = attempt.name();
        match written {
            Written::Done(_) => {
                if attempt.refused() > 0 {
                    self.stats.refused(attempt.refused());
                    let why = "its status held a key that the operator did not publish from its Secret; it was \
                               replaced; see who may write credentials/status";
                    self.complain(Class::Strangers, name, why);
                }
                if let Some(why) = attempt.undecodable() {
                    self.complain(Class::Undecodable, name, why);
                }
            }
            Written::Failed(why) => self.complain(Class::StatusWrite, name, why),
            Written::Conflict | Written::Gone | Written::NotLeading => {}
        }
    }

    fn complain(&mut self, class: Class, credential: &ObjectName, why: &str) {
        let Some(unsaid) = self.complaints.speak(class, now()) else {
            return;
        };
        warn!(%credential, why, unsaid, "{}", class.says());
    }

    fn report(&mut self) {
        let world = &self.reconciler.world;
        let number = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let held = Held {
            credentials: world.readiness(),
            undecodable: world.undecodable(),
            queue_fresh: number(self.queue.depth(Lane::Fresh)),
            queue_backlog: number(self.queue.depth(Lane::Backlog)),
            queue_delayed: number(self.queue.delayed()),
            queue_age_ms: u64::try_from(self.queue.age(now()).as_millis()).unwrap_or(u64::MAX),
        };
        self.stats.hold(held);
    }
}

#[cfg(test)]
mod tests;
