//! From a document to an object with an identity: kind, namespace and name, with what metadata
//! lacks filled in. Looks at nothing beyond `apiVersion`, `kind` and `metadata`.
//!
//! Three outcomes, and which one it is decides what a door does: an object whose identity is known,
//! one of a kind that is not ours to read (ignored), and a document that might be anything, so that
//! it may close a door.

use std::fmt;

use latchkey_core::object::ObjectName;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::parse::{Parsed, Problem};

/// The namespace of objects that name none.
pub const DEFAULT_NAMESPACE: &str = "default";
/// The `creationTimestamp` of objects that have none, so that their names decide who is the oldest.
const EPOCH: &str = "1970-01-01T00:00:00Z";
/// Under which object uids are made: a version 5 UUID of the API's domain.
const UID_NAMESPACE: Uuid = Uuid::NAMESPACE_DNS;

/// The kinds that standalone mode reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the Kubernetes kind of that name")]
pub enum Kind {
    Consumer,
    Credential,
    Secret,
    Gateway,
    HttpRoute,
    ReferenceGrant,
    AuthPolicy,
    Service,
    EndpointSlice,
    Namespace,
}

const KINDS: [(Kind, &str, &str, &[&str]); 10] = [
    (Kind::Consumer, "Consumer", "latchkey.dev", &["v1alpha1"]),
    (Kind::Credential, "Credential", "latchkey.dev", &["v1alpha1"]),
    (Kind::AuthPolicy, "AuthPolicy", "latchkey.dev", &["v1alpha1"]),
    (
        Kind::Gateway,
        "Gateway",
        "gateway.networking.k8s.io",
        &["v1", "v1beta1"],
    ),
    (
        Kind::HttpRoute,
        "HTTPRoute",
        "gateway.networking.k8s.io",
        &["v1", "v1beta1"],
    ),
    (
        Kind::ReferenceGrant,
        "ReferenceGrant",
        "gateway.networking.k8s.io",
        &["v1", "v1beta1"],
    ),
    (Kind::Secret, "Secret", "", &["v1"]),
    (Kind::Service, "Service", "", &["v1"]),
    (Kind::Namespace, "Namespace", "", &["v1"]),
    (Kind::EndpointSlice, "EndpointSlice", "discovery.k8s.io", &["v1"]),
];

impl Kind {
    /// As manifests spell it.
    pub fn as_str(self) -> &'static str {
        KINDS
            .iter()
            .find(|(kind, ..)| *kind == self)
            .map_or("", |(_, name, ..)| name)
    }

    /// Whether its absence may open a door: what closes by being there must not go by accident.
    pub fn shapes(self) -> bool {
        matches!(self, Self::AuthPolicy | Self::HttpRoute | Self::Gateway)
    }
}

/// What identifies an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// Its kind.
    pub kind: Kind,
    /// Namespace (empty for Namespaces) and name.
    pub name: ObjectName,
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Namespace => write!(f, "Namespace {}", self.name.name),
            kind => write!(f, "{} {}", kind.as_str(), self.name),
        }
    }
}

/// What a document is.
#[derive(Debug, PartialEq)]
pub enum Document {
    /// An object: its whole value, or why only its identity can be read.
    Object(ObjectKey, Result<Value, String>),
    /// Of a kind that this program does not read; says which.
    Ignored(String),
    /// It cannot be said which object it is, so that it may be one that closes a door.
    Unknown(String),
}

/// A document and where it stands.
#[derive(Debug, PartialEq)]
pub struct Placed {
    /// Number of the document in its file, and its first line.
    pub place: (usize, u64),
    /// What it is.
    pub document: Document,
}

impl Placed {
    /// The problem of a document that cannot be identified.
    pub fn problem(&self) -> Option<Problem> {
        match &self.document {
            Document::Unknown(message) => Some(Problem {
                place: Some(self.place),
                message: message.clone(),
            }),
            _ => None,
        }
    }
}

/// Identifies the documents of a file; lists (as `kubectl get -o yaml` prints) become their items.
pub fn identify(parsed: Vec<Parsed>) -> Vec<Placed> {
    let mut placed = Vec::with_capacity(parsed.len());
    for Parsed { number, line, value } in parsed {
        let place = (number, line);
        match items_of_list(value) {
            Ok(items) => placed.extend(items.into_iter().map(|item| Placed {
                place,
                document: identify_one(item),
            })),
            Err(value) => placed.push(Placed {
                place,
                document: identify_one(value),
            }),
        }
    }
    placed
}

