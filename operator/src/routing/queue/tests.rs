//! Each object is worked on once at a time, and what waits goes on.

use latchkey_core::object::ObjectName;

use super::{super::kinds::Subject, *};

fn key(name: &str) -> Key {
    Key {
        subject: Subject::Gateway,
        name: ObjectName::new("ns", name),
    }
}

fn touched(names: &[&str], concurrency: usize) -> Queue {
    let mut queue = Queue::new(concurrency);
    names.iter().for_each(|name| queue.touch(key(name)));
    queue
}

fn started(queue: &mut Queue) -> Option<(String, Job)> {
    queue.start().map(|(key, job)| (key.name.name, job))
}

fn write(name: &str) -> Option<(String, Job)> {
    Some((name.to_owned(), Job::Write))
}

#[test]
fn jobs_start_in_order_up_to_the_limit_and_each_object_once() {
    let mut queue = touched(&["a", "b", "a", "c"], 2);
    assert_eq!(started(&mut queue), write("a"));
    assert_eq!(started(&mut queue), write("b"));
    assert_eq!(started(&mut queue), None);
    queue.finish(key("a"), End::Nothing, Instant::now());
    assert_eq!(started(&mut queue), write("c"));
    assert_eq!(queue.len(), 2);
}

#[test]
fn what_changes_under_a_job_is_looked_at_again() {
    let mut queue = touched(&["a"], 1);
    queue.start();
    queue.touch(key("a"));
    assert_eq!(started(&mut queue), None, "one job an object");
    queue.finish(key("a"), End::Nothing, Instant::now());
    assert_eq!(started(&mut queue), write("a"));
    queue.finish(key("a"), End::Nothing, Instant::now());
    assert_eq!(queue.len(), 0);
}

#[test]
fn a_newer_version_is_awaited_whatever_else_changes() {
    let now = Instant::now();
    for early in [true, false] {
        let mut queue = touched(&["a"], 1);
        queue.start();
        if early {
            queue.arrived(key("a"));
        }
        queue.finish(key("a"), End::Newer, now);
        if !early {
            queue.touch(key("a"));
            assert_eq!(started(&mut queue), None, "it would be refused as outdated");
            queue.arrived(key("a"));
        }
        assert_eq!(started(&mut queue), write("a"), "{early}");
        queue.finish(key("a"), End::Nothing, now);
        assert_eq!((queue.len(), queue.deadline()), (0, None));
    }
}

#[test]
fn a_version_that_does_not_come_is_read() {
    let now = Instant::now();
    let mut queue = touched(&["a"], 1);
    queue.start();
    queue.finish(key("a"), End::Newer, now);
    assert_eq!(queue.deadline(), Some(now + ARRIVAL));
    queue.expire(now + ARRIVAL - Duration::from_millis(1));
    assert_eq!(started(&mut queue), None);
    queue.expire(now + ARRIVAL);
    assert_eq!(started(&mut queue), Some(("a".to_owned(), Job::ReadAndWrite)));
}

#[test]
fn failures_wait_longer_each_time_up_to_a_limit_and_a_success_forgets_them() {
    let mut now = Instant::now();
    let mut queue = touched(&["a"], 1);
    let mut waits = Vec::new();
    for _ in 0..9 {
        queue.start();
        queue.finish(key("a"), End::Failed, now);
        queue.touch(key("a"));
        queue.arrived(key("a"));
        assert_eq!(started(&mut queue), None, "it waits");
        let until = queue.deadline().expect("a moment");
        waits.push(until - now);
        now = until;
        queue.expire(now);
    }
    assert_eq!(waits[..3], [SHORTEST, 2 * SHORTEST, 4 * SHORTEST]);
    assert_eq!(waits[8], LONGEST);
    queue.start();
    queue.finish(key("a"), End::Nothing, now);
    queue.touch(key("a"));
    queue.start();
    queue.finish(key("a"), End::Failed, now);
    assert_eq!(queue.deadline(), Some(now + SHORTEST));
}

#[test]
fn a_failure_holds_up_no_other_object() {
    let now = Instant::now();
    let mut queue = touched(&["a", "b"], 1);
    queue.start();
    queue.finish(key("a"), End::Failed, now);
    assert_eq!(started(&mut queue), write("b"));
}
