use std::{
    future::{pending, ready},
    pin::pin,
    time::Duration,
};

use tokio::time::{advance, sleep};

use super::*;

const fn millis(count: u64) -> Option<Duration> {
    Some(Duration::from_millis(count))
}

fn start(request: Option<Duration>, backend_request: Option<Duration>, working: u64) -> Deadline {
    let deadline = Deadline::default();
    let limits = RouteTimeouts {
        request,
        backend_request,
    };
    let received = Instant::now();
    deadline.start(&limits, received, || received + Duration::from_millis(working));
    deadline
}

/// How long work that never ends is let go on, and what it met.
async fn met(deadline: &Deadline) -> (u128, Reason) {
    let begin = Instant::now();
    let reason = deadline.within(pin!(pending::<()>())).await.unwrap_err();
    (begin.elapsed().as_millis(), reason)
}

#[tokio::test(start_paused = true)]
async fn the_earlier_limit_is_met_and_each_counts_from_its_own_beginning() {
    for (request, backend, working, expected) in [
        (millis(500), None, 0, (500, Reason::RequestTimeout)),
        (None, millis(500), 0, (500, Reason::BackendTimeout)),
        (millis(500), millis(100), 0, (100, Reason::BackendTimeout)),
        (millis(500), millis(500), 100, (500, Reason::RequestTimeout)),
        (None, millis(500), 100, (600, Reason::BackendTimeout)),
    ] {
        let deadline = start(request, backend, working);
        let (waited, reason) = met(&deadline).await;
        // Timers have a grain of a millisecond.
        assert!((expected.0..=expected.0 + 2).contains(&waited), "{waited}");
        assert_eq!(reason, expected.1);
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_nothing_is_met() {
    for limit in [None, Some(Duration::MAX)] {
        let deadline = start(limit, None, 0);
        // The work itself, of a day that nobody waits for: the clock goes on by itself.
        let work = sleep(Duration::from_secs(24 * 3600));
        assert_eq!(deadline.within(pin!(work)).await, Ok(()));
        let polled = poll_fn(|cx| Poll::Ready(deadline.poll_cut(cx))).await;
        assert_eq!(polled, Poll::Pending);
    }
}

#[tokio::test(start_paused = true)]
async fn work_that_is_done_by_then_is_done() {
    let deadline = start(millis(100), None, 0);
    advance(Duration::from_millis(200)).await;
    assert_eq!(deadline.within(pin!(ready(7))).await, Ok(7));
}

#[tokio::test(start_paused = true)]
async fn only_an_answer_that_has_begun_is_cut_and_says_why() {
    let deadline = start(millis(100), None, 0);
    advance(Duration::from_millis(200)).await;
    let cut = || poll_fn(|cx| Poll::Ready(deadline.poll_cut(cx).is_ready()));
    assert!(!cut().await, "a 504 is still possible");
    deadline.answering();
    assert!(cut().await);
    assert_eq!(deadline.end(), Some(Reason::RequestTimeout));
    assert_eq!(deadline.end(), None, "said once");
    assert!(!cut().await, "the next exchange has its own");
}
