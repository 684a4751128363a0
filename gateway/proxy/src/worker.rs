//! One worker thread: its listeners, its client connections, its pool and its counters. Workers share
//! nothing that a request writes to.
//!
//! ```text
//! control thread -Command-> worker: accept (a task per port) -> connection (a task each) -> request
//! ```

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    net::TcpListener as StdListener,
    rc::Rc,
    sync::Arc,
    task::Waker,
    time::Duration,
};

use latchkey_routing::table::TableCell;
use latchkey_runtime::shutdown::{Phase, PhaseWatch};
use latchkey_snapshot::{SnapshotCell, counters::WorkerCounters};
use tokio::{
    net::TcpListener,
    sync::{Notify, mpsc, oneshot},
    task::{JoinHandle, spawn_local},
    time::{Instant, interval},
};

use crate::{
    accept::{Exhaustion, accept},
    access_log::AccessLog,
    config::ProxyConfig,
    freshness::Freshness,
    load::Load,
    random::Random,
    server::Shared,
    stats::WorkerStats,
    upstream::{health::Health, pool::Pool},
};

/// What a worker is told.
#[derive(Debug)]
pub(crate) enum Command {
    /// Serve a listener's port on this socket, instead of the one it may have.
    Listen(u16, StdListener),
    /// Serve a port no more.
    Close(u16),
}

/// What all tasks of a worker use.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) config: ProxyConfig,
    pub(crate) tables: TableCell,
    pub(crate) snapshots: SnapshotCell,
    pub(crate) freshness: Freshness,
    pub(crate) counters: WorkerCounters,
    pub(crate) access_log: AccessLog,
    pub(crate) pool: Rc<Pool>,
    pub(crate) health: RefCell<Health>,
    pub(crate) random: Random,
    pub(crate) stats: Arc<WorkerStats>,
    pub(crate) load: Arc<Load>,
    pub(crate) exhaustion: Exhaustion,
    phase: Cell<Phase>,
    seats: RefCell<HashMap<u64, Option<Waker>>>,
    next_seat: Cell<u64>,
    seat_freed: Notify,
}

impl Worker {
    /// Where the process stands.
    pub(crate) fn phase(&self) -> Phase {
        self.phase.get()
    }

    /// Returns when a connection of this worker has ended.
    pub(crate) async fn seat_freed(&self) {
        self.seat_freed.notified().await;
    }

    /// Moves on, and lets every connection see it.
    fn enter(&self, phase: Phase) {
        self.phase.set(phase);
        for waker in self.seats.borrow().values().flatten() {
            waker.wake_by_ref();
        }
    }
}

/// A client connection's place among those that are open.
#[derive(Debug)]
pub(crate) struct Seat {
    worker: Rc<Worker>,
    number: u64,
    remembered: Cell<bool>,
}

impl Seat {
    /// A seat, if the process has one left.
    pub(crate) fn take(worker: &Rc<Worker>) -> Option<Self> {
        if !worker.load.connect(&worker.config.limits) {
            return None;
        }
        let number = worker.next_seat.get();
        worker.next_seat.set(number + 1);
        worker.seats.borrow_mut().insert(number, None);
        worker.stats.opened();
        Some(Self {
            worker: Rc::clone(worker),
            number,
            remembered: Cell::new(false),
        })
    }

    /// Whom to wake when the phase changes. A task's waker stays the same, so the first will do.
    pub(crate) fn remember(&self, waker: &Waker) {
        if !self.remembered.replace(true) {
            self.worker
                .seats
                .borrow_mut()
                .insert(self.number, Some(waker.clone()));
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.worker.seats.borrow_mut().remove(&self.number);
        self.worker.stats.closed();
        self.worker.load.disconnected();
        self.worker.seat_freed.notify_waiters();
    }
}

/// A worker's life, from its first command to the end of its last connection.
pub(crate) async fn run(
    config: ProxyConfig,
    shared: Shared,
    stats: Arc<WorkerStats>,
    load: Arc<Load>,
    mut commands: mpsc::Receiver<Command>,
) {
    let mut phases = shared.phase.clone();
    let worker = Rc::new(Worker {
        pool: Rc::new(Pool::new(config.pool, Arc::clone(&stats))),
        health: RefCell::new(Health::new(config.ejection, config.timeouts.connect)),
        counters: shared.registry.worker(),
        tables: shared.tables,
        snapshots: shared.snapshots,
        freshness: shared.freshness,
        access_log: shared.access_log,
        random: Random::from_system(),
        stats,
        load,
        exhaustion: Exhaustion::default(),
        phase: Cell::new(*phases.borrow_and_update()),
        seats: RefCell::default(),
        next_seat: Cell::new(0),
        seat_freed: Notify::new(),
        config,
    });
    spawn_local(sweep_pool(Rc::clone(&worker)));
    let listeners = accept_until_drain(&worker, &mut phases, &mut commands).await;
    finish(&worker, &mut phases, listeners).await;
}

/// A port that is served. Dropping it closes the socket, once what waits in its queue is accepted.
#[derive(Debug)]
struct Listener {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// Serves until no more connections are to be accepted.
async fn accept_until_drain(
    worker: &Rc<Worker>,
    phases: &mut PhaseWatch,
    commands: &mut mpsc::Receiver<Command>,
) -> Vec<Listener> {
    let mut ports = HashMap::new();
    while worker.phase() < Phase::Draining {
        tokio::select! {
            command = commands.recv() => match command {
                Some(Command::Listen(port, listener)) => {
                    ports.insert(port, listen(worker, port, listener));
                }
                Some(Command::Close(port)) => drop(ports.remove(&port)),
                None => worker.enter(follow(phases).await),
            },
            phase = follow(phases) => worker.enter(phase),
        }
    }
    ports.into_values().collect()
}

/// The next phase. Whoever moves the phase is the process; without it there is nothing to serve.
async fn follow(phases: &mut PhaseWatch) -> Phase {
    match phases.changed().await {
        Ok(()) => *phases.borrow_and_update(),
        Err(_) => Phase::Forced,
    }
}

/// Closes the listeners and waits until every connection has ended, or must.
async fn finish(worker: &Rc<Worker>, phases: &mut PhaseWatch, listeners: Vec<Listener>) {
    for Listener { stop, task } in listeners {
        drop(stop);
        // It never waits: it accepts what is there, and ends.
        let _ = task.await;
    }
    while worker.phase() < Phase::Forced && !worker.seats.borrow().is_empty() {
        tokio::select! {
            () = worker.seat_freed.notified() => {}
            phase = follow(phases) => worker.enter(phase),
        }
    }
}

/// Starts to accept on a socket.
fn listen(worker: &Rc<Worker>, port: u16, listener: StdListener) -> Listener {
    let (stop, stopped) = oneshot::channel();
    let worker = Rc::clone(worker);
    let task = spawn_local(async move {
        match TcpListener::from_std(listener) {
            Ok(listener) => accept(worker, port, &listener, stopped).await,
            Err(error) => tracing::error!(port, %error, "cannot serve a socket that was just bound"),
        }
    });
    Listener { stop, task }
}

async fn sweep_pool(worker: Rc<Worker>) {
    let period = (worker.config.pool.max_idle_age / 4).max(Duration::from_millis(10));
    let mut ticks = interval(period);
    loop {
        ticks.tick().await;
        let now = Instant::now();
        worker.pool.sweep(now);
        let mut health = worker.health.borrow_mut();
        health.sweep(now);
        worker.stats.upstream.out(health.count_out());
    }
}
