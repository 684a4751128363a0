//! The thread that reads the folder checks the index while nothing happens (I11).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::{
    sync::{Arc, atomic::Ordering::Relaxed},
    thread::{JoinHandle, park_timeout},
    time::{Duration, Instant},
};

use latchkey_gateway::{
    selfcheck::{CheckStats, SelfCheck},
    standalone::{control::Control, watch::Waker},
};
use latchkey_runtime::readiness::Readiness;
use latchkey_snapshot::{Snapshot, SnapshotCell};
use support::{Door, Scene, consumer, credential_by_secret, key};

/// So long that a test that needs it fails.
const NEVER: Duration = Duration::from_secs(3600);
/// The shortest that the flag allows.
const OFTEN: Duration = Duration::from_millis(1);
const DEADLINE: Duration = Duration::from_secs(20);

struct Running {
    door: Door,
    cell: SnapshotCell,
    checks: Arc<CheckStats>,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    /// Starts to read the folder, and waits until it is served.
    fn start(scene: &Scene, interval: Duration) -> Self {
        let readiness = Readiness::default();
        let engine = support::engine();
        let (door, cell) = (Door::of(&engine), engine.index().snapshots());
        let control = Control::new(scene.dir.path(), NEVER, engine, Box::new(|_| {}))
            .unwrap()
            .checking(SelfCheck::every(interval, Instant::now()));
        let (checks, waker) = (control.checks(), control.waker());
        let thread = Some(control.start(readiness.guard("folder"), ()).unwrap());
        eventually("it is ready", || readiness.is_ready());
        Self {
            door,
            cell,
            checks,
            waker,
            thread,
        }
    }

    fn becomes(&self, key: &str, expected: &str) {
        eventually(expected, || self.door.ask("/", Some(key)) == expected);
    }

    fn repairs(&self) -> u64 {
        self.checks.repairs.load(Relaxed)
    }

    /// Waits until so many more rounds were finished.
    fn rounds(&self, more: u64) {
        let checks = || self.checks.checks.load(Relaxed);
        let before = checks();
        eventually("the check goes on", || checks() >= before + more);
    }

    /// The snapshot that requests read loses its peppers, so that no key is found.
    fn corrupt(&self) {
        let mut wrong = Snapshot::clone(&self.cell.load());
        wrong.set_peppers([].into());
        drop(self.cell.swap(Arc::new(wrong)));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.waker.stop();
        let thread = self.thread.take().expect("it is taken once");
        assert!(thread.join().is_ok(), "the control thread panicked");
    }
}

fn eventually(what: &str, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < DEADLINE, "{what}");
        park_timeout(Duration::from_millis(1));
    }
}

#[test]
fn a_snapshot_that_went_wrong_is_repaired_once_and_the_check_is_quiet_from_then_on() {
    let scene = Scene::usual();
    let running = Running::start(&scene, OFTEN);
    let alice = key("alice");
    running.becomes(&alice, "alice");
    running.rounds(2);
    assert_eq!(running.repairs(), 0);

    running.corrupt();
    running.becomes(&alice, "alice");
    eventually("it is counted", || running.repairs() == 1);
    running.rounds(3);
    assert_eq!(running.repairs(), 1);
    assert_eq!(running.door.ask("/", Some(&alice)), "alice");
}

#[test]
fn changes_are_applied_while_rounds_follow_each_other() {
    let scene = Scene::usual();
    for n in 0..500 {
        scene.write(&format!("{n}.yaml"), &consumer(&format!("c{n}")));
    }
    let running = Running::start(&scene, OFTEN);
    let [alice, other] = ["alice", "other"].map(key);
    let by_other = format!(
        "{}---\n{}",
        credential_by_secret("alice", "other"),
        support::secret("other", &other)
    );
    for _ in 0..3 {
        scene.write("credential-alice.yaml", &by_other);
        running.becomes(&other, "alice");
        assert_eq!(running.door.ask("/", Some(&alice)), "unknown_key");
        running.rounds(1);
        scene.write("credential-alice.yaml", &credential_by_secret("alice", "alice"));
        running.becomes(&alice, "alice");
        assert_eq!(running.door.ask("/", Some(&other)), "unknown_key");
        running.rounds(1);
    }
    assert_eq!(running.repairs(), 0);
}

#[test]
fn switched_off_it_checks_nothing() {
    let scene = Scene::usual();
    let running = Running::start(&scene, Duration::ZERO);
    let alice = key("alice");
    running.becomes(&alice, "alice");
    running.corrupt();
    assert_ne!(running.door.ask("/", Some(&alice)), "alice");
    assert_eq!(running.checks.checks.load(Relaxed), 0);
    // The commit of a change brings it all back, and no check did.
    scene.write("more.yaml", &consumer("more"));
    running.becomes(&alice, "alice");
    assert_eq!((running.checks.checks.load(Relaxed), running.repairs()), (0, 0));
}
