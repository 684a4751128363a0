use super::*;

const SECOND: Duration = Duration::from_secs(1);

struct Fixture {
    queue: Queue,
    now: Instant,
}

impl Fixture {
    fn new() -> Self {
        Self {
            queue: Queue::new(7),
            now: Instant::now(),
        }
    }

    fn push(&mut self, name: &str, lane: Lane) {
        self.queue.push(named(name), lane, self.now);
    }

    fn pop(&mut self) -> Option<String> {
        self.queue.pop(self.now).map(|name| name.name)
    }

    fn finish(&mut self, name: &str, after: After) {
        self.queue.finish(&named(name), after, self.now);
    }

    fn depths(&self) -> (usize, usize, usize) {
        let queue = &self.queue;
        (
            queue.depth(Lane::Fresh),
            queue.depth(Lane::Backlog),
            queue.delayed(),
        )
    }
}

fn named(name: &str) -> ObjectName {
    ObjectName::new("n", name)
}

#[test]
fn each_is_there_once_and_in_order() {
    let mut f = Fixture::new();
    for name in ["a", "b", "a", "c", "b"] {
        f.push(name, Lane::Fresh);
    }
    assert_eq!(f.depths(), (3, 0, 0));
    let order: Vec<_> = std::iter::from_fn(|| f.pop()).collect();
    assert_eq!(order, ["a", "b", "c"]);
}

#[test]
fn what_just_changed_goes_before_the_backlog_and_the_backlog_does_not_starve() {
    let mut f = Fixture::new();
    f.push("old", Lane::Backlog);
    for n in 0..20 {
        f.push(&format!("new-{n}"), Lane::Fresh);
    }
    let order: Vec<_> = std::iter::from_fn(|| f.pop()).collect();
    assert_eq!(order[0], "new-0");
    let place = order.iter().position(|name| name == "old").unwrap();
    assert!((1..10).contains(&place), "{order:?}");
}

#[test]
fn a_namespace_of_which_a_thousand_wait_delays_anothers_by_one_turn() {
    for lane in [Lane::Fresh, Lane::Backlog] {
        let mut f = Fixture::new();
        for n in 0..1000 {
            f.push(&n.to_string(), lane);
        }
        f.queue.push(ObjectName::new("m", "first"), lane, f.now);
        f.queue.push(ObjectName::new("m", "second"), lane, f.now);
        let order: Vec<_> = std::iter::from_fn(|| f.pop()).collect();
        assert_eq!(order[..5], ["0", "first", "1", "second", "2"], "{lane:?}");
        assert_eq!(order.len(), 1002, "{lane:?}");
    }
}

#[test]
fn a_namespace_that_changes_without_end_delays_anothers_by_one_turn() {
    let mut f = Fixture::new();
    for n in 0..3 {
        f.push(&n.to_string(), Lane::Fresh);
    }
    for _ in 0..100 {
        f.queue.push(ObjectName::new("m", "only"), Lane::Fresh, f.now);
        let turns = [f.pop().unwrap(), f.pop().unwrap()];
        assert!(turns.contains(&"only".to_owned()), "{turns:?}");
        for name in turns {
            f.finish(&name, After::Nothing);
            f.queue
                .finish(&ObjectName::new("m", name.as_str()), After::Nothing, f.now);
            if name != "only" {
                f.push(&name, Lane::Fresh);
            }
        }
    }
}

#[test]
fn a_namespace_of_which_nothing_waits_is_dropped() {
    let mut f = Fixture::new();
    for n in 0..100 {
        let name = ObjectName::new(format!("n-{n}"), "a");
        f.queue.push(name.clone(), Lane::Backlog, f.now);
        f.queue.push(name, Lane::Fresh, f.now);
    }
    let held = |f: &Fixture| f.queue.lanes.each_ref().map(Fair::namespaces);
    assert_eq!(held(&f), [[100, 100], [0, 0]]);
    while f.pop().is_some() {}
    assert_eq!(held(&f), [[0, 0], [0, 0]]);
}

#[test]
fn one_of_the_backlog_that_changes_moves_up_and_is_looked_at_once() {
    let mut f = Fixture::new();
    f.push("a", Lane::Backlog);
    f.push("b", Lane::Backlog);
    f.push("b", Lane::Fresh);
    f.push("b", Lane::Backlog);
    assert_eq!(f.depths(), (1, 1, 0));
    let order: Vec<_> = std::iter::from_fn(|| f.pop()).collect();
    assert_eq!(order, ["b", "a"]);
    assert_eq!(f.depths(), (0, 0, 0));
}

