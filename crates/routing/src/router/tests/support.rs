//! A world of objects and the answers that it gives, in a notation short enough to compare.

use std::{collections::BTreeMap, fmt::Write};

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use latchkey_core::object::ObjectName;
use serde_json::{Value, json};

use crate::{
    object::{Kind, Manifest},
    policy::Protection,
    router::{Commit, Finding, Router, RouterConfig},
    status::Status,
    table::{Action, Backend, Found, RequestView, RouteTable, Rule},
};

/// A router that is told of objects.
pub(super) struct World {
    pub(super) router: Router,
    /// Findings that are not resolved.
    pub(super) open: Vec<Finding>,
    /// What each object's status should say, as of the last commit.
    pub(super) statuses: BTreeMap<(Kind, ObjectName), Status>,
}

impl World {
    pub(super) fn new() -> Self {
        Self::with(false)
    }

    pub(super) fn with(deny_unprotected: bool) -> Self {
        let router = Router::new(RouterConfig {
            gateway_class: "latchkey".to_owned(),
            deny_unprotected,
        });
        Self {
            router,
            open: Vec::new(),
            statuses: BTreeMap::new(),
        }
    }

    /// With these objects, committed.
    pub(super) fn of(objects: impl IntoIterator<Item = Value>) -> Self {
        let mut world = Self::new();
        world.apply(objects);
        world
    }

    pub(super) fn apply(&mut self, objects: impl IntoIterator<Item = Value>) -> Commit {
        for object in objects {
            self.put(object);
        }
        self.commit()
    }

    pub(super) fn put(&mut self, object: Value) {
        let (kind, name) = identity(&object);
        self.router.apply(kind, &name, Manifest::Value(object));
    }

    pub(super) fn delete(&mut self, kind: Kind, name: &str) -> Commit {
        self.router.delete(kind, &full(name));
        self.commit()
    }

    pub(super) fn unreadable(&mut self, kind: Kind, name: &str) -> Commit {
        self.router.apply(kind, &full(name), Manifest::Unreadable);
        self.commit()
    }

    pub(super) fn commit(&mut self) -> Commit {
        let commit = self.router.commit();
        self.note_statuses();
        for finding in &commit.findings {
            let opened = Finding {
                resolved: false,
                ..finding.clone()
            };
            if finding.resolved {
                let at = self.open.iter().position(|open| *open == opened);
                self.open.remove(at.expect("only what was wrong gets right"));
            } else {
                assert!(!self.open.contains(&opened), "told twice: {opened:?}");
                self.open.push(opened);
            }
        }
        commit
    }

    /// Asks for all statuses, of which each that is another than before must have been named.
    fn note_statuses(&mut self) {
        let kinds = [Kind::Gateway, Kind::HttpRoute, Kind::AuthPolicy];
        let named = self.router.take_status_changes();
        let mut now = BTreeMap::new();
        for kind in kinds {
            for name in self.router.store.names(kind) {
                if let Some(status) = self.router.status(kind, &name) {
                    now.insert((kind, name), status);
                }
            }
        }
        for object in self.statuses.keys().chain(now.keys()) {
            let same = self.statuses.get(object) == now.get(object);
            assert!(same || named.contains(object), "{object:?} was not named");
        }
        self.statuses = now;
    }

    /// The answer to `GET http://host/path` on port 80.
    pub(super) fn get(&self, host: &str, path: &str) -> String {
        self.ask(80, &Ask::new(host, path))
    }

    pub(super) fn ask(&self, port: u16, ask: &Ask) -> String {
        let table = self.router.tables();
        let table = table.load();
        answer(&table, port, ask)
    }

    pub(super) fn reasons(&self, kind: Kind, name: &str) -> Vec<&'static str> {
        let name = full(name);
        let mut reasons: Vec<_> = self
            .open
            .iter()
            .filter(|finding| finding.kind == kind && finding.name == name)
            .map(|finding| finding.reason)
            .collect();
        reasons.sort_unstable();
        reasons
    }
}

/// A request.
#[derive(Clone, Debug)]
pub(super) struct Ask {
    pub(super) method: Method,
    pub(super) host: String,
    pub(super) path: String,
    pub(super) query: Option<String>,
    pub(super) headers: HeaderMap,
}

