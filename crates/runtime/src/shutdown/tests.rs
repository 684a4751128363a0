use tokio::{sync::oneshot, task::JoinHandle};

use super::*;

const TIMING: Timing = Timing {
    delay: Duration::from_secs(5),
    timeout: Duration::from_secs(30),
};

/// A process that is going down, and the levers that decide how.
struct Process {
    signals: mpsc::Sender<&'static str>,
    phase: PhaseWatch,
    finish: oneshot::Sender<()>,
    readiness: Readiness,
    end: JoinHandle<(Ended, Duration)>,
}

fn process() -> Process {
    let (sender, phase) = phases();
    let (signals, received) = Signals::channel();
    let (finish, finished) = oneshot::channel::<()>();
    let readiness = Readiness::default();
    let seen = readiness.clone();
    let start = Instant::now();
    let end = tokio::spawn(async move {
        let finished = async {
            let _ = finished.await;
        };
        let ended = drive(sender, TIMING, &seen, received, finished).await;
        (ended, start.elapsed())
    });
    Process {
        signals,
        phase,
        finish,
        readiness,
        end,
    }
}

/// The next phase, and when it came.
async fn next(phase: &mut PhaseWatch, start: Instant) -> (Phase, Duration) {
    phase.changed().await.unwrap();
    (*phase.borrow_and_update(), start.elapsed())
}

#[test]
fn the_phase_never_moves_back() {
    for phase in [Phase::Running, Phase::Closing, Phase::Draining, Phase::Forced] {
        for event in [Event::Signal, Event::TimeUp] {
            assert!(phase.after(event) >= phase, "{phase:?} {event:?}");
        }
    }
}

#[test]
fn a_second_signal_forces_in_every_phase() {
    assert_eq!(Phase::Running.after(Event::Signal), Phase::Closing);
    for phase in [Phase::Closing, Phase::Draining, Phase::Forced] {
        assert_eq!(phase.after(Event::Signal), Phase::Forced, "{phase:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_signal_runs_through_all_phases_in_their_time() {
    let mut process = process();
    let start = Instant::now();
    process.signals.send("SIGTERM").await.unwrap();
    assert_eq!(next(&mut process.phase, start).await.0, Phase::Closing);
    assert_eq!(process.readiness.pending(), ["draining: SIGTERM"]);
    let (phase, after) = next(&mut process.phase, start).await;
    assert_eq!((phase, after.as_secs()), (Phase::Draining, 5));
    let (phase, after) = next(&mut process.phase, start).await;
    assert_eq!((phase, after.as_secs()), (Phase::Forced, 35));
    let (ended, after) = process.end.await.unwrap();
    assert_eq!((ended, after.as_secs()), (Ended::Forced, 36));
}

#[tokio::test(start_paused = true)]
async fn a_second_signal_forces_at_once() {
    let mut process = process();
    let start = Instant::now();
    process.signals.send("SIGTERM").await.unwrap();
    assert_eq!(next(&mut process.phase, start).await.0, Phase::Closing);
    process.signals.send("SIGINT").await.unwrap();
    let (phase, after) = next(&mut process.phase, start).await;
    assert_eq!((phase, after.as_secs()), (Phase::Forced, 0));
    process.finish.send(()).unwrap();
    assert_eq!(process.end.await.unwrap().0, Ended::Forced);
}

#[tokio::test(start_paused = true)]
async fn what_finishes_in_time_ends_the_process() {
    let mut process = process();
    let start = Instant::now();
    process.signals.send("SIGTERM").await.unwrap();
    next(&mut process.phase, start).await;
    assert_eq!(next(&mut process.phase, start).await.0, Phase::Draining);
    process.finish.send(()).unwrap();
    let (ended, after) = process.end.await.unwrap();
    assert_eq!((ended, after.as_secs()), (Ended::Finished, 5));
}

#[tokio::test(start_paused = true)]
async fn serving_that_ends_unasked_is_not_a_good_end() {
    let running = process();
    running.finish.send(()).unwrap();
    assert_eq!(running.end.await.unwrap().0, Ended::Early);

    let mut closing = process();
    closing.signals.send("SIGTERM").await.unwrap();
    assert_eq!(next(&mut closing.phase, Instant::now()).await.0, Phase::Closing);
    closing.finish.send(()).unwrap();
    assert_eq!(closing.end.await.unwrap().0, Ended::Early);
}

#[tokio::test(start_paused = true)]
async fn nothing_happens_without_a_signal() {
    let mut process = process();
    let waited = timeout(Duration::from_secs(3600), process.phase.changed()).await;
    assert!(waited.is_err() && process.readiness.is_ready());
}
