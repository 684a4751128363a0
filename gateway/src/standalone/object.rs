//! From a document to an object with an identity: kind, namespace and name, with what metadata
//! lacks filled in. Looks at nothing beyond `apiVersion`, `kind` and `metadata`.
//!
//! Three outcomes, and which one it is decides what a door does: an object whose identity is known,
//! one of a kind that is not ours to read (ignored), and a document that might be anything, so that
//! it may close a door.

use latchkey_core::object::ObjectName;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::parse::{Parsed, Problem};
use crate::object::{GATEWAY_GROUP, KINDS, Kind, ObjectKey};

/// The namespace of objects that name none.
pub const DEFAULT_NAMESPACE: &str = "default";
/// The `creationTimestamp` of objects that have none, so that their names decide who is the oldest.
const EPOCH: &str = "1970-01-01T00:00:00Z";
/// Under which object uids are made: a version 5 UUID of the API's domain.
const UID_NAMESPACE: Uuid = Uuid::NAMESPACE_DNS;
/// How deep a List may stand in Lists.
const MAX_LIST_DEPTH: usize = 4;
/// The longest kind that an API has.
const MAX_KIND: usize = 63;

/// Kinds of the Gateway API that are not read, and whose absence opens nothing here.
const UNREAD_GATEWAY_KINDS: [&str; 7] = [
    "GatewayClass",
    "GRPCRoute",
    "TLSRoute",
    "TCPRoute",
    "UDPRoute",
    "BackendTLSPolicy",
    "ListenerSet",
];

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

/// Identifies the documents of a file; Lists (as `kubectl get -o yaml` prints) become their items.
pub fn identify(parsed: Vec<Parsed>) -> Vec<Placed> {
    let mut placed = Vec::with_capacity(parsed.len());
    for Parsed { number, line, value } in parsed {
        unfold(value, 0, (number, line), &mut placed);
    }
    placed
}

/// `depth` is how many Lists the value stands in.
fn unfold(value: Value, depth: usize, place: (usize, u64), placed: &mut Vec<Placed>) {
    let document = match items_of_list(value) {
        Ok(items) if depth < MAX_LIST_DEPTH => {
            for item in items {
                unfold(item, depth + 1, place, placed);
            }
            return;
        }
        Ok(_) => Document::Unknown(format!(
            "Lists stand in Lists more than {MAX_LIST_DEPTH} deep; write their items as documents"
        )),
        Err(value) => identify_one(value),
    };
    placed.push(Placed { place, document });
}

/// The items of a `v1` List; the value itself if it is none.
fn items_of_list(value: Value) -> Result<Vec<Value>, Value> {
    match value {
        Value::Object(mut list)
            if text(&list, "kind") == Some("List") && text(&list, "apiVersion") == Some("v1") =>
        {
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
    let (group, version) = split(api_version);
    let known = KINDS
        .iter()
        .find(|(_, name, of, _)| *name == kind && *of == group);
    let Some((kind, _, _, versions)) = known else {
        return not_read(api_version, kind);
    };
    let (kind, wrong_version) = (*kind, !versions.contains(&version));
    let name = match name_of(kind, &object) {
        Ok(name) => name,
        Err(message) => return Document::Unknown(message),
    };
    let key = ObjectKey { kind, name };
    if wrong_version {
        let message = format!("apiVersion: this version reads {}", kind.api_version());
        return Document::Object(key, Err(message));
    }
    complete(&key, &mut object);
    Document::Object(key, Ok(Value::Object(object)))
}

/// A document whose apiVersion and kind are together none that is read. Another API's kind closes no
/// door, but a misspelt one of ours does: only what can be no slip of the pen is passed over.
fn not_read(api_version: &str, kind: &str) -> Document {
    let (group, version) = split(api_version);
    let folded = group.trim().to_ascii_lowercase();
    if folded == latchkey_crds::GROUP {
        return Document::Unknown(format!(
            "{} is none of {}; use Consumer, Credential or AuthPolicy",
            shown(kind),
            latchkey_crds::GROUP
        ));
    }
    if folded == GATEWAY_GROUP && !UNREAD_GATEWAY_KINDS.contains(&kind) {
        return Document::Unknown(format!(
            "{} is none of {GATEWAY_GROUP}; use Gateway, HTTPRoute or ReferenceGrant",
            shown(kind)
        ));
    }
    let resembled = KINDS
        .iter()
        .find(|(ours, name, ..)| ours.shapes() && name.eq_ignore_ascii_case(kind.trim()));
    if let Some((ours, name, ..)) = resembled {
        return Document::Unknown(format!(
            "it may be meant as {name} of {}; correct apiVersion and kind, or move it out of the folder",
            ours.api_version()
        ));
    }
    if kind.trim().eq_ignore_ascii_case("List") {
        return Document::Unknown("a List has apiVersion v1 and kind List; correct them".to_owned());
    }
    if !is_group_version(group, version) || !is_kind(kind) {
        return Document::Unknown(
            "apiVersion or kind is none that an API has; correct it, or move it out of the folder".to_owned(),
        );
    }
    Document::Ignored(format!("{api_version}, {}", shown(kind)))
}

/// Group and version.
fn split(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// Whether an API may have these. The core group, which has no name, has only `v1`.
fn is_group_version(group: &str, version: &str) -> bool {
    if group.is_empty() {
        return version == "v1";
    }
    let Some(numbers) = version.strip_prefix('v') else {
        return false;
    };
    let mut numbers = ["alpha", "beta"]
        .iter()
        .find_map(|stage| numbers.split_once(stage))
        .map_or([numbers, "1"], |(major, minor)| [major, minor])
        .into_iter();
    is_subdomain(group) && numbers.all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether an API may have this kind.
fn is_kind(kind: &str) -> bool {
    kind.len() <= MAX_KIND
        && kind.starts_with(|c: char| c.is_ascii_alphabetic())
        && kind.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// A kind as a message may show it: what was pasted there by mistake may be a key.
fn shown(kind: &str) -> String {
    if (1..=MAX_KIND).contains(&kind.len()) && kind.bytes().all(|b| b.is_ascii_alphabetic()) {
        format!("kind {kind}")
    } else {
        "a kind that is no plain word".to_owned()
    }
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

#[cfg(test)]
mod tests;
