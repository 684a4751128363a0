use std::time::Duration;

use latchkey_core::object::ObjectName;
use latchkey_routing::object::Kind as RouterKind;
use latchkey_runtime::api::Failure;
use serde_json::json;
use tokio::{
    sync::{mpsc, oneshot},
    time::{sleep, timeout},
};

use super::*;
use crate::{cluster::kinds::Scope, object::Kind};

type Answer = Result<BTreeSet<Resource>, ApiError>;

/// Longer than anything waits; time is paused, so nobody waits for it.
const DEADLINE: Duration = Duration::from_secs(600);

/// The loop, running, and an API server that answers when a test does.
struct Running {
    policies: usize,
    heard: Sender<(usize, Event)>,
    passed: Receiver<(usize, Event)>,
    questions: Receiver<oneshot::Sender<Answer>>,
    stats: Arc<WatchStats>,
}

impl Running {
    fn start() -> Self {
        let scope = Scope {
            namespaces: Vec::new(),
            pepper: ObjectName::new("system", "peppers"),
        };
        let watched = scope.watched();
        let policies = watched.iter().position(|w| w.kind == Kind::AuthPolicy).unwrap();
        let stats = Arc::new(WatchStats::new(&watched));
        let (heard, hears) = mpsc::channel(64);
        let (passes, passed) = mpsc::channel(64);
        let (asks, questions) = mpsc::channel(64);
        let ask = move |_| {
            let asks = asks.clone();
            async move {
                let (answer, answered) = oneshot::channel();
                asks.send(answer).await.unwrap();
                answered.await.unwrap()
            }
        };
        tokio::spawn(run(Hold::new(watched, 0), hears, passes, stats.clone(), ask));
        Self {
            policies,
            heard,
            passed,
            questions,
            stats,
        }
    }

    async fn tell(&self, event: Event) {
        self.heard.send((self.policies, event)).await.unwrap();
    }

    async fn passed(&mut self) -> Event {
        let passed = timeout(DEADLINE, self.passed.recv()).await;
        passed.expect("something is passed on").unwrap().1
    }

    async fn asked(&mut self) -> oneshot::Sender<Answer> {
        let asked = timeout(DEADLINE, self.questions.recv()).await;
        asked.expect("it is asked").unwrap()
    }

    fn held(&self) -> usize {
        self.stats.deletions_held.load(Relaxed)
    }

    fn ignored(&self) -> u64 {
        let stats = self.stats.of(Kind::AuthPolicy).unwrap();
        stats.deletions_ignored.load(Relaxed)
    }
}

fn deleted(name: &str) -> Event {
    Event::Deleted(json!({"metadata": {"namespace": "shop", "name": name}}))
}

fn applied(name: &str) -> Event {
    Event::Applied(json!({"metadata": {"namespace": "shop", "name": name}}))
}

fn standing(kinds: &[RouterKind]) -> Answer {
    Ok(kinds.iter().map(|kind| kind.resource()).collect())
}

fn refused() -> Answer {
    Err(ApiError::Refused(Failure {
        code: 503,
        reason: String::new(),
        message: String::new(),
        about: None,
        retry_after: None,
        is_status: true,
    }))
}

#[tokio::test(start_paused = true)]
async fn events_pass_while_a_deletion_waits_and_while_it_is_asked_about() {
    let mut running = Running::start();
    running.tell(deleted("a")).await;
    running.tell(applied("b")).await;
    assert_eq!(running.passed().await, applied("b"));
    let question = running.asked().await;
    running.tell(applied("c")).await;
    assert_eq!(running.passed().await, applied("c"));
    assert_eq!(running.held(), 1);
    question.send(standing(&[RouterKind::AuthPolicy])).unwrap();
    assert_eq!(running.passed().await, deleted("a"));
    assert_eq!((running.held(), running.ignored()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn deletions_of_a_kind_that_goes_are_counted_and_never_passed_on() {
    let mut running = Running::start();
    for name in ["a", "b"] {
        running.tell(deleted(name)).await;
    }
    running.asked().await.send(standing(&[])).unwrap();
    running.tell(applied("c")).await;
    assert_eq!(running.passed().await, applied("c"));
    sleep(DEADLINE).await;
    assert!(running.passed.try_recv().is_err());
    assert!(
        running.questions.try_recv().is_err(),
        "nothing is left to ask about"
    );
    assert_eq!((running.held(), running.ignored()), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_deletion_waits_until_there_is_an_answer() {
    let mut running = Running::start();
    running.tell(deleted("a")).await;
    for _ in 0..5 {
        running.asked().await.send(refused()).unwrap();
        assert!(running.passed.try_recv().is_err());
    }
    assert_eq!(running.held(), 1);
    let stands = standing(&[RouterKind::AuthPolicy]);
    running.asked().await.send(stands).unwrap();
    assert_eq!(running.passed().await, deleted("a"));
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_whoever_sends_events_or_takes_them() {
    let Running {
        heard, mut passed, ..
    } = Running::start();
    drop(heard);
    assert_eq!(timeout(DEADLINE, passed.recv()).await, Ok(None));

    let Running { heard, passed, .. } = Running::start();
    drop(passed);
    heard.send((0, applied("a"))).await.unwrap();
    timeout(DEADLINE, heard.closed()).await.expect("it ends");
}
