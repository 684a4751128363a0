//! The loop against an API server in process, with the watches and writes that the operator really uses.

mod api;
mod failures;
mod leading;
mod races;
mod scopes;
mod settling;

use std::{sync::Arc, time::Duration};

use latchkey_core::digest::Pepper;
use latchkey_runtime::watch::{Session, Tuning};
use serde_json::{Value, json};
use tokio::{sync::watch, task::JoinHandle};

use super::super::{
    Config, Stats,
    testing::{KEY, NEW_KEY, by_secret, credential, inline, pepper, published, said, secret},
};
use crate::{credentials, leadership::Leadership};
use api::Api;

const CREDENTIALS: &str = "/apis/latchkey.dev/v1alpha1/credentials";
const CONSUMERS: &str = "/apis/latchkey.dev/v1alpha1/consumers";
const PATCH: &str = "PATCH /apis/latchkey.dev/";
const GET_SECRET: &str = "GET /api/v1/";

/// An operator under test.
struct Operator {
    lease: watch::Sender<Option<std::time::Instant>>,
    peppers: watch::Sender<Vec<Pepper>>,
    stats: Arc<Stats>,
    task: JoinHandle<()>,
}

impl Drop for Operator {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn config() -> Config {
    Config {
        namespaces: Vec::new(),
        secret_selector: None,
        min_key_length: 16,
        concurrency: 4,
    }
}

impl Operator {
    /// One that leads.
    fn start(api: &Api) -> Self {
        let operator = Self::standby(api, config());
        operator.lead(true);
        operator
    }

    /// One that does not lead yet.
    fn standby(api: &Api, config: Config) -> Self {
        let (lease, leadership) = Leadership::new();
        let (peppers, known) = watch::channel(vec![pepper(1)]);
        let stats = Arc::new(Stats::default());
        let client = api.client();
        let session = Session::new(client.clone(), Tuning::default(), 1);
        let run = credentials::run(client, session, leadership, known, config, Arc::clone(&stats));
        Self {
            lease,
            peppers,
            stats,
            task: tokio::spawn(run),
        }
    }

    fn lead(&self, leads: bool) {
        let until = std::time::Instant::now() + Duration::from_secs(1_000_000);
        self.lease.send_replace(leads.then_some(until));
    }
}

fn credential_path(name: &str) -> String {
    format!("/apis/latchkey.dev/v1alpha1/namespaces/shop/credentials/{name}")
}

fn secret_path(name: &str) -> String {
    format!("/api/v1/namespaces/shop/secrets/{name}")
}

fn put_secret(api: &Api, name: &str, key: &str) {
    api.put(&secret_path(name), secret(name, "", key.as_bytes()));
}

fn put_credential(api: &Api, name: &str, api_key: &Value) {
    api.put(&credential_path(name), credential(name, 1, api_key));
}

/// A server with the Consumer that all Credentials name.
fn server() -> Api {
    let api = Api::default();
    let alice = json!({"metadata": {"namespace": "shop", "name": "alice", "uid": "uid-alice"}});
    api.put(
        "/apis/latchkey.dev/v1alpha1/namespaces/shop/consumers/alice",
        alice,
    );
    api
}

/// What a Credential's status says of `Ready`: status/reason.
fn ready(api: &Api, name: &str) -> String {
    let said = said(&api.object(&credential_path(name))["status"]);
    said.rsplit_once("Ready=")
        .map_or_else(String::new, |(_, ready)| ready.to_owned())
}

/// The versions of the Secret that a Credential was published from.
fn versions(api: &Api, name: &str) -> Vec<String> {
    let blocks = published(&api.object(&credential_path(name))["status"]);
    blocks.into_iter().map(|(_, version)| version).collect()
}

fn version_of(api: &Api, path: &str) -> String {
    let version = &api.object(path)["metadata"]["resourceVersion"];
    version.as_str().expect("it is there").to_owned()
}

/// Waits for a condition, in the test's own time.
async fn until(what: &str, condition: impl Fn() -> bool) {
    let wait = async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(120), wait).await;
    assert!(waited.is_ok(), "not within two minutes: {what}");
}

async fn until_ready(api: &Api, name: &str, expected: &str) {
    until(&format!("{name} is {expected}"), || ready(api, name) == expected).await;
}

/// Lets whatever is under way come to its end.
async fn settle() {
    tokio::time::sleep(Duration::from_secs(60)).await;
}
