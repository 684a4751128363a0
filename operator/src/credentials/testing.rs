//! Objects and small answers for tests.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use latchkey_core::{digest::Pepper, object::ObjectName};
use serde_json::{Value, json};

use super::{
    known::Known,
    secret::{Read, Secret},
};

pub(super) const KEY: &str = "correct-horse-battery";
/// Another one.
pub(super) const NEW_KEY: &str = "a-new-key-of-some-length";

pub(super) fn named(name: &str) -> ObjectName {
    ObjectName::new("shop", name)
}

pub(super) fn pepper(number: u8) -> Pepper {
    Pepper::new(format!("p{number}"), &[number; 32])
}

/// A point in time, in seconds after some other.
pub(super) fn time(seconds: i64) -> Time {
    Time(jiff::Timestamp::from_second(1_790_000_000 + seconds).unwrap())
}

/// `secretKeyRef` to the data key `key` of a Secret.
pub(super) fn by_secret(name: &str) -> Value {
    json!({"secretKeyRef": {"name": name, "key": "key"}})
}

pub(super) fn inline(key: &str) -> Value {
    let hash = latchkey_core::digest::KeyHash::of(key.as_bytes());
    let hex: String = hash.0.iter().map(|byte| format!("{byte:02x}")).collect();
    json!({"sha256": hex})
}

/// A Credential of the Consumer `alice`, created at second `created` of an hour.
pub(super) fn credential(name: &str, created: u32, api_key: &Value) -> Value {
    json!({
        "apiVersion": "latchkey.dev/v1alpha1", "kind": "Credential",
        "metadata": {
            "namespace": "shop", "name": name, "uid": format!("uid-{name}"), "generation": 1,
            "resourceVersion": "1", "creationTimestamp": format!("2026-11-30T12:00:{created:02}Z"),
        },
        "spec": {"consumerRef": {"name": "alice"}, "apiKey": api_key},
    })
}

pub(super) fn known(object: &Value) -> Known {
    Known::read(object.clone()).unwrap()
}

/// What an API server makes of a write of this status: merges it, and gives the object a version.
pub(super) fn written(object: &Value, status: &Value, version: &str) -> Value {
    let mut object = object.clone();
    for (field, value) in status.as_object().unwrap() {
        if value.is_null() {
            if let Some(status) = object["status"].as_object_mut() {
                status.remove(field);
            }
        } else {
            object["status"][field] = value.clone();
        }
    }
    object["metadata"]["resourceVersion"] = version.into();
    object
}

/// A Secret whose data key `key` holds this.
pub(super) fn secret(name: &str, version: &str, value: &[u8]) -> Value {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "namespace": "shop", "name": name, "uid": format!("uid-{name}"), "resourceVersion": version,
        },
        "data": {"key": STANDARD.encode(value)},
    })
}

pub(super) fn found(secret: &Value) -> Read {
    Read::Found(Secret::read(secret, "key"))
}

/// Status and reason of each condition in a status.
pub(super) fn said(status: &Value) -> String {
    let text = |condition: &Value, field: &str| condition[field].as_str().unwrap_or("?").to_owned();
    let conditions = status["conditions"].as_array().cloned().unwrap_or_default();
    let words = conditions.iter().map(|condition| {
        let [type_, status, reason] = ["type", "status", "reason"].map(|field| text(condition, field));
        format!("{type_}={status}/{reason}")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The Secret versions that a status publishes from, by pepper.
pub(super) fn published(status: &Value) -> Vec<(String, String)> {
    let blocks = status["published"].as_array().cloned().unwrap_or_default();
    let text = |block: &Value, field: &str| block[field].as_str().unwrap_or("?").to_owned();
    let pair = |block: &Value| (text(block, "pepperId"), text(block, "secretResourceVersion"));
    blocks.iter().map(pair).collect()
}