impl Ask {
    pub(super) fn new(host: &str, target: &str) -> Self {
        let (path, query) = target
            .split_once('?')
            .map_or((target, None), |(path, query)| (path, Some(query.to_owned())));
        Self {
            method: Method::GET,
            host: host.to_owned(),
            path: path.to_owned(),
            query,
            headers: HeaderMap::new(),
        }
    }

    pub(super) fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers
            .append(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    pub(super) fn view(&self) -> RequestView<'_> {
        RequestView {
            method: &self.method,
            host: &self.host,
            path: &self.path,
            query: self.query.as_deref(),
            headers: &self.headers,
        }
    }
}

/// What a table answers, in words: the reason of what is closed, or the route and what it does,
/// behind the policies that must pass.
pub(super) fn answer(table: &RouteTable, port: u16, ask: &Ask) -> String {
    match table.find(port, &ask.view()) {
        Found::Nothing => "nothing".to_owned(),
        Found::Closed(reason, route) => {
            let route = route.map_or(String::new(), |route| format!(" {}", route.name.name));
            format!("closed {}{route}", reason.as_str())
        }
        Found::Rule(rule, protection) => format!("{}{}", checks(&protection), action(rule)),
    }
}

fn checks(protection: &Protection<'_>) -> String {
    if let Some(reason) = protection.closed {
        return format!("{} > ", reason.as_str());
    }
    let mut text = String::new();
    for policy in protection.checks() {
        write!(text, "{} > ", policy.name.name).expect("a string can be written");
    }
    text
}

fn action(rule: &Rule) -> String {
    let route = &rule.route.name.name;
    match &rule.action {
        Action::Fail(reason) => format!("{route} fails {}", reason.as_str()),
        Action::Redirect(to) => format!("{route} redirects {}", to.redirect.status.as_u16()),
        Action::Forward(forward) => {
            let modifier = forward.request_headers.as_ref();
            let modifier = modifier.map_or(String::new(), |m| format!(" {m:?}"));
            let mut text = format!("{route}{modifier} ->");
            for (upto, backend) in &forward.backends.cumulative {
                match backend {
                    Backend::Endpoints(cell) => {
                        write!(text, " {upto}:{:?}", **cell.load()).expect("as above");
                    }
                    Backend::Invalid(reason) => {
                        write!(text, " {upto}:{}", reason.as_str()).expect("as above");
                    }
                }
            }
            text
        }
    }
}

/// `namespace/name`, or a name in namespace `default`.
pub(super) fn full(name: &str) -> ObjectName {
    match name.split_once('/') {
        Some((namespace, name)) => ObjectName::new(namespace, name),
        None => ObjectName::new("default", name),
    }
}

pub(super) fn identity(object: &Value) -> (Kind, ObjectName) {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str);
    let kind = match text("/kind").expect("a kind") {
        "Gateway" => Kind::Gateway,
        "HTTPRoute" => Kind::HttpRoute,
        "ReferenceGrant" => Kind::ReferenceGrant,
        "AuthPolicy" => Kind::AuthPolicy,
        "Service" => Kind::Service,
        "EndpointSlice" => Kind::EndpointSlice,
        "Namespace" => Kind::Namespace,
        other => panic!("unknown kind {other}"),
    };
    let namespace = text("/metadata/namespace").unwrap_or_default();
    let name = text("/metadata/name").expect("a name");
    (kind, ObjectName::new(namespace, name))
}