/// The items of a `v1` List; the value itself if it is none.
fn items_of_list(value: Value) -> Result<Vec<Value>, Value> {
    match value {
        Value::Object(mut list) if list.get("kind").is_some_and(|kind| kind == "List") => {
            match list.remove("items") {
                Some(Value::Array(items)) => Ok(items),
                // Without its items it might have held anything.
                _ => Err(Value::Null),
            }
        }
        value => Err(value),
    }
}

fn identify_one(value: Value) -> Document {
    let Value::Object(mut object) = value else {
        return Document::Unknown(
            "not an object; a document begins with apiVersion, kind and metadata".to_owned(),
        );
    };
    let (Some(api_version), Some(kind)) = (text(&object, "apiVersion"), text(&object, "kind")) else {
        return Document::Unknown("apiVersion or kind is missing or no text; add both".to_owned());
    };
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let known = KINDS
        .iter()
        .find(|(_, name, of, _)| *name == kind && *of == group);
    let Some((kind, _, _, versions)) = known else {
        // Another group's kind cannot close a door of ours, but a misspelt one of ours can.
        return if group == latchkey_crds::GROUP {
            Document::Unknown(format!(
                "kind {:?} is none of {group}; use Consumer, Credential or AuthPolicy",
                shorten(kind)
            ))
        } else {
            Document::Ignored(format!("{}, kind {}", shorten(api_version), shorten(kind)))
        };
    };
    let (kind, wrong_version) = (*kind, !versions.contains(&version));
    let name = match name_of(kind, &object) {
        Ok(name) => name,
        Err(message) => return Document::Unknown(message),
    };
    let key = ObjectKey { kind, name };
    if wrong_version {
        let expected = [group, versions[0]].join("/");
        let message = format!(
            "apiVersion: this version reads {}",
            expected.trim_start_matches('/')
        );
        return Document::Object(key, Err(message));
    }
    complete(&key, &mut object);
    Document::Object(key, Ok(Value::Object(object)))
}

fn text<'o>(object: &'o Map<String, Value>, field: &str) -> Option<&'o str> {
    object.get(field).and_then(Value::as_str)
}

fn name_of(kind: Kind, object: &Map<String, Value>) -> Result<ObjectName, String> {
    let Some(Value::Object(metadata)) = object.get("metadata") else {
        return Err("metadata is missing or no mapping; add metadata.name".to_owned());
    };
    let name = text(metadata, "name").filter(|name| is_subdomain(name));
    let name = name.ok_or(
        "metadata.name is missing or no DNS name; use lower-case letters, digits, `-` and `.`, at most 253",
    )?;
    let namespace = match metadata.get("namespace") {
        _ if kind == Kind::Namespace => "",
        None | Some(Value::Null) => DEFAULT_NAMESPACE,
        Some(Value::String(namespace)) if is_label(namespace) => namespace,
        Some(_) => {
            return Err(
                "metadata.namespace is no DNS label; use lower-case letters, digits and `-`, at most 63"
                    .to_owned(),
            );
        }
    };
    Ok(ObjectName::new(namespace, name))
}

/// Fills in what an API server would have.
fn complete(key: &ObjectKey, object: &mut Map<String, Value>) {
    let Some(Value::Object(metadata)) = object.get_mut("metadata") else {
        return;
    };
    let mut fill = |field: &str, value: &dyn Fn() -> String| {
        let slot = metadata.entry(field).or_insert(Value::Null);
        if slot.is_null() {
            *slot = Value::String(value());
        }
    };
    if key.kind != Kind::Namespace {
        fill("namespace", &|| key.name.namespace.clone());
    }
    fill("uid", &|| uid(key).to_string());
    fill("creationTimestamp", &|| EPOCH.to_owned());
}

fn uid(key: &ObjectKey) -> Uuid {
    // A name or namespace holds no `/`, so that no two objects share a text.
    let text = format!("latchkey.dev/{}/{}", key.kind.as_str(), key.name);
    Uuid::new_v5(&UID_NAMESPACE, text.as_bytes())
}

/// RFC 1123 label, as the API server asks of namespaces.
fn is_label(text: &str) -> bool {
    (1..=63).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// RFC 1123 subdomain, as the API server asks of names. Its parts may be longer than a label.
fn is_subdomain(text: &str) -> bool {
    text.len() <= 253
        && text.split('.').all(|part| {
            !part.is_empty()
                && part
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
                && !part.starts_with('-')
                && !part.ends_with('-')
        })
}

/// A kind or version as far as a message needs it: what is pasted there by mistake may be long.
fn shorten(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(64).collect()
}

#[cfg(test)]
mod tests;
