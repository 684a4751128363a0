//! Facts are read from objects as the API has them, and doubt closes.

use latchkey_core::{digest::KeyHash, object::ObjectName, time::UnixSeconds};
use latchkey_crds::{Consumer, Credential};
use serde_json::{Value, json};

use crate::object::{ConsumerFacts, CredentialFacts, KeySource};

fn credential(spec: &Value, status: &Value) -> CredentialFacts {
    let resource: Credential = serde_json::from_value(json!({
        "apiVersion": "latchkey.dev/v1alpha1",
        "kind": "Credential",
        "metadata": {
            "namespace": "team", "name": "c", "uid": "u-1",
            "creationTimestamp": "1970-01-01T00:01:00Z",
        },
        "spec": spec,
        "status": status,
    }))
    .unwrap();
    CredentialFacts::from_resource(&resource)
}

fn source(api_key: &Value) -> Option<KeySource> {
    credential(
        &json!({"consumerRef": {"name": "alice"}, "apiKey": api_key}),
        &Value::Null,
    )
    .source
}

#[test]
fn a_consumer_is_read_whole() {
    let resource: Consumer = serde_json::from_value(json!({
        "apiVersion": "latchkey.dev/v1alpha1",
        "kind": "Consumer",
        "metadata": {
            "namespace": "team", "name": "alice", "uid": "u-1",
            "deletionTimestamp": "1970-01-01T00:01:00Z",
        },
        "spec": {
            "username": "Alice", "customID": "42", "groups": ["a", "b"], "disabled": true,
            "expirationTime": "1970-01-01T00:00:01.9Z",
        },
    }))
    .unwrap();
    let facts = ConsumerFacts {
        name: ObjectName::new("team", "alice"),
        uid: "u-1".into(),
        username: "Alice".into(),
        custom_id: Some("42".into()),
        groups: vec!["a".into(), "b".into()],
        disabled: true,
        expires: Some(UnixSeconds(1)),
        terminating: true,
    };
    assert_eq!(ConsumerFacts::from_resource(&resource), facts);
}

#[test]
fn a_consumer_without_a_username_is_seen_by_its_name() {
    let mut resource = Consumer::new("alice", latchkey_crds::ConsumerSpec::default());
    resource.metadata.namespace = Some("team".into());
    assert_eq!(ConsumerFacts::from_resource(&resource).username, "alice");
}

#[test]
fn a_credential_is_read_whole_and_its_times_round_to_closed() {
    let sha256 = "00ff".repeat(16);
    let spec = json!({
        "consumerRef": {"name": "alice"},
        "apiKey": {"sha256": sha256},
        "disabled": true,
        "notBeforeTime": "1970-01-01T00:00:01.1Z",
        "expirationTime": "1970-01-01T00:00:09.9Z",
    });
    let facts = CredentialFacts {
        name: ObjectName::new("team", "c"),
        uid: "u-1".into(),
        created: UnixSeconds(60),
        consumer: "alice".into(),
        source: Some(KeySource::Sha256(KeyHash::from_hex(&sha256).unwrap())),
        disabled: true,
        not_before: Some(UnixSeconds(2)),
        expires: Some(UnixSeconds(9)),
        terminating: false,
    };
    assert_eq!(credential(&spec, &Value::Null), facts);
}

#[test]
fn a_secrets_key_comes_from_status() {
    let reference = json!({"name": "s", "key": "k"});
    let spec = json!({"consumerRef": {"name": "alice"}, "apiKey": {"secretKeyRef": reference}});
    let block = json!({
        "format": 1, "controllerName": "c", "pepperId": "1", "digest": "", "source": reference,
        "secretUid": "", "secretResourceVersion": "", "tag": "",
    });
    let facts = credential(&spec, &json!({"published": [block, block]}));
    let Some(KeySource::Published(source, blocks)) = facts.source else {
        panic!("no published source")
    };
    assert_eq!(
        (source.name.as_str(), source.key.as_str(), blocks.len()),
        ("s", "k", 2)
    );
}

#[test]
fn what_is_no_one_method_is_none() {
    let sha256 = "00ff".repeat(16);
    let reference = json!({"name": "s", "key": "k"});
    assert!(source(&json!({"sha256": sha256})).is_some());
    for unusable in [
        Value::Null,
        json!({}),
        json!({"sha256": "00ff"}),
        json!({"sha256": "zz".repeat(32)}),
        json!({"sha256": ""}),
        json!({"sha256": sha256, "secretKeyRef": reference}),
    ] {
        assert_eq!(source(&unusable), None, "{unusable}");
    }
}
