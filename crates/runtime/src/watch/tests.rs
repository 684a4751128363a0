//! Watches against an API server that each test scripts, in paused time: waits cost nothing, and are
//! measured exactly.

mod contact;
mod failures;
mod listing;
mod metadata;
mod once;
mod server;
mod single;
mod watching;

use serde_json::{Value, json};
use tokio::{task::JoinHandle, time::Instant};

use super::*;
use server::Server;

const LONG: Duration = Duration::from_secs(3600);

/// A running watch and the server under it.
struct Scene {
    server: Server,
    session: Session,
    events: mpsc::Receiver<((), Event)>,
    watch: JoinHandle<()>,
}

fn services() -> Collection {
    Collection {
        api_version: "v1",
        plural: "services",
        namespace: None,
        labels: None,
        name: None,
        content: Content::Whole,
    }
}

fn start(collection: Collection) -> Scene {
    start_with(collection, Tuning::default())
}

fn start_with(collection: Collection, tuning: Tuning) -> Scene {
    start_into(64, collection, tuning)
}

/// With room for so many events that are not taken.
fn start_into(room: usize, collection: Collection, tuning: Tuning) -> Scene {
    let (server, client) = Server::new();
    let session = Session::new(client, tuning, 7);
    let (sender, events) = mpsc::channel(room);
    let running = session.clone();
    let watch = tokio::spawn(async move { running.watch(collection, (), sender).await });
    Scene {
        server,
        session,
        events,
        watch,
    }
}

impl Scene {
    async fn event(&mut self) -> Event {
        let next = tokio::time::timeout(LONG, self.events.recv()).await;
        next.expect("an event comes").expect("the watch runs").1
    }

    /// Takes this many events and tells them by one word each.
    async fn words(&mut self, count: usize) -> Vec<String> {
        let mut words = Vec::new();
        for _ in 0..count {
            words.push(word(&self.event().await));
        }
        words
    }

    /// Answers a list of nothing at this version, and takes its events.
    async fn empty_list(&mut self, version: u64) {
        let asked = self.server.asked().await;
        assert_eq!(asked.query("watch"), None);
        asked.json(200, &list(version, &[], ""));
        assert_eq!(self.words(2).await, ["begin", "end"]);
    }

    fn counts(&self) -> CollectionCounts {
        self.session.counts().collections["services"].clone()
    }

    fn restarts(&self, cause: Cause) -> u64 {
        self.counts().restarts[&cause]
    }
}

/// An event by its name and the object's.
fn word(event: &Event) -> String {
    let name = |object: &Value| object["metadata"]["name"].as_str().unwrap_or("?").to_owned();
    match event {
        Event::ListBegin => "begin".to_owned(),
        Event::Listed(object) => format!("listed {}", name(object)),
        Event::ListEnd => "end".to_owned(),
        Event::Applied(object) => format!("applied {}", name(object)),
        Event::Deleted(object) => format!("deleted {}", name(object)),
        Event::Missing => "missing".to_owned(),
        Event::Trouble(_) => "trouble".to_owned(),
        Event::Working => "working".to_owned(),
    }
}

fn object(name: &str, version: u64) -> Value {
    json!({ "metadata": { "name": name, "resourceVersion": version.to_string() } })
}

fn list(version: u64, names: &[&str], next: &str) -> Value {
    let items: Vec<_> = names.iter().map(|name| object(name, 1)).collect();
    json!({
        "kind": "ServiceList",
        "apiVersion": "v1",
        "metadata": { "resourceVersion": version.to_string(), "continue": next },
        "items": items,
    })
}

fn status(code: u16, reason: &str, details: &Value) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure",
        "code": code, "reason": reason, "message": format!("said {reason}"), "details": details,
    })
}
