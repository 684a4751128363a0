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
        ("v1", "ConfigMap"),
        ("apps/v1", "Deployment"),
        ("networking.istio.io/v1alpha3", "VirtualService"),
        ("example.com/v2beta12", "Thing"),
        ("gateway.networking.k8s.io/v1", "GatewayClass"),
        ("gateway.networking.k8s.io/v1alpha2", "TLSRoute"),
    ] {
        let document = one(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}}));
        assert_eq!(document, Document::Ignored(format!("{api_version}, kind {kind}")));
    }
}

#[test]
fn what_may_be_a_slip_of_the_pen_is_not_ignored() {
    for (api_version, kind) in [
        ("latchkey.dev", "AuthPolicy"),
        ("v1alpha1", "AuthPolicy"),
        ("v1", "AuthPolicy"),
        ("", "AuthPolicy"),
        ("Latchkey.dev/v1alpha1", "AuthPolicy"),
        (" latchkey.dev/v1alpha1", "AuthPolicy"),
        ("latchkey.dev /v1alpha1", "AuthPolcy"),
        ("latchkey.io/v1alpha1", "AuthPolicy"),
        ("latchkey.io/v1alpha1", "authpolicy"),
        ("latchkey.io/v1alpha1", " AuthPolicy\n"),
        ("networking.k8s.io/v1", "Gateway"),
        ("networking.k8s.io/v1", "HttpRoute"),
        ("gateway.networking.k8s.io/v1", "HTTPRout"),
        ("Gateway.networking.k8s.io/v1", "GatewayClas"),
        ("latchkey.dev", "AuthPolcy"),
        ("v1alpha1", "AuthPolcy"),
        ("latchkey.io/", "AuthPolcy"),
        ("latchkey.io/vialpha1", "AuthPolcy"),
        ("latchkey.io/v1alpha1/x", "AuthPolcy"),
        ("latchkey.io/v1alpha1", "Auth Policy"),
        ("latchkey.io/v1alpha1", "\u{410}uthPolicy"),
        ("latchkey.dev/v1alpha1", "List"),
        ("v2", "List"),
        ("v1", "list"),
    ] {
        let document = one(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}}));
        assert!(
            matches!(document, Document::Unknown(_)),
            "{api_version:?} {kind:?}: {document:?}"
        );
    }
}

#[test]
fn a_kind_that_is_no_plain_word_is_not_shown() {
    let long = "a".repeat(64);
    for kind in ["hunter2", "hunter-hunter", "hunter hunter", &long] {
        for api_version in [
            "v1",
            "apps/v1",
            "latchkey.dev/v1alpha1",
            "gateway.networking.k8s.io/v1",
            "x",
        ] {
            let document = one(json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}}));
            let (Document::Unknown(message) | Document::Ignored(message)) = document else {
                panic!("{document:?}");
            };
            assert!(!message.contains(kind), "{message}");
        }
    }
    let document = one(json!({"apiVersion": "hunter2", "kind": "Thing", "metadata": {"name": "x"}}));
    assert!(!format!("{document:?}").contains("hunter2"), "{document:?}");
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

#[test]
fn lists_in_lists_are_unfolded_to_a_depth() {
    let policy =
        json!({"apiVersion": "latchkey.dev/v1alpha1", "kind": "AuthPolicy", "metadata": {"name": "p"}});
    let list = |item: Value| json!({"apiVersion": "v1", "kind": "List", "items": [item]});
    let mut value = policy;
    for _ in 0..MAX_LIST_DEPTH {
        value = list(value);
        let (key, _) = object(value.clone());
        assert_eq!(key.to_string(), "AuthPolicy default/p");
    }
    let document = one(list(value));
    assert!(matches!(document, Document::Unknown(_)), "{document:?}");
}
