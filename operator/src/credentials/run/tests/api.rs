//! An API server in process: objects with versions, lists, watches, statuses written with a precondition.
//! A test can make it fail, answer late, or leave a watch behind.

use std::{
    collections::{BTreeMap, HashSet},
    convert::Infallible,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard},
    task::{Context, Poll},
};

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode, header::ACCEPT};
use http_body_util::BodyExt as _;
use kube::{Client, client::Body};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};

/// Cheap to clone: all clones are one server.
#[derive(Clone, Default)]
pub(super) struct Api(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    version: u64,
    /// By path.
    objects: BTreeMap<String, Value>,
    /// What happened to which object, in order.
    history: Vec<(u64, String, &'static str, Value)>,
    watches: Vec<Watch>,
    /// Method and path of what was asked, without lists and watches.
    asked: Vec<String>,
    lists: Vec<String>,
    failing: BTreeMap<String, u16>,
    missing: HashSet<String>,
    lagging: HashSet<String>,
    held: BTreeMap<String, Arc<Notify>>,
}

struct Watch {
    collection: String,
    partial: bool,
    sender: mpsc::UnboundedSender<Bytes>,
}

/// A body: whole, or one that goes on.
struct Feed(mpsc::UnboundedReceiver<Bytes>);

impl http_body::Body for Feed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<http_body::Frame<Bytes>>>> {
        let next = self.0.poll_recv(context);
        next.map(|piece| piece.map(|piece| Ok(http_body::Frame::data(piece))))
    }
}

impl Api {
    pub(super) fn client(&self) -> Client {
        let api = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let api = api.clone();
            async move { Ok::<_, Infallible>(api.answer(request).await) }
        });
        Client::new(service, "default")
    }

    /// Creates or changes an object, as somebody else does. Spec changes count as a new generation.
    pub(super) fn put(&self, path: &str, mut object: Value) {
        let mut state = self.state();
        if let Some(old) = state.objects.get(path) {
            object["metadata"]["uid"] = old["metadata"]["uid"].clone();
            let generation = old["metadata"]["generation"].as_i64().unwrap_or(0);
            let same = old["spec"] == object["spec"];
            object["metadata"]["generation"] = (generation + i64::from(!same)).into();
            if object.get("status").is_none() {
                object["status"] = old["status"].clone();
            }
        }
        state.store(path, object);
    }

    pub(super) fn delete(&self, path: &str) {
        let mut state = self.state();
        let object = state.objects.remove(path).expect("it is there");
        state.happen(path, "DELETED", object);
    }

    pub(super) fn object(&self, path: &str) -> Value {
        self.state().objects.get(path).cloned().unwrap_or_default()
    }

    /// Requests of single objects whose method and path begin so.
    pub(super) fn asked(&self, beginning: &str) -> usize {
        let state = self.state();
        state
            .asked
            .iter()
            .filter(|asked| asked.starts_with(beginning))
            .count()
    }

    /// Paths, with queries, of all lists and watches.
    pub(super) fn lists(&self) -> Vec<String> {
        self.state().lists.clone()
    }

    /// Requests of this path are answered with this code, and by something that is no API server; or
    /// (`None`) again as they should be.
    pub(super) fn fail(&self, path: &str, code: Option<u16>) {
        let mut state = self.state();
        match code {
            Some(code) => drop(state.failing.insert(path.to_owned(), code)),
            None => drop(state.failing.remove(path)),
        }
    }

    /// The kind of this collection is not known, or known again.
    pub(super) fn miss(&self, collection: &str, missing: bool) {
        let mut state = self.state();
        if missing {
            state.missing.insert(collection.to_owned());
        } else {
            state.missing.remove(collection);
        }
    }

    /// Watches of this collection show nothing until they do again.
    pub(super) fn lag(&self, collection: &str, lags: bool) {
        let mut state = self.state();
        if lags {
            state.lagging.insert(collection.to_owned());
        } else {
            state.lagging.remove(collection);
        }
    }

    /// The next read of this object answers with what it is then, but not before it is let go.
    pub(super) fn hold(&self, path: &str) -> Arc<Notify> {
        let gate = Arc::new(Notify::new());
        self.state().held.insert(path.to_owned(), Arc::clone(&gate));
        gate
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panics while it holds this")
    }

    async fn answer(&self, request: Request<Body>) -> Response<Feed> {
        let (parts, body) = request.into_parts();
        let path = parts.uri.path().to_owned();
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let body = body.collect().await.expect("a body in memory").to_bytes();
        let accept = parts.headers[ACCEPT].to_str().expect("text").to_owned();
        let is_list = matches!(
            path.rsplit('/').next(),
            Some("credentials" | "consumers" | "secrets")
        );
        let (answer, gate) = {
            let mut state = self.state();
            if is_list {
                state.lists.push(format!("{path}?{query}"));
            } else {
                state.asked.push(format!("{} {path}", parts.method));
            }
            let answer = if let Some(code) = state.failing.get(&path) {
                json_answer(*code, &json!({"error": "no such host"}))
            } else if is_list && state.missing.contains(&path) {
                json_answer(404, &json!({"kind": "Status", "code": 404, "reason": "NotFound"}))
            } else if is_list {
                state.collection(&path, &query, &accept)
            } else if parts.method == Method::PATCH {
                state.patch(&path, &serde_json::from_slice(&body).expect("a patch is JSON"))
            } else {
                match state.objects.get(&path) {
                    Some(object) => json_answer(200, object),
                    None => json_answer(404, &json!({"kind": "Status", "code": 404, "reason": "NotFound"})),
                }
            };
            (answer, state.held.remove(&path))
        };
        if let Some(gate) = gate {
            gate.notified().await;
        }
        answer
    }
}

