use std::time::Duration;

use latchkey_routing::object::Kind as RouterKind;
use latchkey_runtime::api::Failure;
use serde_json::{Value, json};
use tokio::{
    sync::{mpsc, oneshot},
    time::timeout,
};

use super::*;
use crate::{
    cluster::{kinds::Scope, shaping::testing::scope},
    object::Kind,
};

type Standing = Result<BTreeSet<Resource>, ApiError>;
type Listed = Result<HashSet<Version>, ApiError>;

/// Longer than anything waits; time is paused, so nobody waits for it.
const DEADLINE: Duration = Duration::from_secs(600);

/// The loop, running, and an API server that answers when a test does.
struct Running {
    scope: Scope,
    policies: Sender<(usize, Event)>,
    others: Sender<(usize, Event)>,
    passed: Receiver<(usize, Event)>,
    discoveries: Receiver<oneshot::Sender<Standing>>,
    lists: Receiver<oneshot::Sender<Listed>>,
    stats: Arc<WatchStats>,
}

impl Running {
    fn start() -> Self {
        let scope = scope(&[]);
        let watched = scope.watched();
        let stats = Arc::new(WatchStats::new(&watched));
        let (policies, heard_policies) = mpsc::channel(64);
        let (others, heard_others) = mpsc::channel(64);
        let (passes, passed) = mpsc::channel(8192);
        let (standing, discoveries) = questions();
        let (listed, lists) = questions();
        let heard = Heard {
            policies: heard_policies,
            others: heard_others,
        };
        let numbers = stats.clone();
        tokio::spawn(async move {
            run(&watched, 0, heard, passes, numbers, |_| standing(), listed).await;
        });
        Self {
            scope,
            policies,
            others,
            passed,
            discoveries,
            lists,
            stats,
        }
    }

    fn id(&self, kind: Kind) -> usize {
        let watched = self.scope.watched();
        watched.iter().position(|watched| watched.kind == kind).unwrap()
    }

    async fn tell_route(&self, event: Event) {
        self.others.send((self.id(Kind::HttpRoute), event)).await.unwrap();
    }

    async fn tell(&self, event: Event) {
        self.policies
            .send((self.id(Kind::AuthPolicy), event))
            .await
            .unwrap();
    }

    async fn passed(&mut self) -> Event {
        let passed = timeout(DEADLINE, self.passed.recv()).await;
        passed.expect("something is passed on").unwrap().1
    }

    /// A question of which kinds stand.
    async fn discovery(&mut self) -> oneshot::Sender<Standing> {
        let asked = timeout(DEADLINE, self.discoveries.recv()).await;
        asked.expect("it is asked").unwrap()
    }

    /// A question of which policies there are.
    async fn list(&mut self) -> oneshot::Sender<Listed> {
        let asked = timeout(DEADLINE, self.lists.recv()).await;
        asked.expect("it is asked").unwrap()
    }

    fn policy(&self, name: &str) -> Version {
        Version::of(self.id(Kind::AuthPolicy), &object(name)).unwrap()
    }

    fn held(&self) -> usize {
        self.stats.deletions_held.load(Relaxed)
    }

    fn ignored(&self) -> u64 {
        let stats = self.stats.of(Kind::AuthPolicy).unwrap();
        stats.deletions_ignored.load(Relaxed)
    }
}

type Asking<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// How questions are asked, and where a test finds them.
fn questions<T: Send + 'static>() -> (impl Fn() -> Asking<T> + Send, Receiver<oneshot::Sender<T>>) {
    let (asks, questions) = mpsc::channel(64);
    let ask = move || -> Asking<T> {
        let asks = asks.clone();
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            // Both fail where the test is over.
            let _ = asks.send(answer).await;
            match answered.await {
                Ok(answer) => answer,
                Err(_) => pending().await,
            }
        })
    };
    (ask, questions)
}

fn object(name: &str) -> Value {
    json!({"metadata": {"namespace": "shop", "name": name, "uid": "u", "resourceVersion": "1"}})
}

/// As it is told of one that is gone: nothing but its name.
fn deleted(name: &str) -> Event {
    Event::Deleted(json!({"metadata": {"namespace": "shop", "name": name}}))
}

