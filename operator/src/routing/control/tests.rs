//! The loop against a scripted API server; a test plays the watches.

use std::{collections::BTreeSet, time::Duration};

use http::Method;
use latchkey_core::object::ObjectName;
use serde_json::json;
use tokio::{sync::watch, time::sleep};

use super::{
    super::kinds::{Subject, collections},
    *,
};
use crate::{
    status::Outcome,
    testing::{Api, Do, Seen},
};

const CLASS: &str = "latchkey";

/// The loop, running.
struct Running {
    api: Api,
    events: mpsc::Sender<(usize, Event)>,
    collections: Vec<(Watched, Collection)>,
    granted: watch::Sender<Option<std::time::Instant>>,
    stats: Arc<Stats>,
}

impl Running {
    fn start(script: impl Fn(&Seen) -> Do + Send + Sync + 'static) -> Self {
        let (api, stats) = (Api::default(), Arc::new(Stats::default()));
        let collections = collections(&[]);
        let (granted, leadership) = Leadership::new();
        let (events, taken) = mpsc::channel(64);
        let world = World::new(CLASS.to_owned(), &collections);
        let control = Control::new(
            api.client(script),
            leadership,
            world,
            collections.clone(),
            2,
            Arc::clone(&stats),
        );
        tokio::spawn(control.run(taken));
        Self {
            api,
            events,
            collections,
            granted,
            stats,
        }
    }

    /// Leads, and every list came, with these Gateways.
    async fn leading(script: impl Fn(&Seen) -> Do + Send + Sync + 'static, gateways: &[&str]) -> Self {
        let running = Self::start(script);
        running.lead();
        gateways.iter().for_each(|name| running.store(name));
        running.list_all(gateways).await;
        running
    }

    fn lead(&self) {
        let until = leadership::now() + Duration::from_secs(3600);
        self.granted.send_replace(Some(until));
    }

    /// A Gateway as a person made it.
    fn store(&self, name: &str) {
        let listener = json!({ "name": "web", "port": 80, "protocol": "HTTP" });
        let gateway = json!({
            "metadata": { "namespace": "ns", "name": name, "generation": 1 },
            "spec": { "gatewayClassName": CLASS, "listeners": [listener] },
        });
        self.api.put(&path(name), gateway);
    }

    async fn send(&self, plural: &str, event: Event) {
        let index = self.collections.iter().position(|(_, c)| c.plural == plural);
        let index = index.expect("a collection");
        self.events.send((index, event)).await.expect("it runs");
    }

    async fn list_all(&self, gateways: &[&str]) {
        for (_, collection) in &self.collections {
            self.send(collection.plural, Event::ListBegin).await;
            if collection.plural == "gateways" {
                for name in gateways {
                    self.send("gateways", Event::Listed(self.held(name))).await;
                }
            }
            self.send(collection.plural, Event::ListEnd).await;
        }
        settle().await;
    }

    /// The watch tells what the API server holds of a Gateway.
    async fn watch(&self, name: &str) {
        self.send("gateways", Event::Applied(self.held(name))).await;
        settle().await;
    }

    fn held(&self, name: &str) -> Value {
        self.api.get(&path(name)).expect("it is there")
    }

    fn writes(&self) -> usize {
        let seen = self.api.seen();
        seen.iter().filter(|seen| seen.method == Method::PATCH).count()
    }

    fn accepted(&self, name: &str) -> Value {
        self.held(name)["status"]["conditions"][0]["status"].clone()
    }
}

fn path(name: &str) -> String {
    Subject::Gateway.path(&ObjectName::new("ns", name))
}

/// Lets the loop do what it can without any time passing that it waits for.
async fn settle() {
    sleep(Duration::from_millis(1)).await;
}

fn answer(_: &Seen) -> Do {
    Do::Answer
}

