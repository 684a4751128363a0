//! A writer, what is told to it, and what requests would get.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, Method};
use latchkey_core::{
    digest::{KeyHash, Pepper},
    object::ObjectName,
    publish::{SecretVersion, Subject, publish},
    time::UnixSeconds,
};
use latchkey_crds::credential::SecretKeyRef;
use latchkey_index::Index;
use latchkey_routing::{
    router::{Router, RouterConfig},
    table::{Action, Backend, Found, RequestView},
};
use latchkey_runtime::{readiness::Readiness, watch::Event};
use serde_json::{Map, Value, json};

use crate::{
    cluster::{
        kinds::{Scope, Watched},
        stats::WatchStats,
        writer::Writer,
    },
    object::Kind,
};

pub(super) struct Scene {
    pub(super) writer: Writer,
    pub(super) readiness: Readiness,
    pub(super) scope: Scope,
    /// Whether the last commit put routes in force.
    pub(super) serving: bool,
}

impl Scene {
    /// Nothing was heard yet; of these namespaces, or of all.
    pub(super) fn new(namespaces: &[&str]) -> Self {
        let scope = Scope {
            namespaces: namespaces.iter().map(|&name| name.to_owned()).collect(),
            pepper: ObjectName::new("system", "latchkey-pepper"),
        };
        let readiness = Readiness::default();
        let router = Router::new(RouterConfig {
            gateway_class: "latchkey".to_owned(),
            deny_unprotected: false,
        });
        let stats = Arc::new(WatchStats::new(&scope.watched()));
        Self {
            writer: Writer::new(&scope, stats, Index::new(1), router, &readiness),
            readiness,
            scope,
            serving: false,
        }
    }

    /// A whole cluster: `app.test/` protected by an AuthPolicy, and alice with a key, all in `shop`.
    pub(super) fn usual() -> Self {
        let mut scene = Self::new(&[]);
        for kind in scene.kinds() {
            scene.list(kind, None, usual(kind));
        }
        scene
    }

    /// All kinds that are watched, each once.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let mut kinds: Vec<_> = self.scope.watched().iter().map(|watched| watched.kind).collect();
        kinds.dedup();
        kinds
    }

    /// Tells what happened in a collection, and commits. The pepper's is the same from any namespace.
    pub(super) fn tell(
        &mut self,
        kind: Kind,
        namespace: Option<&str>,
        events: impl IntoIterator<Item = Event>,
    ) {
        let is = |held: &Watched| {
            held.kind == kind && (kind == Kind::Secret || held.collection.namespace.as_deref() == namespace)
        };
        let id = self.scope.watched().iter().position(is).unwrap();
        for event in events {
            self.writer.take(id, event);
        }
        self.serving = self.writer.commit();
        self.writer.pause();
    }

    /// A complete list.
    pub(super) fn list(&mut self, kind: Kind, namespace: Option<&str>, objects: Vec<Value>) {
        let listed = objects.into_iter().map(Event::Listed);
        let events = [Event::ListBegin]
            .into_iter()
            .chain(listed)
            .chain([Event::ListEnd]);
        self.tell(kind, namespace, events);
    }

    pub(super) fn applied(&mut self, kind: Kind, object: Value) {
        self.tell(kind, None, [Event::Applied(object)]);
    }

    pub(super) fn deleted(&mut self, kind: Kind, object: Value) {
        self.tell(kind, None, [Event::Deleted(object)]);
    }

    /// `open`, the username, or the reason why not.
    pub(super) fn ask(&self, path: &str, key: Option<&str>) -> String {
        let tables = self.writer.router().tables();
        let table = tables.load();
        let request = RequestView {
            method: &Method::GET,
            host: "app.test",
            path,
            query: None,
            headers: &HeaderMap::new(),
        };
        let (rule, protection) = match table.find(80, &request) {
            Found::Nothing => return "no_route".to_owned(),
            Found::Closed(reason, _) => return reason.as_str().to_owned(),
            Found::Rule(rule, protection) => (rule, protection),
        };
        if let Some(reason) = protection.closed {
            return reason.as_str().to_owned();
        }
        let snapshots = self.writer.index().snapshots();
        let snapshot = snapshots.load();
        let mut who = "open".to_owned();
        for policy in protection.checks() {
            let Some(key) = key else {
                return "no_credential".to_owned();
            };
            match snapshot.look_up(key.as_bytes(), &policy.admission, UnixSeconds(1_000)) {
                Ok(identity) => identity.consumer.name().clone_into(&mut who),
                Err(reason) => return reason.as_str().to_owned(),
            }
        }
        match &rule.action {
            Action::Fail(reason) => reason.as_str().to_owned(),
            Action::Redirect(_) => "redirect".to_owned(),
            Action::Forward(forward) => match forward.backends.pick(0) {
                Some(Backend::Endpoints(cell)) if cell.load().is_empty() => "no_endpoint".to_owned(),
                Some(Backend::Endpoints(_)) => who,
                Some(Backend::Invalid(reason)) => reason.as_str().to_owned(),
                None => "no_backend".to_owned(),
            },
        }
    }

    /// Present findings as `subject: reason`, sorted.
    pub(super) fn findings(&self) -> Vec<String> {
        let said = self.writer.findings().iter();
        let mut all: Vec<_> = said
            .map(|(subject, said)| format!("{subject}: {}", said.reason))
            .collect();
        all.sort();
        all
    }

    pub(super) fn undecodable(&self, kind: Kind) -> usize {
        self.writer.stats().of(kind).unwrap().undecodable.load(Relaxed)
    }

    pub(super) fn missing(&self, kind: Kind) -> usize {
        self.writer.stats().of(kind).unwrap().missing.load(Relaxed)
    }

    pub(super) fn corrections(&self) -> u64 {
        self.writer.stats().corrections.load(Relaxed)
    }

    pub(super) fn refused(&self) -> u64 {
        self.writer.stats().refused_blocks.load(Relaxed)
    }
}