fn applied(name: &str) -> Event {
    Event::Applied(object(name))
}

fn standing(kinds: &[RouterKind]) -> Standing {
    Ok(kinds.iter().map(|kind| kind.resource()).collect())
}

fn refused<T>() -> Result<T, ApiError> {
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
    let question = running.discovery().await;
    running.tell(applied("c")).await;
    assert_eq!(running.passed().await, applied("c"));
    assert_eq!(running.held(), 1);
    question.send(standing(&[RouterKind::AuthPolicy])).unwrap();
    running.list().await.send(Ok(HashSet::new())).unwrap();
    assert_eq!(running.passed().await, deleted("a"));
    assert_eq!((running.held(), running.ignored()), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn deletions_of_a_kind_that_goes_are_counted_and_never_passed_on() {
    let mut running = Running::start();
    for name in ["a", "b"] {
        running.tell(deleted(name)).await;
    }
    running.discovery().await.send(standing(&[])).unwrap();
    running.tell(applied("c")).await;
    assert_eq!(running.passed().await, applied("c"));
    let more = timeout(DEADLINE, running.passed.recv()).await;
    assert!(more.is_err(), "{more:?} is passed on");
    assert!(
        running.discoveries.try_recv().is_err(),
        "nothing is left to ask about"
    );
    assert_eq!((running.held(), running.ignored()), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_deletion_waits_until_there_is_an_answer() {
    let mut running = Running::start();
    running.tell(deleted("a")).await;
    for _ in 0..5 {
        running.discovery().await.send(refused()).unwrap();
        assert!(running.passed.try_recv().is_err());
    }
    assert_eq!(running.held(), 1);
    let stands = standing(&[RouterKind::AuthPolicy]);
    running.discovery().await.send(stands).unwrap();
    running.list().await.send(Ok(HashSet::new())).unwrap();
    assert_eq!(running.passed().await, deleted("a"));
}

#[tokio::test(start_paused = true)]
async fn a_route_waits_until_the_policies_are_here_that_the_api_server_lists() {
    let mut running = Running::start();
    running.tell_route(applied("r")).await;
    for _ in 0..3 {
        running.list().await.send(refused()).unwrap();
    }
    let policies = HashSet::from([running.policy("p")]);
    running.list().await.send(Ok(policies)).unwrap();
    let again = running.list().await;
    assert!(running.passed.try_recv().is_err());
    assert_eq!(running.stats.openings_held.load(Relaxed), 1);
    running.tell(applied("p")).await;
    assert_eq!(running.passed().await, applied("p"));
    assert_eq!(running.passed().await, applied("r"));
    assert_eq!(running.stats.openings_held.load(Relaxed), 0);
    again.send(Ok(HashSet::new())).unwrap();
}

#[tokio::test(start_paused = true)]
async fn policies_pass_though_so_much_waits_that_no_more_is_taken() {
    let mut running = Running::start();
    let full = loop {
        let route = (running.id(Kind::HttpRoute), applied("r"));
        if timeout(DEADLINE, running.others.send(route)).await.is_err() {
            break running.stats.openings_held.load(Relaxed);
        }
    };
    running.tell(applied("p")).await;
    assert_eq!(running.passed().await, applied("p"));
    let policies = HashSet::from([running.policy("p")]);
    // The first question is older than most of what waits.
    running.list().await.send(refused()).unwrap();
    running.list().await.send(Ok(policies)).unwrap();
    for _ in 0..full {
        assert_eq!(running.passed().await, applied("r"));
    }
    running.tell_route(applied("s")).await;
}

#[tokio::test(start_paused = true)]
async fn it_ends_with_whoever_sends_events_or_takes_them() {
    for of_policies in [true, false] {
        let mut running = Running::start();
        match of_policies {
            true => running.policies = mpsc::channel(1).0,
            false => running.others = mpsc::channel(1).0,
        }
        assert_eq!(timeout(DEADLINE, running.passed.recv()).await, Ok(None));
    }

    let Running { policies, passed, .. } = Running::start();
    drop(passed);
    policies.send((0, applied("a"))).await.unwrap();
    timeout(DEADLINE, policies.closed()).await.expect("it ends");
}
