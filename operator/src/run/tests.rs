use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::SeqCst},
};

use tokio::{sync::mpsc, time::sleep};

use super::*;

/// An operator of one task that writes and an election, and what can be seen of both.
struct Running {
    operator: Operator,
    alive: Arc<()>,
    /// Whether nobody wrote any more when the lease was given back; unset: it was not.
    released: Arc<std::sync::Mutex<Option<bool>>>,
    broken: Arc<AtomicBool>,
}

fn running(release: Duration) -> Running {
    let alive = Arc::new(());
    let released = Arc::new(std::sync::Mutex::new(None));
    let broken = Arc::new(AtomicBool::new(false));
    let mut tasks = Tasks::default();
    tasks.start("writer", {
        let (held, broken) = (Arc::clone(&alive), Arc::clone(&broken));
        async move {
            let _held = held;
            while !broken.load(SeqCst) {
                sleep(Duration::from_millis(10)).await;
            }
            panic!("for this test");
        }
    });
    let (stop, stopped) = oneshot::channel();
    let (writers, told) = (Arc::downgrade(&alive), Arc::clone(&released));
    let task = tokio::spawn(async move {
        let _ = stopped.await;
        *told.lock().unwrap() = Some(writers.strong_count() == 1);
        sleep(release).await;
    });
    let operator = Operator {
        tasks,
        election: Some(Election { task, stop }),
    };
    Running {
        operator,
        alive,
        released,
        broken,
    }
}

fn signals() -> (mpsc::Sender<&'static str>, Signals) {
    Signals::channel()
}

#[tokio::test(start_paused = true)]
async fn on_a_signal_writers_end_before_the_lease_is_given_back_and_all_is_well() {
    let Running {
        operator,
        alive,
        released,
        ..
    } = running(Duration::from_millis(50));
    let (sender, signals) = signals();
    tokio::spawn(async move {
        sleep(Duration::from_secs(1)).await;
        sender.send("SIGTERM").await.unwrap();
        std::future::pending::<()>().await;
    });
    let readiness = Readiness::default();
    operator.until_told(&readiness, signals).await.unwrap();
    assert_eq!(*released.lock().unwrap(), Some(true));
    assert_eq!(Arc::strong_count(&alive), 1);
    assert!(!readiness.is_ready());
}

#[tokio::test(start_paused = true)]
async fn a_task_that_panics_ends_the_process_by_name_and_the_lease_is_given_back() {
    let Running {
        operator,
        alive: _alive,
        released,
        broken,
    } = running(Duration::ZERO);
    let (_sender, signals) = signals();
    let readiness = Readiness::default();
    broken.store(true, SeqCst);
    let error = operator.until_told(&readiness, signals).await.unwrap_err();
    assert!(error.to_string().contains("`writer`"), "{error}");
    assert_eq!(*released.lock().unwrap(), Some(true));
    assert!(!readiness.is_ready());
}

#[tokio::test(start_paused = true)]
async fn an_election_that_ends_by_itself_ends_the_process() {
    let mut running = running(Duration::ZERO);
    let (stop, _stopped) = oneshot::channel();
    let task = tokio::spawn(async { panic!("for this test") });
    running.operator.election = Some(Election { task, stop });
    let (_sender, signals) = signals();
    let ended = running.operator.until_told(&Readiness::default(), signals).await;
    assert!(ended.unwrap_err().to_string().contains("`lease`"));
    assert_eq!(Arc::strong_count(&running.alive), 1, "nobody writes any more");
}

#[tokio::test(start_paused = true)]
async fn a_second_signal_does_not_wait_for_the_lease() {
    let Running { operator, .. } = running(Duration::from_secs(3600));
    let (sender, signals) = signals();
    sender.send("SIGTERM").await.unwrap();
    tokio::spawn(async move {
        sleep(Duration::from_secs(1)).await;
        sender.send("SIGTERM").await.unwrap();
        std::future::pending::<()>().await;
    });
    let began = tokio::time::Instant::now();
    let ended = operator.until_told(&Readiness::default(), signals).await;
    assert!(matches!(ended, Err(RunError::Forced)));
    assert!(began.elapsed() < Duration::from_secs(3));
}