#[test]
fn one_that_changes_while_it_is_worked_on_comes_again_afterwards_and_not_before() {
    let mut f = Fixture::new();
    f.push("a", Lane::Fresh);
    assert_eq!(f.pop().as_deref(), Some("a"));
    f.push("a", Lane::Backlog);
    f.push("a", Lane::Fresh);
    assert_eq!(f.pop(), None, "one at a time");
    f.finish("a", After::Nothing);
    assert_eq!(f.depths(), (1, 0, 0));
    assert_eq!(f.pop().as_deref(), Some("a"));
    f.finish("a", After::Nothing);
    assert_eq!(f.pop(), None);
    assert!(f.queue.entries.is_empty(), "nothing is left of it");
}

#[test]
fn waits_grow_with_failures_to_a_limit_and_success_forgets_them() {
    let mut f = Fixture::new();
    let mut waits = Vec::new();
    f.push("a", Lane::Fresh);
    for _ in 0..20 {
        assert_eq!(f.pop().as_deref(), Some("a"));
        f.finish("a", After::Retry);
        let wake = f.queue.next_wake().unwrap();
        waits.push(wake - f.now);
        assert_eq!(f.pop(), None);
        f.now = wake;
    }
    assert!(
        waits.iter().all(|wait| (BACKOFF.0..=BACKOFF.1).contains(wait)),
        "{waits:?}"
    );
    assert!(waits[0] <= SECOND && waits[19] >= BACKOFF.1 / 2, "{waits:?}");
    assert_eq!(f.pop().as_deref(), Some("a"));
    f.finish("a", After::Nothing);
    f.push("a", Lane::Fresh);
    f.pop();
    f.finish("a", After::Retry);
    assert!(f.queue.next_wake().unwrap() - f.now <= SECOND);
}

#[test]
fn those_that_fail_together_come_apart() {
    let mut f = Fixture::new();
    for n in 0..50 {
        f.push(&n.to_string(), Lane::Fresh);
        let name = f.pop().unwrap();
        for _ in 0..4 {
            f.finish(&name, After::Retry);
            f.queue.push(named(&name), Lane::Fresh, f.now);
            f.pop();
        }
        f.finish(&name, After::Retry);
    }
    let wakes: std::collections::BTreeSet<_> = f.queue.delayed.keys().map(|(at, _)| *at).collect();
    assert!(wakes.len() > 25, "{}", wakes.len());
}

#[test]
fn a_change_ends_a_wait() {
    let mut f = Fixture::new();
    f.push("a", Lane::Fresh);
    f.pop();
    f.finish("a", After::Wait(10 * SECOND));
    assert_eq!(f.depths(), (0, 0, 1));
    f.push("a", Lane::Fresh);
    assert_eq!(f.depths(), (1, 0, 0));
    assert_eq!(f.pop().as_deref(), Some("a"));
    f.finish("a", After::Nothing);
    f.now += 20 * SECOND;
    assert_eq!(f.pop(), None, "the wait that ended is no second turn");
}

#[test]
fn clearing_leaves_only_what_runs_and_that_does_not_come_again() {
    let mut f = Fixture::new();
    for name in ["running", "waiting", "delayed"] {
        f.push(name, Lane::Fresh);
    }
    f.pop();
    f.push("running", Lane::Fresh);
    f.queue.push(named("late"), Lane::Backlog, f.now);
    f.queue.clear();
    assert_eq!(f.depths(), (0, 0, 0));
    f.finish("running", After::Nothing);
    assert_eq!(f.pop(), None);
    assert!(f.queue.entries.is_empty());
}

#[test]
fn the_age_is_that_of_the_one_that_waits_longest() {
    let mut f = Fixture::new();
    f.push("a", Lane::Backlog);
    f.now += SECOND;
    f.push("b", Lane::Fresh);
    f.now += SECOND;
    assert_eq!(f.queue.age(f.now), 2 * SECOND);
    f.push("a", Lane::Fresh);
    assert_eq!(f.queue.age(f.now), SECOND, "it moved up");
}
