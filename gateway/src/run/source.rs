//! Where objects come from: a folder or an API server. What both modes have in common is here; `run` asks
//! for nothing else.

use std::{io, sync::Arc, thread::JoinHandle, time::Instant};

use latchkey_core::digest::Pepper;
use latchkey_index::Index;
use latchkey_metrics::Source as Metrics;
use latchkey_proxy::Freshness;
use latchkey_routing::{
    router::{Router, RouterConfig},
    table::TableCell,
};
use latchkey_runtime::readiness::{Guard, Readiness};
use latchkey_snapshot::SnapshotCell;

use super::{RunError, numbers};
use crate::{
    args::{Args, SourceArgs, UnprotectedRoutes},
    bindings::OnCommit,
    cluster::{self, informer::Informer, writer::Writer},
    debug::Origin,
    selfcheck::{CheckStats, SelfCheck},
    standalone::{control::Control, engine::Engine, publish::Publisher},
};

/// The id of the pepper that standalone mode makes for itself.
const PEPPER_ID: &str = "standalone";

/// A source that was found, and whose objects are not yet read.
pub(super) enum Source {
    /// A folder, and whether it is served.
    Standalone(Box<Control>, Guard),
    /// An API server.
    Cluster(Informer, Box<Writer>, SelfCheck, OnCommit),
}

/// A source whose objects are read and kept up to date.
pub(super) struct Running {
    stop: Box<dyn FnOnce()>,
    threads: Vec<JoinHandle<()>>,
}

impl Source {
    /// Finds the source that the flags name. What must happen before the process is ready is pending from
    /// here on.
    pub(super) fn open(
        args: &Args,
        readiness: &Readiness,
        freshness: &Freshness,
        on_commit: OnCommit,
    ) -> Result<Self, RunError> {
        let (index, router) = (Index::new(getrandom::u64()?), router(&args.source));
        let checks = SelfCheck::every(args.source.self_check_interval, Instant::now());
        let Some(folder) = &args.source.standalone else {
            let informer = Informer::start(&args.cluster, getrandom::u64()?, freshness.clone())?;
            let stats = informer.stats.clone();
            let writer = Writer::new(&informer.scope, stats, index, router, readiness);
            return Ok(Self::Cluster(informer, Box::new(writer), checks, on_commit));
        };
        let ready = readiness.guard("folder");
        let engine = engine(&args.source, index, router)?;
        let poll_interval = args.source.standalone_poll_interval;
        let control = Control::new(folder, poll_interval, engine, on_commit)?.checking(checks);
        Ok(Self::Standalone(Box::new(control), ready))
    }

    /// Where requests find credentials and routes.
    pub(super) fn cells(&self) -> (SnapshotCell, TableCell) {
        let (index, router) = match self {
            Self::Standalone(control, _) => (control.engine().index(), control.engine().router()),
            Self::Cluster(_, writer, ..) => (writer.index(), writer.router()),
        };
        (index.snapshots(), router.tables())
    }

    /// What it counts.
    pub(super) fn origin(&self) -> Origin {
        match self {
            Self::Standalone(control, _) => Origin::Folder(control.stats()),
            Self::Cluster(informer, writer, ..) => Origin::Watch(writer.stats(), informer.session.clone()),
        }
    }

    /// The same for metrics.
    pub(super) fn metrics(&self) -> Box<dyn Metrics> {
        match self.origin() {
            Origin::Folder(stats) => Box::new(numbers::folder(stats)),
            Origin::Watch(stats, session) => Box::new(numbers::watches(stats, session)),
        }
    }

    /// What the self-check of the index counts.
    pub(super) fn checks(&self) -> Arc<CheckStats> {
        match self {
            Self::Standalone(control, _) => control.checks(),
            Self::Cluster(.., checks, _) => checks.stats(),
        }
    }

    /// Begins to read. `alive` is dropped when nobody reads any more.
    pub(super) fn start(self, alive: impl Send + 'static) -> io::Result<Running> {
        match self {
            Self::Standalone(control, ready) => {
                let waker = control.waker();
                let thread = control.start(ready, alive)?;
                Ok(Running {
                    stop: Box::new(move || waker.stop()),
                    threads: vec![thread],
                })
            }
            Self::Cluster(informer, writer, checks, on_commit) => {
                let stop = informer.stop;
                let writer = cluster::control::start(informer.events, *writer, checks, on_commit, alive)?;
                Ok(Running {
                    // The writer ends once it has taken in what was heard until then.
                    stop: Box::new(move || drop(stop)),
                    threads: vec![informer.thread, writer],
                })
            }
        }
    }
}

impl Running {
    /// Ends it; what was read by now is in force afterwards if the end is waited for.
    pub(super) fn stop(self) -> Vec<JoinHandle<()>> {
        (self.stop)();
        self.threads
    }
}

fn router(args: &SourceArgs) -> Router {
    Router::new(RouterConfig {
        gateway_class: args.gateway_class.clone(),
        deny_unprotected: args.unprotected_routes == UnprotectedRoutes::Deny,
    })
}

/// The writer of index and router, under a pepper that lives as long as this process.
fn engine(args: &SourceArgs, mut index: Index, router: Router) -> Result<Engine, RunError> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret)?;
    let pepper = Pepper::new(PEPPER_ID, &secret);
    index.set_peppers(vec![pepper.clone()]);
    let publisher = Publisher::new(pepper, args.min_key_length);
    Ok(Engine::new(index, router, publisher))
}
