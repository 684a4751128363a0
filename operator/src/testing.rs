//! An API server for tests: a few objects with versions, behind a kube client that may be slow, deaf or
//! refused, by script.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use http::{Method, Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use kube::{Client, client::Body};
use serde_json::{Value, json};
use tower::BoxError;

use crate::leadership::now;

/// What becomes of a request.
#[derive(Clone, Debug)]
pub(crate) enum Do {
    /// It is done and answered.
    Answer,
    /// It arrives so much later.
    Late(Duration),
    /// It is done, and the answer never comes.
    LoseAnswer,
    /// It never arrives, and no answer comes.
    Hang,
    /// It is refused.
    Refuse(u16, &'static str),
}

/// A request that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) at: Instant,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) content_type: String,
    pub(crate) body: Value,
}

/// The server.
#[derive(Clone, Default)]
pub(crate) struct Api(Arc<Mutex<Store>>);

#[derive(Default)]
struct Store {
    objects: BTreeMap<String, Value>,
    version: u64,
    seen: Vec<Seen>,
}

impl Api {
    /// A client of it, whose requests fare as `script` says.
    pub(crate) fn client(&self, script: impl Fn(&Seen) -> Do + Send + Sync + 'static) -> Client {
        let (api, script) = (self.clone(), Arc::new(script));
        let service = tower::service_fn(move |request: Request<Body>| {
            let (api, script) = (api.clone(), Arc::clone(&script));
            async move { api.serve(request, &*script).await }
        });
        Client::new(service, "default")
    }

    /// A client whose requests are done and answered at once.
    pub(crate) fn prompt(&self) -> Client {
        self.client(|_| Do::Answer)
    }

    /// An object by its path.
    pub(crate) fn get(&self, path: &str) -> Option<Value> {
        self.0.lock().unwrap().objects.get(path).cloned()
    }

    /// Puts an object there, whatever was; gives back its version.
    pub(crate) fn put(&self, path: &str, object: Value) -> String {
        self.0.lock().unwrap().store(path, object)
    }

    pub(crate) fn delete(&self, path: &str) {
        self.0.lock().unwrap().objects.remove(path);
    }

    /// All requests until now.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.0.lock().unwrap().seen.clone()
    }

    async fn serve(
        &self,
        request: Request<Body>,
        script: &(dyn Fn(&Seen) -> Do + Send + Sync),
    ) -> Result<Response<Body>, BoxError> {
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        let content_type = head.headers.get(http::header::CONTENT_TYPE);
        let seen = Seen {
            at: now(),
            method: head.method,
            path: head.uri.path().to_owned(),
            content_type: content_type
                .map_or("", |value| value.to_str().unwrap())
                .to_owned(),
            body: serde_json::from_slice(&body).unwrap_or_default(),
        };
        self.0.lock().unwrap().seen.push(seen.clone());
        match script(&seen) {
            Do::Answer => {}
            Do::Late(delay) => tokio::time::sleep(delay).await,
            Do::LoseAnswer => {
                self.0.lock().unwrap().done(&seen);
                std::future::pending::<()>().await;
            }
            Do::Hang => std::future::pending().await,
            Do::Refuse(code, message) => {
                return Ok(answer(
                    code,
                    &json!({"kind": "Status", "code": code, "message": message}),
                ));
            }
        }
        let (code, object) = self.0.lock().unwrap().done(&seen);
        Ok(answer(code, &object))
    }
}

fn answer(code: u16, object: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(object.to_string().into_bytes()));
    *response.status_mut() = StatusCode::from_u16(code).unwrap();
    response
}

impl Store {
    fn store(&mut self, path: &str, mut object: Value) -> String {
        self.version += 1;
        let version = self.version.to_string();
        let metadata = object["metadata"].as_object_mut().unwrap();
        metadata.insert("resourceVersion".to_owned(), version.clone().into());
        metadata
            .entry("uid")
            .or_insert_with(|| format!("uid-{version}").into());
        self.objects.insert(path.to_owned(), object);
        version
    }

    fn done(&mut self, seen: &Seen) -> (u16, Value) {
        let path = seen.path.trim_end_matches("/status");
        let held = self.objects.get(path).cloned();
        let stale = |held: &Value| {
            ["resourceVersion", "uid"]
                .iter()
                .any(|field| seen.body["metadata"][field] != held["metadata"][field])
        };
        match (&seen.method, held) {
            (&Method::POST, _) => {
                let path = format!("{path}/{}", seen.body["metadata"]["name"].as_str().unwrap());
                if self.objects.contains_key(&path) {
                    return (409, status(409));
                }
                self.store(&path, seen.body.clone());
                (201, self.objects[&path].clone())
            }
            (_, None) => (404, status(404)),
            (&Method::GET, Some(held)) => (200, held),
            (_, Some(held)) if stale(&held) => (409, status(409)),
            (&Method::PUT, Some(_)) => {
                self.store(path, seen.body.clone());
                (200, self.objects[path].clone())
            }
            (&Method::PATCH, Some(mut held)) => {
                held["status"] = seen.body["status"].clone();
                self.store(path, held);
                (200, self.objects[path].clone())
            }
            (_, Some(_)) => (405, status(405)),
        }
    }
}

fn status(code: u16) -> Value {
    json!({"kind": "Status", "code": code})
}
