use super::*;
use serde_json::json;

fn one(value: Value) -> Document {
    let parsed = Parsed {
        number: 1,
        line: 1,
        value,
    };
    identify(vec![parsed]).remove(0).document
}

fn object(value: Value) -> (ObjectKey, Value) {
    match one(value) {
        Document::Object(key, Ok(value)) => (key, value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_metadata_lacks_is_filled_in() {
    let (key, value) = object(json!({
        "apiVersion": "latchkey.dev/v1alpha1", "kind": "Consumer", "metadata": {"name": "alice"}
    }));
    assert_eq!(key.to_string(), "Consumer default/alice");
    assert_eq!(value["metadata"]["namespace"], "default");
    assert_eq!(value["metadata"]["creationTimestamp"], "1970-01-01T00:00:00Z");
    let uid = Uuid::parse_str(value["metadata"]["uid"].as_str().unwrap()).unwrap();
    assert_eq!(uid.get_version_num(), 5);
}

#[test]
fn what_metadata_holds_is_kept() {
    let metadata =
        json!({"name": "a", "namespace": "n", "uid": "u", "creationTimestamp": "2020-01-01T00:00:00Z"});
    let (_, value) = object(json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata}));
    assert_eq!(value["metadata"], metadata);
}

#[test]
fn uids_differ_by_kind_namespace_and_name_and_stay_the_same() {
    let uid_of = |kind: &str, namespace: &str, name: &str| {
        let (_, value) = object(json!({
            "apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": namespace}
        }));
        value["metadata"]["uid"].as_str().unwrap().to_owned()
    };
    let base = uid_of("Secret", "a", "b");
    assert_eq!(base, uid_of("Secret", "a", "b"));
    for other in [
        uid_of("Service", "a", "b"),
        uid_of("Secret", "b", "b"),
        uid_of("Secret", "a", "a"),
    ] {
        assert_ne!(base, other);
    }
}

#[test]
fn a_namespace_has_no_namespace() {
    let (key, value) = object(json!({
        "apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"a": "b"}}
    }));
    assert_eq!(key.name, ObjectName::new("", "shop"));
    assert_eq!(value["metadata"].get("namespace"), None);
}

#[test]
fn kinds_of_other_groups_are_ignored() {
    for (api_version, kind) in [
        ("apps/v1", "Deployment"),
        ("networking.istio.io/v1", "Gateway"),
        ("gateway.networking.k8s.io/v1", "GatewayClass"),
        ("kuadrant.io/v1", "AuthPolicy"),
    ] {
        let document = one(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}}));
        assert_eq!(document, Document::Ignored(format!("{api_version}, kind {kind}")));
    }
}

#[test]
fn what_cannot_be_identified_may_be_anything() {
    for (value, field) in [
        (json!("text"), "not an object"),
        (json!([]), "not an object"),
        (json!({}), "apiVersion or kind"),
        (
            json!({"apiVersion": "v1", "kind": "List", "items": {}}),
            "not an object",
        ),
        (json!({"kind": "AuthPolicy"}), "apiVersion or kind"),
        (json!({"apiVersion": "v1", "kind": 7}), "apiVersion or kind"),
        (
            json!({"apiVersion": "latchkey.dev/v1alpha1", "kind": "AuthPolcy"}),
            "AuthPolcy",
        ),
        (
            json!({"apiVersion": "v1", "kind": "Secret"}),
            "metadata is missing",
        ),
        (
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": "x"}),
            "metadata is missing",
        ),
        (
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {}}),
            "metadata.name",
        ),
        (
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"generateName": "x-"}}),
            "metadata.name",
        ),
        (
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "A"}}),
            "metadata.name",
        ),
        (
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a/b"}}),
            "metadata.name",
        ),
        (
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a\n"}}),
            "metadata.name",
        ),
        (
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": 1}}),
            "metadata.namespace",
        ),
        (
            json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "a.b"}}),
            "metadata.namespace",
        ),
    ] {
        match one(value.clone()) {
            Document::Unknown(message) => assert!(message.contains(field), "{value}: {message}"),
            other => panic!("{value}: {other:?}"),
        }
    }
}

#[test]
fn another_version_of_a_kind_of_ours_is_that_object_but_cannot_be_read() {
    let document = one(json!({
        "apiVersion": "latchkey.dev/v2", "kind": "AuthPolicy", "metadata": {"name": "p"}
    }));
    let Document::Object(key, Err(message)) = document else {
        panic!("{document:?}");
    };
    assert_eq!(key.to_string(), "AuthPolicy default/p");
    assert_eq!(message, "apiVersion: this version reads latchkey.dev/v1alpha1");
}

#[test]
fn a_list_is_its_items() {
    let item = |name: &str| json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}});
    let placed = identify(vec![Parsed {
        number: 3,
        line: 9,
        value: json!({"apiVersion": "v1", "kind": "List", "items": [item("a"), item("b"), {}]}),
    }]);
    assert_eq!(placed.len(), 3);
    assert!(placed.iter().all(|p| p.place == (3, 9)));
    assert!(matches!(&placed[2].document, Document::Unknown(_)));
}