#[tokio::test(start_paused = true)]
async fn a_status_is_written_once_and_comes_back_as_nothing_to_do() {
    let running = Running::leading(answer, &["gw"]).await;
    assert_eq!(running.accepted("gw"), "True");
    assert_eq!(running.writes(), 1);
    running.watch("gw").await;
    sleep(Duration::from_secs(3000)).await;
    assert_eq!(running.writes(), 1, "an idle hour");
    assert_eq!(running.api.seen().len(), 1, "nothing was read either");
    assert_eq!(running.stats.writes(Subject::Gateway, Outcome::Done), 1);
    assert_eq!(running.stats.waiting(), 0);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_before_every_list_is_complete() {
    let running = Running::start(answer);
    running.lead();
    running.store("gw");
    running.send("gateways", Event::ListBegin).await;
    running.send("gateways", Event::Listed(running.held("gw"))).await;
    running.send("gateways", Event::ListEnd).await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(running.writes(), 0);
    running.list_all(&["gw"]).await;
    assert_eq!(running.writes(), 1);
}

#[tokio::test(start_paused = true)]
async fn whoever_comes_to_lead_looks_at_everything() {
    let running = Running::start(answer);
    for name in ["a", "b", "c"] {
        running.store(name);
    }
    running.list_all(&["a", "b", "c"]).await;
    assert_eq!(running.writes(), 0, "it does not lead");
    running.lead();
    settle().await;
    assert_eq!(running.writes(), 3);
    running.granted.send_replace(None);
    let mut changed = running.held("a");
    changed["status"] = json!({});
    running.api.put(&path("a"), changed);
    running.watch("a").await;
    assert_eq!(running.writes(), 3);
    running.lead();
    settle().await;
    assert_eq!(running.accepted("a"), "True");
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_computed_again_from_the_newer_version_that_the_watch_brings() {
    let running = Running::start(answer);
    running.lead();
    running.store("gw");
    let old = running.held("gw");
    let mut newer = old.clone();
    newer["spec"]["listeners"][0]["protocol"] = json!("TCP");
    newer["metadata"]["generation"] = json!(2);
    running.api.put(&path("gw"), newer);
    running.list_all(&[]).await;
    running.send("gateways", Event::Applied(old)).await;
    settle().await;
    assert_eq!(running.stats.writes(Subject::Gateway, Outcome::Conflict), 1);
    sleep(Duration::from_secs(5)).await;
    assert_eq!(running.writes(), 1, "it waits for the newer version");
    running.watch("gw").await;
    assert_eq!(running.accepted("gw"), "False");
    assert_eq!(
        running.held("gw")["status"]["conditions"][0]["observedGeneration"],
        2
    );
}

#[tokio::test(start_paused = true)]
async fn a_newer_version_that_does_not_come_is_read() {
    let running = Running::start(answer);
    running.lead();
    running.store("gw");
    let old = running.held("gw");
    let mut newer = old.clone();
    newer["metadata"]["labels"] = json!({ "x": "y" });
    running.api.put(&path("gw"), newer);
    running.list_all(&[]).await;
    running.send("gateways", Event::Applied(old)).await;
    sleep(Duration::from_secs(30)).await;
    assert_eq!(running.accepted("gw"), "True");
    assert_eq!(running.stats.writes(Subject::Gateway, Outcome::Conflict), 1);
    assert_eq!(running.stats.writes(Subject::Gateway, Outcome::Done), 1);
}

#[tokio::test(start_paused = true)]
async fn what_fails_is_tried_again_ever_less_often_and_holds_up_nothing_else() {
    let refuse = |seen: &Seen| match seen.path.contains("bad") {
        true => Do::Refuse(500, "no"),
        false => Do::Answer,
    };
    let running = Running::leading(refuse, &["gw", "other-bad"]).await;
    assert_eq!(running.accepted("gw"), "True");
    running.watch("gw").await;
    sleep(Duration::from_secs(3600)).await;
    let failed = running.stats.writes(Subject::Gateway, Outcome::Failed);
    assert!((100..=130).contains(&failed), "{failed} in an hour");
}

#[tokio::test(start_paused = true)]
async fn so_many_are_written_at_a_time_and_each_alone() {
    let running = Running::leading(|_| Do::Late(Duration::from_secs(1)), &["a", "b", "c", "d"]).await;
    assert_eq!(running.writes(), 2);
    running.watch("a").await;
    assert_eq!(running.writes(), 2);
    sleep(Duration::from_millis(1100)).await;
    let seen = running.api.seen();
    let paths: BTreeSet<_> = seen.iter().map(|seen| &seen.path).collect();
    assert_eq!((seen.len(), paths.len()), (4, 4));
}

#[tokio::test(start_paused = true)]
async fn more_objects_than_fit_into_one_turn_are_all_looked_at() {
    let names: Vec<_> = (0..3 * TURN).map(|n| format!("gw-{n}")).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let running = Running::leading(answer, &names).await;
    assert_eq!(running.writes(), names.len());
}
