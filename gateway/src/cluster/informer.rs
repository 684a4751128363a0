//! The thread that talks to the API server: all watches and the contact, on one runtime. It only hands on
//! what it hears, what shapes routing once it may be in force; a full queue makes it wait, never the writer.

use std::{
    io,
    sync::{Arc, mpsc::sync_channel},
    thread::{self, JoinHandle},
    time::Duration,
};

use kube::Client;
use latchkey_core::object::ObjectName;
use latchkey_proxy::Freshness;
use latchkey_runtime::{
    api::{ApiArgs, ConnectError},
    watch::{Event, Session, Tuning},
};
use tokio::{
    runtime::Builder,
    sync::{mpsc, oneshot},
    task::JoinSet,
    time::interval,
};

use super::{
    kinds::Scope,
    shaping::{self, Heard},
    stats::WatchStats,
};
use crate::{args::cluster::ClusterArgs, object::Kind};

/// How often workers are told when the API server was last heard of, where that has a limit.
const TELL: Duration = Duration::from_secs(1);
/// Events that may wait for the writer, which takes as many at a time. Each is one object.
const QUEUE: usize = 1024;
/// Events that may wait for the task that puts them in order.
const SHAPING_QUEUE: usize = 64;

/// Why cluster mode cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No API server is configured.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The system refuses a thread or a runtime.
    #[error("cannot start: {0}; check the limits of this process (threads, open files)")]
    System(#[from] io::Error),
    /// The thread failed before it could say more.
    #[error("the thread that watches the API server ended; see the log")]
    Ended,
}

/// The watches, running.
#[derive(Debug)]
pub struct Informer {
    /// What is watched.
    pub scope: Scope,
    /// What is heard, with the number of the collection in [`Scope::watched`].
    pub events: mpsc::Receiver<(usize, Event)>,
    /// Where numbers about the watches are.
    pub session: Session,
    /// Where numbers about what was heard are.
    pub stats: Arc<WatchStats>,
    /// Dropped, it ends the thread.
    pub stop: oneshot::Sender<()>,
    /// The thread.
    pub thread: JoinHandle<()>,
}

impl Informer {
    /// Starts to watch. `seed` spreads the waits of processes that start together; `freshness` is told of
    /// each contact.
    ///
    /// # Errors
    /// It cannot be said which API server to ask. One that does not answer is no error: it is asked again.
    pub fn start(args: &ClusterArgs, seed: u64, freshness: Freshness) -> Result<Self, StartError> {
        let (tell, told) = sync_channel(1);
        let (stop, stopped) = oneshot::channel();
        let (sender, events) = mpsc::channel(QUEUE);
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let args = args.clone();
        let run = async move {
            match connect(&args, seed).await {
                Ok(watches) => {
                    if tell.send(Ok(watches.clone())).is_ok() {
                        watches.run(freshness, sender, stopped).await;
                    }
                }
                // Whoever asked waits for this.
                Err(error) => drop(tell.send(Err(error))),
            }
        };
        let thread = thread::Builder::new()
            .name("informer".to_owned())
            .spawn(move || runtime.block_on(run))?;
        let Watches {
            scope,
            session,
            stats,
            ..
        } = told.recv().map_err(|_| StartError::Ended)??;
        Ok(Self {
            scope,
            events,
            session,
            stats,
            stop,
            thread,
        })
    }
}

/// What is to be watched, and by whom.
#[derive(Clone)]
struct Watches {
    scope: Scope,
    client: Client,
    session: Session,
    stats: Arc<WatchStats>,
    seed: u64,
}

async fn connect(args: &ClusterArgs, seed: u64) -> Result<Watches, ConnectError> {
    let client = ApiArgs::client(&args.api).await?;
    let own = args
        .namespace
        .clone()
        .unwrap_or_else(|| client.default_namespace().to_owned());
    let scope = Scope {
        namespaces: args.watch_namespaces.clone(),
        pepper: ObjectName::new(own, &*args.pepper_secret),
    };
    let tuning = Tuning {
        relist_interval: args.relist_interval,
        contact_interval: args.contact_interval,
        ..Tuning::default()
    };
    Ok(Watches {
        session: Session::new(client.clone(), tuning, seed),
        client,
        stats: Arc::new(WatchStats::new(&scope.watched())),
        scope,
        seed,
    })
}

impl Watches {
    /// Until the end is asked for. No watch ends before that but by a defect, and then all do: going on
    /// without one would keep revoked keys alive.
    async fn run(
        self,
        freshness: Freshness,
        events: mpsc::Sender<(usize, Event)>,
        stopped: oneshot::Receiver<()>,
    ) {
        let Self {
            scope,
            client,
            session,
            stats,
            seed,
        } = self;
        let watched = scope.watched();
        let collections = shaping::policies(&watched);
        let (policies, heard_policies) = mpsc::channel(SHAPING_QUEUE);
        let (others, heard_others) = mpsc::channel(SHAPING_QUEUE);
        let mut tasks = JoinSet::new();
        for (id, watched) in watched.iter().cloned().enumerate() {
            let to = match watched.kind {
                Kind::AuthPolicy => &policies,
                kind if kind.opens() => &others,
                _ => &events,
            };
            let (session, to) = (session.clone(), to.clone());
            tasks.spawn(async move { session.watch(watched.collection, id, to).await });
        }
        drop((policies, others));
        let heard = Heard {
            policies: heard_policies,
            others: heard_others,
        };
        tasks.spawn(async move {
            let standing = |kinds| shaping::standing(&client, kinds);
            let listed = || shaping::listed(&client, &collections);
            shaping::run(&watched, seed, heard, events, stats, standing, listed).await;
        });
        let (contact, contacted) = (session.clone(), scope.contact());
        tasks.spawn(async move { contact.contact(&contacted).await });
        if freshness.is_limited() {
            tasks.spawn(async move { keep_fresh(&session, &freshness).await });
        }
        tokio::select! {
            _ = stopped => {}
            _ = tasks.join_next() => tracing::error!("a watch of the API server ended by itself"),
        }
    }
}

/// Tells workers when the API server was last heard of. Never ends.
async fn keep_fresh(session: &Session, freshness: &Freshness) {
    let mut ticks = interval(TELL);
    loop {
        ticks.tick().await;
        if let Some(ago) = session.contact_age() {
            freshness.heard(ago);
        }
    }
}
