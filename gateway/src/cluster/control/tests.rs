use std::{
    sync::{
        Arc,
        atomic::Ordering::Relaxed,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use latchkey_core::object::ObjectName;
use latchkey_index::Index;
use latchkey_routing::router::{Router, RouterConfig};
use latchkey_runtime::readiness::Readiness;
use latchkey_snapshot::{Snapshot, SnapshotCell};
use serde_json::json;
use tokio::sync::mpsc;

use super::*;
use crate::{
    cluster::{kinds::Scope, stats::WatchStats},
    object::Kind,
    selfcheck::CheckStats,
};

const DEADLINE: Duration = Duration::from_secs(20);

fn scope() -> Scope {
    Scope {
        namespaces: Vec::new(),
        pepper: ObjectName::new("system", "peppers"),
    }
}

fn writer(readiness: &Readiness) -> Writer {
    let router = Router::new(RouterConfig {
        gateway_class: "latchkey".to_owned(),
        deny_unprotected: false,
    });
    let stats = Arc::new(WatchStats::new(&scope().watched()));
    Writer::new(&scope(), stats, Index::new(1), router, readiness)
}

/// All first lists: empty but for a pepper.
fn lists() -> Vec<(usize, Event)> {
    let secret = json!({
        "metadata": {"namespace": "system", "name": "peppers"}, "data": {"1": STANDARD.encode([7; 32])},
    });
    let list = |(id, kind)| {
        let listed = (kind == Kind::Secret).then(|| Event::Listed(secret.clone()));
        let events = [Event::ListBegin]
            .into_iter()
            .chain(listed)
            .chain([Event::ListEnd]);
        events.map(move |event| (id, event)).collect::<Vec<_>>()
    };
    let watched = scope().watched().into_iter().map(|watched| watched.kind);
    watched.enumerate().flat_map(list).collect()
}

#[test]
fn routes_are_told_of_once_all_was_listed_and_the_end_of_events_is_the_end_of_the_thread() {
    let readiness = Readiness::default();
    let (sender, events) = mpsc::channel(64);
    let (told, hears) = channel();
    let (alive, ended) = channel::<()>();
    let on_commit = Box::new(move |_: &Router| {
        let _ = told.send(());
    });
    let thread = start(events, writer(&readiness), SelfCheck::off(), on_commit, alive).unwrap();
    let (held, sent): (Vec<_>, Vec<_>) = lists().into_iter().partition(|(id, _)| *id == 0);
    for event in sent {
        sender.blocking_send(event).unwrap();
    }
    let begun = Instant::now();
    while readiness.pending().len() > 1 {
        assert!(begun.elapsed() < DEADLINE, "{:?}", readiness.pending());
        thread::yield_now();
    }
    assert!(hears.try_recv().is_err(), "one list is not complete");
    for event in held {
        sender.blocking_send(event).unwrap();
    }
    hears.recv_timeout(DEADLINE).unwrap();
    assert!(readiness.is_ready());
    drop(sender);
    assert_eq!(ended.recv_timeout(DEADLINE), Err(RecvTimeoutError::Disconnected));
    thread.join().unwrap();
}

#[test]
fn a_flood_goes_into_few_commits() {
    let (sender, events) = mpsc::channel(4 * BATCH);
    let (told, hears) = channel();
    let on_commit = Box::new(move |_: &Router| {
        let _ = told.send(());
    });
    let flood = (0..2 * BATCH).map(|n| {
        let metadata = json!({"namespace": "a", "name": format!("s{n}"), "uid": "u"});
        (0, Event::Applied(json!({ "metadata": metadata })))
    });
    for event in lists().into_iter().chain(flood) {
        sender.try_send(event).unwrap();
    }
    drop(sender);
    let thread = start(
        events,
        writer(&Readiness::default()),
        SelfCheck::off(),
        on_commit,
        (),
    )
    .unwrap();
    thread.join().unwrap();
    assert_eq!(hears.iter().count(), 3, "as many as batches");
}

/// The shortest that the flag allows.
const OFTEN: Duration = Duration::from_millis(1);

fn eventually(what: &str, is: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is() {
        assert!(begun.elapsed() < DEADLINE, "{what}");
        thread::park_timeout(Duration::from_millis(1));
    }
}

/// A control thread that has taken in all first lists.
struct Running {
    sender: mpsc::Sender<(usize, Event)>,
    cell: SnapshotCell,
    stats: Arc<CheckStats>,
    thread: JoinHandle<()>,
}

impl Running {
    /// With a round of the self-check so often.
    fn checking(interval: Duration) -> Self {
        let (sender, events) = mpsc::channel(64);
        let writer = writer(&Readiness::default());
        let cell = writer.index().snapshots();
        let checks = SelfCheck::every(interval, Instant::now());
        let stats = checks.stats();
        let thread = start(events, writer, checks, Box::new(|_| {}), ()).unwrap();
        for event in lists() {
            sender.blocking_send(event).unwrap();
        }
        eventually("a pepper", || cell.load().stats().peppers == 1);
        Self {
            sender,
            cell,
            stats,
            thread,
        }
    }

    /// Swaps in a snapshot without peppers, behind everybody's back.
    fn lose_peppers(&self) {
        let mut wrong = Snapshot::clone(&self.cell.load());
        wrong.set_peppers([].into());
        drop(self.cell.swap(Arc::new(wrong)));
    }

    /// Waits until so many more rounds were finished.
    fn finish_rounds(&self, more: u64) {
        let finished = || self.stats.checks.load(Relaxed);
        let before = finished();
        eventually("the check goes on", || finished() >= before + more);
    }

    fn end(self) {
        drop(self.sender);
        self.thread.join().unwrap();
    }
}

fn consumer(name: &str) -> (usize, Event) {
    let watched = scope().watched();
    let id = watched.iter().position(|watched| watched.kind == Kind::Consumer);
    let consumer = json!({
        "apiVersion": "latchkey.dev/v1alpha1", "kind": "Consumer",
        "metadata": {"namespace": "shop", "name": name, "uid": name, "resourceVersion": "1"},
        "spec": {},
    });
    (id.unwrap(), Event::Applied(consumer))
}

#[test]
fn a_snapshot_that_went_wrong_is_repaired_once_and_the_check_is_quiet_from_then_on() {
    let running = Running::checking(OFTEN);
    running.finish_rounds(2);
    assert_eq!(running.stats.repairs.load(Relaxed), 0);

    running.lose_peppers();
    eventually("the pepper is back", || running.cell.load().stats().peppers == 1);
    eventually("it is counted", || running.stats.repairs.load(Relaxed) == 1);
    running.finish_rounds(3);
    assert_eq!(running.stats.repairs.load(Relaxed), 1);
    running.end();
}

#[test]
fn events_are_applied_while_rounds_follow_each_other() {
    let running = Running::checking(OFTEN);
    for n in 1..=5 {
        running.sender.blocking_send(consumer(&format!("c{n}"))).unwrap();
        eventually("it is applied", || running.cell.load().stats().consumers == n);
        running.finish_rounds(1);
    }
    assert_eq!(running.stats.repairs.load(Relaxed), 0);
    running.end();
}

#[test]
fn what_happened_goes_before_a_check_that_is_due() {
    let runtime = runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let (sender, mut events) = mpsc::channel(4);
    let past = Some(Instant::now());
    sender.try_send((1, Event::Working)).unwrap();
    sender.try_send((2, Event::Working)).unwrap();
    for id in [1, 2] {
        assert_eq!(
            wait(&runtime, &mut events, past),
            Woken::Event(id, Event::Working)
        );
    }
    assert_eq!(wait(&runtime, &mut events, past), Woken::Check);
    drop(sender);
    assert_eq!(wait(&runtime, &mut events, past), Woken::End);
}

#[test]
fn who_waits_for_a_check_far_away_is_woken_by_an_event() {
    let runtime = runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let (sender, mut events) = mpsc::channel(4);
    for due in [None, Instant::now().checked_add(Duration::from_secs(3600))] {
        let sender = sender.clone();
        let sends = thread::spawn(move || sender.blocking_send((7, Event::Working)));
        let woken = wait(&runtime, &mut events, due);
        assert_eq!(woken, Woken::Event(7, Event::Working));
        sends.join().unwrap().unwrap();
    }
}

#[test]
fn switched_off_it_checks_nothing() {
    let running = Running::checking(Duration::ZERO);
    running.lose_peppers();
    for n in 1..=20 {
        // What does not change anything commits nothing.
        running.sender.blocking_send((0, Event::Working)).unwrap();
        assert_eq!(running.cell.load().stats().peppers, 0, "after {n} events");
    }
    let (cell, stats) = (running.cell.clone(), running.stats.clone());
    running.end();
    assert_eq!(cell.load().stats().peppers, 0);
    assert_eq!(stats.checks.load(Relaxed), 0);
}
