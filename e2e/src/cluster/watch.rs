//! A bare watch: what any client of the API server sees of a collection, and when. It lists nothing,
//! keeps nothing and reconnects never, so it is the least that anybody who watches can need.

use std::{
    sync::mpsc,
    time::{Duration, Instant},
};

use http::Request;
use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::Value;
use tokio::task::JoinHandle;

use super::{
    api::{Api, RUNTIME},
    resource::collection,
};

/// Events that may wait for whoever looks; past them the reading waits, as the server then does.
const EVENTS: usize = 64 * 1024;
/// How long the server keeps it open: longer than any run.
const OPEN: Duration = Duration::from_secs(6 * 60 * 60);

/// A running watch. Dropping it ends it.
#[derive(Debug)]
pub struct Watch {
    events: mpsc::Receiver<Event>,
    task: JoinHandle<()>,
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// When its last byte was read, before anything was made of it.
    pub at: Instant,
    /// `ADDED`, `MODIFIED` or `DELETED`.
    pub what: String,
    /// The object.
    pub object: Value,
}

impl Watch {
    /// Watches the objects of a kind in a namespace, from now on. It is open when this returns.
    pub fn start(api: &Api, api_version: &str, kind: &str, namespace: &str) -> Self {
        let path = collection(api_version, kind, Some(namespace));
        let list = api.get(&format!("{path}?limit=1")).must();
        let version = list["metadata"]["resourceVersion"].as_str().unwrap_or_default();
        let path = format!(
            "{path}?watch=true&resourceVersion={version}&timeoutSeconds={}",
            OPEN.as_secs()
        );
        let request = Request::get(path)
            .body(Body::empty())
            .expect("a path of ours is a URI");
        let response = RUNTIME
            .block_on(api.client().send(request))
            .unwrap_or_else(|e| panic!("no watch of {kind}: {e}"));
        assert_eq!(response.status(), 200, "no watch of {kind}");
        let (sender, events) = mpsc::sync_channel(EVENTS);
        let task = RUNTIME.spawn(read(response.into_body(), sender));
        Self { events, task }
    }

    /// The next event that is as wanted; those before it are forgotten. `None` when there is none in time.
    pub fn next(&self, patience: Duration, mut wanted: impl FnMut(&Event) -> bool) -> Option<Event> {
        let deadline = Instant::now() + patience;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(rest) {
                Ok(event) if wanted(&event) => return Some(event),
                Ok(_) => {}
                Err(mpsc::RecvTimeoutError::Timeout) => return None,
                Err(mpsc::RecvTimeoutError::Disconnected) => panic!("a bare watch ended"),
            }
        }
    }
}

impl Event {
    /// The name of its object.
    pub fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap_or_default()
    }

    /// The status of a condition in `status.conditions`; empty if there is none.
    pub fn condition(&self, kind: &str) -> &str {
        let conditions = self.object["status"]["conditions"].as_array();
        conditions
            .into_iter()
            .flatten()
            .find(|condition| condition["type"] == kind)
            .and_then(|condition| condition["status"].as_str())
            .unwrap_or_default()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Reads lines until the server ends them or nobody looks any more.
async fn read(mut body: Body, events: mpsc::SyncSender<Event>) {
    let mut held = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        let at = Instant::now();
        let Some(bytes) = frame.data_ref() else { continue };
        held.extend_from_slice(bytes);
        let mut lines: Vec<_> = held.split(|byte| *byte == b'\n').collect();
        let rest = lines.pop().unwrap_or_default().to_vec();
        for line in lines {
            let Ok(Value::Object(mut event)) = serde_json::from_slice(line) else {
                return;
            };
            let what = event["type"].as_str().unwrap_or_default().to_owned();
            let object = event.remove("object").unwrap_or_default();
            if events.send(Event { at, what, object }).is_err() {
                return;
            }
        }
        held = rest;
    }
}
