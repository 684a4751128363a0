use super::*;

#[test]
fn nothing_handed_out_is_ready() {
    assert!(Readiness::default().is_ready());
}

#[test]
fn ready_only_when_the_last_guard_is_released() {
    let readiness = Readiness::default();
    let (a, b) = (readiness.guard("a"), readiness.guard("b"));
    assert_eq!(readiness.pending(), ["a", "b"]);
    b.ready();
    assert_eq!(readiness.pending(), ["a"]);
    a.ready();
    assert!(readiness.is_ready());
    assert!(readiness.pending().is_empty());
}

#[test]
fn a_guard_shows_its_detail_and_may_go_pending_again() {
    let readiness = Readiness::default();
    let guard = readiness.guard("folder");
    guard.ready();
    guard.pending("bad.yaml is no YAML".to_owned());
    assert_eq!(readiness.pending(), ["folder: bad.yaml is no YAML"]);
    guard.pending("worse.yaml is no YAML".to_owned());
    assert_eq!(readiness.pending(), ["folder: worse.yaml is no YAML"]);
    guard.ready();
    assert!(readiness.is_ready());
}

#[test]
fn two_guards_of_one_name_are_two_guards() {
    let readiness = Readiness::default();
    let (first, _second) = (readiness.guard("worker"), readiness.guard("worker"));
    first.ready();
    assert_eq!(readiness.pending(), ["worker"]);
}

#[test]
fn a_dropped_guard_is_done_and_leaves_nothing_behind() {
    let readiness = Readiness::default();
    for _ in 0..3 {
        drop(readiness.guard("start"));
    }
    assert!(readiness.is_ready());
    assert!(readiness.lock().guards.is_empty());
}

#[test]
fn a_guard_dropped_by_a_panic_stays_pending() {
    let readiness = Readiness::default();
    let guard = readiness.guard("worker");
    let thread = std::thread::spawn(move || {
        let _guard = guard;
        panic!("on purpose");
    });
    assert!(thread.join().is_err());
    assert_eq!(readiness.pending(), ["worker: its owner failed; see the log"]);
}

#[test]
fn draining_is_never_ready_again() {
    let readiness = Readiness::default();
    let guard = readiness.guard("folder");
    readiness.drain("SIGTERM");
    guard.ready();
    assert_eq!(readiness.pending(), ["draining: SIGTERM"]);
    assert!(!readiness.is_ready());
}
