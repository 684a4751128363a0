//! All workers and the control thread that binds ports for them.
//!
//! ```text
//! Bindings (watch) -> control thread: bind -> Command -> every worker        BindReport (watch) <-
//! PhaseWatch -> control thread (stops binding) and every worker (drains)
//! ```

use std::{
    collections::BTreeMap, io, net::SocketAddr, panic::resume_unwind, sync::Arc, thread, time::Duration,
};

use latchkey_routing::table::TableCell;
use latchkey_runtime::shutdown::{Phase, PhaseWatch};
use latchkey_snapshot::{SnapshotCell, counters::Registry};
use tokio::{
    runtime::Builder,
    sync::{mpsc, watch},
    task::LocalSet,
    time::sleep,
};

use crate::{
    access_log::AccessLog,
    config::ProxyConfig,
    freshness::Freshness,
    listen::{BindReport, Bindings, bind},
    load::Load,
    stats::{Stats, WorkerStats, sum},
    worker::{self, Command},
};

/// How often a port that could not be bound is tried again.
const BIND_RETRY: Duration = Duration::from_secs(1);
/// Commands that may wait for a worker. Workers take them at once; the control thread can wait.
const COMMANDS: usize = 64;

/// What workers read from others.
#[derive(Clone, Debug)]
pub struct Shared {
    /// Routes and policies.
    pub tables: TableCell,
    /// Credentials and consumers.
    pub snapshots: SnapshotCell,
    /// Whether credentials may still be let in.
    pub freshness: Freshness,
    /// Where workers register their counters.
    pub registry: Registry,
    /// Where requests are logged.
    pub access_log: AccessLog,
    /// Where the process stands.
    pub phase: PhaseWatch,
}

/// The proxy, running.
#[derive(Debug)]
pub struct Workers {
    report: watch::Receiver<BindReport>,
    stats: StatsReader,
    threads: Vec<thread::JoinHandle<()>>,
    ended: mpsc::Receiver<()>,
}

/// Reads the numbers of all workers, from any thread.
#[derive(Clone, Debug)]
pub struct StatsReader(Arc<[Arc<WorkerStats>]>);

impl StatsReader {
    /// The present sum.
    pub fn read(&self) -> Stats {
        sum(&self.0)
    }
}

impl Workers {
    /// Starts all threads. Ports are bound as `bindings` says, now and whenever it changes.
    ///
    /// # Errors
    /// The system refuses a thread or a runtime.
    pub fn start(
        config: &ProxyConfig,
        shared: &Shared,
        bindings: watch::Receiver<Bindings>,
    ) -> io::Result<Self> {
        let (alive, ended) = mpsc::channel(1);
        let (report, reported) = watch::channel(BindReport::default());
        let mut threads = Vec::new();
        let mut senders = Vec::new();
        let mut stats = Vec::new();
        let load = Arc::new(Load::default());
        for index in 0..config.workers.get() {
            let (sender, commands) = mpsc::channel(COMMANDS);
            let counters = Arc::new(WorkerStats::default());
            senders.push(sender);
            stats.push(Arc::clone(&counters));
            let (config, shared, load) = (config.clone(), shared.clone(), Arc::clone(&load));
            let run = move || worker::run(config, shared, counters, load, commands);
            threads.push(spawn(format!("latchkey-worker-{index}"), alive.clone(), run)?);
        }
        let control = Control {
            workers: senders,
            bound: BTreeMap::new(),
            report,
        };
        let phase = shared.phase.clone();
        let run = move || control.run(bindings, phase);
        threads.push(spawn("latchkey-listen".to_owned(), alive, run)?);
        Ok(Self {
            report: reported,
            stats: StatsReader(stats.into()),
            threads,
            ended,
        })
    }

    /// Which ports are served.
    pub fn report(&self) -> watch::Receiver<BindReport> {
        self.report.clone()
    }

    /// Where to read numbers.
    pub fn stats(&self) -> StatsReader {
        self.stats.clone()
    }

    /// Waits until all threads have ended (after `Draining`, when the last connection has; after `Forced`,
    /// at once), or until one of them panics: its share of connections would hang unserved.
    ///
    /// # Errors
    /// A thread panicked; its message was printed.
    pub async fn join(self) -> Result<(), WorkerPanicked> {
        join(self.threads, self.ended).await
    }
}