impl State {
    fn store(&mut self, path: &str, mut object: Value) {
        let event = if self.objects.contains_key(path) {
            "MODIFIED"
        } else {
            "ADDED"
        };
        let version = (self.version + 1).to_string();
        object["metadata"]["resourceVersion"] = version.into();
        self.objects.insert(path.to_owned(), object.clone());
        self.happen(path, event, object);
    }

    fn happen(&mut self, path: &str, event: &'static str, mut object: Value) {
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        self.history
            .push((self.version, path.to_owned(), event, object.clone()));
        let lagging = &self.lagging;
        self.watches.retain(|watch| {
            lagging.contains(&watch.collection)
                || !holds(&watch.collection, path)
                || watch.send(event, &object)
        });
    }

    fn collection(&mut self, path: &str, query: &str, accept: &str) -> Response<Feed> {
        let partial = accept.contains("PartialObjectMetadata");
        if query.contains("watch=true") {
            let since = query
                .split('&')
                .find_map(|pair| pair.strip_prefix("resourceVersion="));
            let since: u64 = since.and_then(|since| since.parse().ok()).unwrap_or(0);
            let (sender, receiver) = mpsc::unbounded_channel();
            let watch = Watch {
                collection: path.to_owned(),
                partial,
                sender,
            };
            let missed = self.history.iter().filter(|(version, ..)| *version > since);
            for (_, object_path, event, object) in missed {
                if holds(path, object_path) && !self.lagging.contains(path) {
                    watch.send(event, object);
                }
            }
            self.watches.push(watch);
            return Response::new(Feed(receiver));
        }
        let selected = |object: &Value| {
            query.split('&').all(|pair| match pair.split_once("%3D") {
                Some(("fieldSelector=metadata.name", name)) => object["metadata"]["name"] == name,
                Some((label, value)) => match label.strip_prefix("labelSelector=") {
                    Some(label) => object["metadata"]["labels"][label] == value,
                    None => true,
                },
                None => true,
            })
        };
        let objects = self.objects.iter().filter(|(object, _)| holds(path, object));
        let items: Vec<_> = objects
            .filter(|(_, object)| selected(object))
            .map(|(_, object)| shown(object, partial))
            .collect();
        let kind = if partial {
            "PartialObjectMetadataList"
        } else {
            "List"
        };
        let version = self.version.to_string();
        json_answer(
            200,
            &json!({"kind": kind, "metadata": {"resourceVersion": version}, "items": items}),
        )
    }

    fn patch(&mut self, path: &str, patch: &Value) -> Response<Feed> {
        let path = path.strip_suffix("/status").expect("statuses alone are written");
        let Some(mut object) = self.objects.get(path).cloned() else {
            return json_answer(404, &json!({"kind": "Status", "code": 404, "reason": "NotFound"}));
        };
        let condition = |field: &str| patch["metadata"][field] == object["metadata"][field];
        if !condition("resourceVersion") || !condition("uid") {
            return json_answer(409, &json!({"kind": "Status", "code": 409, "reason": "Conflict"}));
        }
        let version = (self.version + 1).to_string();
        object = super::super::super::testing::written(&object, &patch["status"], &version);
        self.store(path, object.clone());
        json_answer(200, &object)
    }
}

impl Watch {
    fn send(&self, event: &str, object: &Value) -> bool {
        let object = shown(object, self.partial);
        let line = format!("{}\n", json!({"type": event, "object": object}));
        self.sender.send(line.into()).is_ok()
    }
}

/// Whether an object's path lies in a collection: of a namespace, or of all.
fn holds(collection: &str, object: &str) -> bool {
    let (parent, _) = object.rsplit_once('/').expect("a path");
    let mut parts: Vec<_> = parent.split('/').collect();
    if !collection.contains("/namespaces/") {
        let at = parts
            .iter()
            .position(|part| *part == "namespaces")
            .expect("namespaced");
        parts.drain(at..at + 2);
    }
    parts.join("/") == collection
}

fn shown(object: &Value, partial: bool) -> Value {
    if partial {
        let metadata = &object["metadata"];
        return json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": metadata});
    }
    object.clone()
}

fn json_answer(code: u16, body: &Value) -> Response<Feed> {
    let (sender, receiver) = mpsc::unbounded_channel();
    sender
        .send(body.to_string().into())
        .expect("the receiver is here");
    let mut response = Response::new(Feed(receiver));
    *response.status_mut() = StatusCode::from_u16(code).expect("a status code");
    let json = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, json);
    response
}
