//! Wiring: every thread is started here, and told to stop here.
//!
//! ```text
//! source (folder or API server -> index, router) -> cells, bindings -> proxy workers
//!                                               `-> metrics, admin
//! signals -> phases -> workers drain -> the source stops -> the access log is written out
//! ```

mod admin;
mod error;
mod listeners;
mod numbers;
mod source;

use std::{
    io,
    time::{Duration, SystemTime},
};

use latchkey_metrics::{Source as Metrics, requests::Requests, sizes, upstreams::upstreams, worker};
use latchkey_proxy::{AccessLog, Bindings, Freshness, Shared, Workers};
use latchkey_runtime::{
    readiness::Readiness,
    shutdown::{Ended, Signals, Timing, drive, phases},
    telemetry,
};
use latchkey_snapshot::counters::Registry;
use tokio::sync::{oneshot, watch};

pub use error::RunError;
use source::Source;

use crate::{
    args::Args,
    bindings::{BindingMap, OnCommit},
    debug,
    limits::raise_open_files,
};

/// How long the end of the process waits for the access log's last lines.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Runs the gateway until its end.
///
/// # Errors
/// It cannot start, something that it needs ended, or requests had to be cut.
pub fn run(args: &Args) -> Result<(), RunError> {
    // Dropped last, when all has been said.
    let log = telemetry::init(args.process.log_format)?;
    raise_open_files();
    let readiness = Readiness::default();
    // All at once, so that the process is not ready between two of them.
    let [listeners_ready, metrics_ready] = ["listeners", "metrics"].map(|name| readiness.guard(name));
    // Dropped before them: who fails must not get ready by it.
    let unready = UnreadyOnFailure(Some(readiness.clone()));
    let (phases, phase) = phases();

    let (wanted, bindings) = watch::channel(Bindings::new());
    let (committed, first_commit) = oneshot::channel();
    let on_commit = on_commit(BindingMap::new(args.listen.map()), wanted, committed);
    let freshness = args
        .cluster
        .max_staleness
        .map(Freshness::within)
        .unwrap_or_default();
    let source = Source::open(args, &readiness, &freshness, on_commit)?;
    let (snapshots, tables) = source.cells();

    let registry = Registry::default();
    let (access_log, log_writer) = AccessLog::start(args.process.access_log.into(), io::stdout())?;
    let drops = access_log.drop_counter();
    let workers = {
        let shared = Shared {
            tables: tables.clone(),
            snapshots: snapshots.clone(),
            freshness,
            registry: registry.clone(),
            access_log,
            phase,
        };
        Workers::start(
            &args.proxy.config(args.listen.workers()),
            &shared,
            bindings.clone(),
        )?
    };

    let checks = source.checks();
    let debug = debug::Sources {
        snapshots: snapshots.clone(),
        tables: tables.clone(),
        checks: checks.clone(),
        origin: source.origin(),
        listeners: workers.report(),
    };
    let connections = workers.stats();
    let to_upstreams = workers.stats();
    let sources: Vec<Box<dyn Metrics>> = vec![
        Box::new(Requests::new(registry)),
        Box::new(sizes::index(snapshots)),
        Box::new(sizes::checks(move || numbers::check_counts(&checks))),
        Box::new(sizes::routing(move || numbers::routing_sizes(&tables))),
        source.metrics(),
        Box::new(sizes::connections(move || {
            numbers::connection_counts(&connections.read())
        })),
        Box::new(upstreams(move || numbers::upstream_counts(&to_upstreams.read()))),
        Box::new(sizes::logs(drops, log.drop_counter())),
        Box::new(sizes::process(env!("CARGO_PKG_VERSION"), SystemTime::now())),
    ];
    let interval = args.process.metrics_refresh_interval;
    let metrics = worker::start(sources, interval, move || metrics_ready.ready())?;
    admin::server(readiness.clone(), metrics, debug).start(args.process.admin)?;

    let (alive, source_ended) = oneshot::channel::<()>();
    let source = source.start(alive)?;
    let report = workers.report();
    let timing = Timing {
        delay: args.process.drain_delay,
        timeout: args.process.drain_timeout,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ended = runtime.block_on(async {
        let signals = Signals::install()?;
        let mut joined = Ok(());
        let finished = async { joined = workers.join().await };
        let ended = tokio::select! {
            ended = drive(phases, timing, &readiness, signals, finished) => ended,
            error = listeners::watch(first_commit, bindings, report, &listeners_ready) => return Err(error),
            _ = source_ended => return Err(RunError::Source),
        };
        joined?;
        Ok(ended)
    })?;
    unready.disarm();
    // Until here revocations have been in force for the requests that were still running.
    let threads = source.stop();
    match ended {
        Ended::Forced => Err(RunError::Forced),
        Ended::Early => Err(RunError::Early),
        Ended::Finished => {
            for thread in threads {
                thread.join().map_err(|_| RunError::Source)?;
            }
            if !log_writer.join(LAST_LINES) {
                tracing::warn!("nobody takes the access log; its last lines are lost");
            }
            Ok(())
        }
    }
}

/// Makes the process unready where it ends by an error.
struct UnreadyOnFailure(Option<Readiness>);

impl UnreadyOnFailure {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for UnreadyOnFailure {
    fn drop(&mut self) {
        if let Some(readiness) = self.0.take() {
            readiness.drain("ended by an error");
        }
    }
}

/// Tells the proxy which ports to bind, and everybody that there was a first commit.
fn on_commit(map: BindingMap, wanted: watch::Sender<Bindings>, first: oneshot::Sender<()>) -> OnCommit {
    let mut first = Some(first);
    Box::new(move |router| {
        let now = map.bindings(router.tables().load().ports());
        wanted.send_if_modified(|before| {
            let changed = *before != now;
            *before = now;
            changed
        });
        if let Some(first) = first.take() {
            // Nobody waits any more: the process ends.
            let _ = first.send(());
        }
    })
}