async fn join(
    threads: Vec<thread::JoinHandle<()>>,
    mut ended: mpsc::Receiver<()>,
) -> Result<(), WorkerPanicked> {
    // Each thread holds a sender until its end, and sends only if it panics.
    if ended.recv().await.is_some() {
        return Err(WorkerPanicked);
    }
    let mut panicked = false;
    for thread in threads {
        panicked |= thread.join().is_err();
    }
    if panicked { Err(WorkerPanicked) } else { Ok(()) }
}

/// A thread of the proxy ended by a panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a thread of the proxy panicked; this is a defect of Latchkey, please report it with the message above"
)]
pub struct WorkerPanicked;

/// Runs a future on a thread of its own, with a runtime for that thread alone. `alive` is dropped last, and
/// told of a panic.
fn spawn<F: Future<Output = ()> + 'static>(
    name: String,
    alive: mpsc::Sender<()>,
    make: impl FnOnce() -> F + Send + 'static,
) -> io::Result<thread::JoinHandle<()>> {
    let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
    thread::Builder::new().name(name).spawn(move || {
        let tasks = LocalSet::new();
        // The set polls what it blocks on at every turn, so that is a mere handle.
        let ended = tasks.block_on(&runtime, tasks.spawn_local(make()));
        // What still runs is cut here, while its runtime is there.
        drop(tasks);
        if let Err(panicked) = ended {
            // Full: another thread's panic is told already.
            let _ = alive.try_send(());
            resume_unwind(panicked.into_panic());
        }
    })
}

/// Binds ports and hands them to workers.
struct Control {
    workers: Vec<mpsc::Sender<Command>>,
    /// The address asked for, by port.
    bound: BTreeMap<u16, SocketAddr>,
    report: watch::Sender<BindReport>,
}

impl Control {
    async fn run(mut self, mut bindings: watch::Receiver<Bindings>, mut phase: PhaseWatch) {
        let mut fixed = false;
        loop {
            let wanted = bindings.borrow_and_update().clone();
            self.apply(&wanted).await;
            let retry = !self.report.borrow().failed.is_empty();
            tokio::select! {
                // An error: nothing will change any more, but what cannot be bound may yet be.
                changed = bindings.changed(), if !fixed => fixed = changed.is_err(),
                () = drained(&mut phase) => return,
                () = sleep(BIND_RETRY), if retry => {}
            }
        }
    }

    /// Binds what is wanted and not bound, and closes what is bound and not wanted.
    async fn apply(&mut self, wanted: &Bindings) {
        let gone: Vec<u16> = self
            .bound
            .iter()
            .filter(|(port, address)| wanted.get(port) != Some(address))
            .map(|(port, _)| *port)
            .collect();
        for port in gone {
            self.bound.remove(&port);
            self.report.send_modify(|report| {
                report.bound.remove(&port);
            });
            for worker in &self.workers {
                // A worker that is gone serves nothing.
                let _ = worker.send(Command::Close(port)).await;
            }
        }
        self.report.send_if_modified(|report| {
            let before = report.failed.len();
            report.failed.retain(|port, _| wanted.contains_key(port));
            report.failed.len() != before
        });
        for (port, address) in wanted {
            if !self.bound.contains_key(port) {
                self.listen(*port, *address).await;
            }
        }
    }

    async fn listen(&mut self, port: u16, address: SocketAddr) {
        match bind(port, address, self.workers.len()) {
            Ok((local, listeners)) => {
                for (worker, listener) in self.workers.iter().zip(listeners) {
                    let _ = worker.send(Command::Listen(port, listener)).await;
                }
                self.bound.insert(port, address);
                tracing::info!(port, address = %local, "listening");
                self.report.send_modify(|report| {
                    report.failed.remove(&port);
                    report.bound.insert(port, local);
                });
            }
            Err(error) => {
                self.report.send_if_modified(|report| {
                    let known = report.failed.get(&port) == Some(&error);
                    if !known {
                        tracing::error!("{error}");
                        report.failed.insert(port, error);
                    }
                    !known
                });
            }
        }
    }
}

/// Returns when no more connections are to be accepted.
async fn drained(phase: &mut PhaseWatch) {
    // An error means that the process is about to end.
    let _ = phase.wait_for(|phase| *phase >= Phase::Draining).await;
}

#[cfg(test)]
mod tests;
