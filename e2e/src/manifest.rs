//! Builders of the manifests that a user would write. They fill in nothing that a user could leave
//! out, and never check anything: broken ones are made with the same calls.

use std::net::SocketAddr;

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use crate::keys;

/// One object.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifest(Value);

impl Manifest {
    /// Any object.
    pub fn new(api_version: &str, kind: &str, name: &str) -> Self {
        Self(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}}))
    }

    /// Sets what a dotted path names (`spec.methods.0.type`); maps on the way are made.
    pub fn set(mut self, path: &str, value: impl Into<Value>) -> Self {
        let mut place = &mut self.0;
        for part in path.split('.') {
            place = match (part.parse::<usize>(), place) {
                (Ok(index), Value::Array(items)) => {
                    if index == items.len() {
                        items.push(Value::Null);
                    }
                    &mut items[index]
                }
                (_, place) => {
                    if !place.is_object() {
                        *place = Value::Object(Map::new());
                    }
                    &mut place[part]
                }
            };
        }
        *place = value.into();
        self
    }

    /// Sets a label or whatever else has dots in its name.
    pub fn set_at(mut self, pointer: &str, name: &str, value: impl Into<Value>) -> Self {
        let parent = self
            .0
            .pointer_mut(pointer)
            .unwrap_or_else(|| panic!("no {pointer} to set {name} in"));
        parent[name] = value.into();
        self
    }

    /// Takes away what a dotted path names.
    pub fn unset(mut self, path: &str) -> Self {
        let (parent, name) = path.rsplit_once('.').expect("a path inside of the object");
        if let Some(Value::Object(members)) = self.0.pointer_mut(&format!("/{}", parent.replace('.', "/"))) {
            members.remove(name);
        }
        self
    }

    /// Its namespace; `default` where none is set.
    pub fn namespace(self, namespace: &str) -> Self {
        self.set("metadata.namespace", namespace)
    }

    /// Its creationTimestamp.
    pub fn created(self, time: &str) -> Self {
        self.set("metadata.creationTimestamp", time)
    }

    /// Marks it as being deleted.
    pub fn terminating(self) -> Self {
        self.set("metadata.deletionTimestamp", "2026-01-01T00:00:00Z")
    }

    /// A Credential: its key lies in the data key `key` of a Secret.
    pub fn secret_ref(self, secret: &str) -> Self {
        self.set(
            "spec.apiKey",
            json!({"secretKeyRef": {"name": secret, "key": "key"}}),
        )
    }

    /// A Credential: the hash of its key.
    pub fn sha256(self, key: &str) -> Self {
        self.set("spec.apiKey", json!({"sha256": keys::sha256(key)}))
    }

    /// An HTTPRoute: its only rule sends everything to port 80 of a Service.
    pub fn backend(self, service: &str) -> Self {
        self.set(
            "spec.rules",
            json!([{"backendRefs": [{"name": service, "port": 80}]}]),
        )
    }

    /// An AuthPolicy: one more target.
    pub fn target(mut self, kind: &str, name: &str) -> Self {
        let target = json!({"group": "gateway.networking.k8s.io", "kind": kind, "name": name});
        match self.0.pointer_mut("/spec/targetRefs") {
            Some(Value::Array(targets)) => targets.push(target),
            _ => return self.set("spec.targetRefs", json!([target])),
        }
        self
    }

    /// An AuthPolicy: where its keys may stand instead of in `X-API-Key`.
    pub fn places(self, places: &Value) -> Self {
        self.set(
            "spec.methods",
            json!([{"type": "APIKey", "apiKey": {"extractFrom": places}}]),
        )
    }

    /// Its kind's group and version.
    pub fn api_version(&self) -> &str {
        self.text("/apiVersion")
    }

    /// Its kind.
    pub fn kind(&self) -> &str {
        self.text("/kind")
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.text("/metadata/name")
    }

    /// The namespace it names.
    pub fn namespace_name(&self) -> Option<&str> {
        self.0.pointer("/metadata/namespace").and_then(Value::as_str)
    }

    fn text(&self, pointer: &str) -> &str {
        self.0
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// The object.
    pub fn json(&self) -> &Value {
        &self.0
    }

    /// The document.
    pub fn yaml(&self) -> String {
        crate::yaml::document(&self.0)
    }
}

impl From<Value> for Manifest {
    fn from(object: Value) -> Self {
        Self(object)
    }
}

/// A Consumer.
pub fn consumer(name: &str) -> Manifest {
    Manifest::new("latchkey.dev/v1alpha1", "Consumer", name).set("spec", json!({}))
}

/// A Credential without a method.
pub fn credential(name: &str, consumer: &str) -> Manifest {
    Manifest::new("latchkey.dev/v1alpha1", "Credential", name).set("spec.consumerRef.name", consumer)
}

/// A Secret whose data key `key` is this text.
pub fn secret(name: &str, key: &str) -> Manifest {
    Manifest::new("v1", "Secret", name).set("stringData", json!({"key": key}))
}

/// A Secret whose data key `key` is these bytes.
pub fn secret_of_bytes(name: &str, key: &[u8]) -> Manifest {
    Manifest::new("v1", "Secret", name).set("data", json!({"key": STANDARD.encode(key)}))
}

/// A Gateway with one HTTP listener that takes routes of all namespaces.
pub fn gateway(name: &str, port: u16) -> Manifest {
    Manifest::new("gateway.networking.k8s.io/v1", "Gateway", name)
        .set("spec.gatewayClassName", "latchkey")
        .set(
            "spec.listeners",
            json!([{
                "name": "http", "port": port, "protocol": "HTTP",
                "allowedRoutes": {"namespaces": {"from": "All"}},
            }]),
        )
}

/// An HTTPRoute of one hostname, without a backend.
pub fn http_route(name: &str, gateway: &str, host: &str) -> Manifest {
    Manifest::new("gateway.networking.k8s.io/v1", "HTTPRoute", name)
        .set("spec.parentRefs", json!([{"name": gateway}]))
        .set("spec.hostnames", json!([host]))
        .set("spec.rules", json!([{}]))
}

/// A Service with a port 80 named `http`.
pub fn service(name: &str) -> Manifest {
    Manifest::new("v1", "Service", name).set(
        "spec.ports",
        json!([{"name": "http", "port": 80, "protocol": "TCP", "targetPort": 80}]),
    )
}

/// An EndpointSlice of a Service with one ready endpoint.
pub fn endpoint_slice(name: &str, service: &str, endpoint: SocketAddr) -> Manifest {
    Manifest::new("discovery.k8s.io/v1", "EndpointSlice", name)
        .set("metadata.labels", json!({"kubernetes.io/service-name": service}))
        .set("addressType", if endpoint.is_ipv6() { "IPv6" } else { "IPv4" })
        .set(
            "endpoints",
            json!([{"addresses": [endpoint.ip()], "conditions": {"ready": true}}]),
        )
        .set(
            "ports",
            json!([{"name": "http", "port": endpoint.port(), "protocol": "TCP"}]),
        )
}

/// An AuthPolicy that asks for an API key in the default place, without a target.
pub fn auth_policy(name: &str) -> Manifest {
    Manifest::new("latchkey.dev/v1alpha1", "AuthPolicy", name)
        .set("spec.methods", json!([{"type": "APIKey"}]))
}
