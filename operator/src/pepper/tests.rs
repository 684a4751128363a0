use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::json;
use tokio::time::sleep;

use super::*;
use crate::testing::{Api, Do};

const PATH: &str = "/api/v1/namespaces/own/secrets/pepper";

struct Running {
    api: Api,
    events: mpsc::Sender<((), Event)>,
    outcome: Outcome,
    granted: watch::Sender<Option<Instant>>,
}

impl Running {
    /// A keeper whose watch is the test, on a client that fares by `script`.
    fn start(script: impl Fn(&crate::testing::Seen) -> Do + Send + Sync + 'static) -> Self {
        let api = Api::default();
        let (granted, leadership) = Leadership::new();
        let (keeper, outcome) = Keeper::new(api.client(script), leadership, "own".into(), "pepper".into());
        let (events, inbox) = mpsc::channel(INBOX);
        tokio::spawn(keeper.keep(inbox));
        Self {
            api,
            events,
            outcome,
            granted,
        }
    }

    async fn event(&self, event: Event) {
        self.events.send(((), event)).await.unwrap();
        settle().await;
    }

    /// A complete list of what is there.
    async fn list(&self) {
        self.event(Event::ListBegin).await;
        if let Some(secret) = self.api.get(PATH) {
            self.event(Event::Listed(secret)).await;
        }
        self.event(Event::ListEnd).await;
    }

    async fn lead(&self) {
        self.granted.send_replace(Some(now() + Duration::from_secs(3600)));
        settle().await;
    }

    fn ids(&self) -> Vec<String> {
        let peppers = self.outcome.peppers.borrow();
        peppers.iter().map(|pepper| pepper.id().to_owned()).collect()
    }

    fn trouble(&self) -> String {
        self.outcome.trouble.borrow().clone().unwrap_or_default()
    }

    fn put(&self, id: &str, byte: u8) {
        let object = json!({"metadata": {"name": "pepper"}, "data": {id: STANDARD.encode([byte; 32])}});
        self.api.put(PATH, object);
    }
}

/// Long enough for what is ready to happen, on a clock that stands still.
async fn settle() {
    sleep(Duration::from_millis(1)).await;
}

#[tokio::test(start_paused = true)]
async fn the_leader_makes_it_once_and_nobody_else_does() {
    let running = Running::start(|_| Do::Answer);
    running.list().await;
    assert!(running.api.seen().is_empty(), "no leader, no write");
    running.lead().await;
    assert_eq!(running.ids().len(), 1);
    let made = running.api.get(PATH).unwrap();
    running.event(Event::Applied(made)).await;
    running.lead().await;
    assert_eq!(running.api.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn two_peppers_made_are_two_peppers() {
    let (one, other) = (Running::start(|_| Do::Answer), Running::start(|_| Do::Answer));
    for running in [&one, &other] {
        running.lead().await;
        running.list().await;
    }
    assert_ne!(one.ids(), other.ids());
    assert_ne!(
        one.api.get(PATH).unwrap()["data"],
        other.api.get(PATH).unwrap()["data"]
    );
}

#[tokio::test(start_paused = true)]
async fn what_another_made_first_counts() {
    let running = Running::start(|_| Do::Answer);
    running.list().await;
    running.put("theirs", 1);
    running.lead().await;
    assert_eq!(running.ids(), ["theirs"]);
    assert_eq!(running.trouble(), "");
}

#[tokio::test(start_paused = true)]
async fn deleted_it_is_back_at_once_with_the_same_bytes() {
    let running = Running::start(|_| Do::Answer);
    running.put("p1", 1);
    running.list().await;
    running.lead().await;
    let before = running.api.get(PATH).unwrap();
    running.api.delete(PATH);
    running.event(Event::Deleted(before.clone())).await;
    assert_eq!(running.api.get(PATH).unwrap()["data"], before["data"]);
    assert_eq!(running.ids(), ["p1"]);
}

#[tokio::test(start_paused = true)]
async fn one_that_is_unusable_is_never_written() {
    let running = Running::start(|_| Do::Answer);
    running.lead().await;
    running.api.put(
        PATH,
        json!({"metadata": {"name": "pepper"}, "data": {"p1": "c2hvcnQ="}}),
    );
    running.list().await;
    assert!(
        running.trouble().contains("no usable pepper"),
        "{}",
        running.trouble()
    );
    assert!(running.ids().is_empty() && running.api.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_told_and_tried_again_ever_more_slowly() {
    let running = Running::start(|_| Do::Refuse(403, "cannot create resource \"secrets\""));
    running.lead().await;
    running.list().await;
    assert!(
        running.trouble().contains("cannot create resource"),
        "{}",
        running.trouble()
    );
    sleep(Duration::from_secs(100)).await;
    let times: Vec<_> = running.api.seen().iter().map(|seen| seen.at).collect();
    let waits: Vec<_> = times
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).as_secs())
        .collect();
    assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
}

#[tokio::test(start_paused = true)]
async fn leadership_that_ends_cuts_the_write() {
    let running = Running::start(|_| Do::Hang);
    running.granted.send_replace(Some(now() + Duration::from_secs(3)));
    running.list().await;
    sleep(Duration::from_secs(60)).await;
    assert_eq!(
        running.api.seen().len(),
        1,
        "and it is not begun again without permission"
    );
    assert!(running.trouble().contains("cannot be made"));
}