fn object(api: &str, kind: &str, name: &str, spec: &Value) -> Value {
    let name = full(name);
    json!({
        "apiVersion": api,
        "kind": kind,
        "metadata": {
            "namespace": name.namespace,
            "name": name.name,
            "uid": format!("{kind}-{name}"),
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": spec,
    })
}

/// A Gateway of our class.
pub(super) fn gateway(name: &str, listeners: &Value) -> Value {
    let spec = json!({ "gatewayClassName": "latchkey", "listeners": listeners });
    object("gateway.networking.k8s.io/v1", "Gateway", name, &spec)
}

/// A Gateway `gw` with one listener for all hosts and namespaces on port 80.
pub(super) fn plain_gateway() -> Value {
    gateway(
        "gw",
        &json!([{
            "name": "web", "port": 80, "protocol": "HTTP",
            "allowedRoutes": { "namespaces": { "from": "All" } },
        }]),
    )
}

/// An HTTPRoute attached to `default/gw`.
pub(super) fn route(name: &str, hostnames: &[&str], rules: &Value) -> Value {
    let spec = json!({
        "parentRefs": [{ "name": "gw", "namespace": "default" }],
        "hostnames": hostnames,
        "rules": rules,
    });
    object("gateway.networking.k8s.io/v1", "HTTPRoute", name, &spec)
}

/// A rule for a path prefix, with Service `svc`'s port 80 as backend.
pub(super) fn rule(prefix: &str) -> Value {
    json!({
        "matches": [{ "path": { "type": "PathPrefix", "value": prefix } }],
        "backendRefs": [{ "name": "svc", "port": 80 }],
    })
}

/// A Service with port 80, named `http`.
pub(super) fn service(name: &str) -> Value {
    let spec = json!({ "ports": [{ "name": "http", "port": 80, "targetPort": 8080 }] });
    object("v1", "Service", name, &spec)
}

/// A slice of a Service's ready endpoints on port 8080, named `http`.
pub(super) fn slice(name: &str, service: &str, addresses: &[&str]) -> Value {
    let mut slice = object("discovery.k8s.io/v1", "EndpointSlice", name, &Value::Null);
    slice["metadata"]["labels"] = json!({ "kubernetes.io/service-name": service });
    slice["addressType"] = json!("IPv4");
    slice["ports"] = json!([{ "name": "http", "port": 8080 }]);
    let endpoints = addresses
        .iter()
        .map(|address| json!({ "addresses": [address], "conditions": { "ready": true } }));
    slice["endpoints"] = endpoints.collect();
    slice
}

/// A reference to a target of an AuthPolicy; `Gateway/name/listener` for a listener.
pub(super) fn target(text: &str) -> Value {
    let mut parts = text.split('/');
    let mut target = json!({
        "group": "gateway.networking.k8s.io",
        "kind": parts.next(),
        "name": parts.next(),
    });
    if let Some(section) = parts.next() {
        target["sectionName"] = json!(section);
    }
    target
}

/// An AuthPolicy for API keys.
pub(super) fn policy(name: &str, targets: &[&str]) -> Value {
    let targets: Value = targets.iter().map(|text| target(text)).collect();
    let spec = json!({ "targetRefs": targets, "methods": [{ "type": "APIKey" }] });
    object("latchkey.dev/v1alpha1", "AuthPolicy", name, &spec)
}

/// An AuthPolicy that must pass in addition.
pub(super) fn override_policy(name: &str, targets: &[&str]) -> Value {
    let mut policy = policy(name, targets);
    policy["spec"]["override"] = json!(true);
    policy
}

/// A ReferenceGrant for HTTPRoutes of a namespace to all Services.
pub(super) fn grant(name: &str, from: &str) -> Value {
    let spec = json!({
        "from": [{ "group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": from }],
        "to": [{ "group": "", "kind": "Service" }],
    });
    object("gateway.networking.k8s.io/v1", "ReferenceGrant", name, &spec)
}

/// A Namespace.
pub(super) fn namespace(name: &str, labels: &Value) -> Value {
    json!({ "kind": "Namespace", "metadata": { "name": name, "labels": labels } })
}

/// The object, created at another time.
pub(super) fn created(mut object: Value, time: &str) -> Value {
    object["metadata"]["creationTimestamp"] = json!(time);
    object
}

/// A world that serves: the plain Gateway, and Service `svc` with one endpoint.
pub(super) fn base() -> Vec<Value> {
    vec![
        plain_gateway(),
        service("svc"),
        slice("svc-1", "svc", &["10.0.0.1"]),
    ]
}

/// How [`answer`] writes that a route sends requests to the endpoint of [`base`].
pub(super) fn sent_by(route: &str) -> String {
    format!("{route} -> 1:[10.0.0.1:8080]")
}