/// A key of a consumer's, long enough.
pub(super) fn key(name: &str) -> String {
    format!("{name}-example-key-0123456789")
}

/// What the usual cluster holds of a kind.
pub(super) fn usual(kind: Kind) -> Vec<Value> {
    match kind {
        Kind::Consumer => vec![consumer("alice")],
        Kind::Credential => vec![credential("alice", "alice")],
        Kind::AuthPolicy => vec![policy("app")],
        Kind::Gateway => vec![json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": metadata("edge"),
            "spec": {
                "gatewayClassName": "latchkey",
                "listeners": [{"name": "http", "protocol": "HTTP", "port": 80}],
            },
        })],
        Kind::HttpRoute => vec![route("app", "/")],
        Kind::Service => vec![json!({
            "apiVersion": "v1", "kind": "Service", "metadata": metadata("echo"),
            "spec": {"ports": [{"name": "http", "port": 80, "targetPort": 80}]},
        })],
        Kind::EndpointSlice => vec![json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": {
                "namespace": "shop", "name": "echo", "uid": "uid of echo",
                "labels": {"kubernetes.io/service-name": "echo"},
            },
            "addressType": "IPv4",
            "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": true}}],
            "ports": [{"name": "http", "port": 80}],
        })],
        Kind::Secret => vec![peppers(&[("1", 7)])],
        Kind::ReferenceGrant | Kind::Namespace => Vec::new(),
    }
}

fn metadata(name: &str) -> Value {
    json!({
        "namespace": "shop", "name": name, "uid": format!("uid of {name}"), "resourceVersion": "1",
        "creationTimestamp": "1970-01-01T00:00:10Z",
    })
}

pub(super) fn consumer(name: &str) -> Value {
    json!({
        "apiVersion": "latchkey.dev/v1alpha1", "kind": "Consumer", "metadata": metadata(name), "spec": {},
    })
}

/// Of the consumer with its name, with the `sha256` of the key of `whose`.
pub(super) fn credential(name: &str, whose: &str) -> Value {
    let hash = KeyHash::of(key(whose).as_bytes());
    let hex: String = hash.0.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({
        "apiVersion": "latchkey.dev/v1alpha1", "kind": "Credential", "metadata": metadata(name),
        "spec": {"consumerRef": {"name": name}, "apiKey": {"sha256": hex}},
    })
}

/// What the operator writes for a Credential of this uid whose Secret `keys` holds the key of `whose`.
pub(super) fn block(uid: &str, whose: &str) -> Value {
    let source = SecretKeyRef {
        name: "keys".to_owned(),
        key: "k".to_owned(),
    };
    let subject = Subject {
        credential_uid: uid,
        source: &source,
    };
    let version = SecretVersion {
        uid: "uid of keys",
        resource_version: "1",
    };
    let pepper = Pepper::new("1", &[7; 32]);
    let block = publish(subject, version, key(whose).as_bytes(), &pepper, "operator");
    serde_json::to_value(block).unwrap()
}

/// The pepper Secret with these ids and bytes.
pub(super) fn peppers(ids: &[(&str, u8)]) -> Value {
    let data = ids
        .iter()
        .map(|(id, byte)| ((*id).to_owned(), json!(STANDARD.encode([*byte; 32]))));
    json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "system", "name": "latchkey-pepper"},
        "data": data.collect::<Map<_, _>>(),
    })
}

pub(super) fn route(name: &str, path: &str) -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": metadata(name),
        "spec": {
            "parentRefs": [{"name": "edge"}],
            "hostnames": ["app.test"],
            "rules": [{
                "matches": [{"path": {"type": "PathPrefix", "value": path}}],
                "backendRefs": [{"name": "echo", "port": 80}],
            }],
        },
    })
}

pub(super) fn policy(name: &str) -> Value {
    json!({
        "apiVersion": "latchkey.dev/v1alpha1", "kind": "AuthPolicy", "metadata": metadata(name),
        "spec": {
            "methods": [{"type": "APIKey"}],
            "targetRefs": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "name": name}],
        },
    })
}
