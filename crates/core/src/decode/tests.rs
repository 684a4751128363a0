use latchkey_crds::{AuthPolicy, Consumer, Credential};
use proptest::prelude::*;
use serde_json::json;

use super::*;

/// Stands for a secret that somebody pasted into the wrong place.
const PASTED: &str = "hunter2-hunter2-hunter2";

fn credential(spec: &Value) -> Value {
    json!({
        "apiVersion": "latchkey.dev/v1alpha1",
        "kind": "Credential",
        "metadata": { "namespace": "shop", "name": "alice" },
        "spec": spec,
    })
}

#[test]
fn a_whole_object_is_read() {
    let value = credential(&json!({
        "consumerRef": { "name": "alice" },
        "expirationTime": "2030-01-31T12:00:00Z",
        "apiKey": { "secretKeyRef": { "name": "alice-key", "key": "key" } },
    }));
    let credential: Credential = decode(&value).unwrap();
    assert_eq!(credential.metadata.name.as_deref(), Some("alice"));
    assert_eq!(credential.spec.consumer_ref.name, "alice");
    assert!(credential.spec.expiration_time.is_some());
}

#[test]
fn what_a_newer_version_wrote_into_status_does_not_matter() {
    let mut value = credential(&json!({ "consumerRef": { "name": "alice" } }));
    value["status"] = json!({ "observedGeneration": 1, "fromTheFuture": true });
    assert!(decode::<Credential>(&value).is_ok());
}

#[test]
fn errors_name_the_field_and_the_remedy_and_never_the_value() {
    let apply = |spec: &Value| decode::<Credential>(&credential(spec)).unwrap_err();
    let consumer = json!({ "name": "alice" });
    for (spec, field, message) in [
        (json!({}), "spec.consumerRef", "is missing; add it"),
        (
            json!({ "consumerRef": {} }),
            "spec.consumerRef.name",
            "is missing; add it",
        ),
        (
            json!({ "consumerRef": PASTED }),
            "spec.consumerRef",
            "is text; give a mapping of fields",
        ),
        (
            json!({ "consumerRef": [PASTED] }),
            "spec.consumerRef",
            "is a list; give a mapping of fields",
        ),
        (
            json!({ "consumerRef": { "name": 5 } }),
            "spec.consumerRef.name",
            "is a number; give a string",
        ),
        (
            json!({ "consumerRef": consumer, "disabled": PASTED }),
            "spec.disabled",
            "is text; give a boolean",
        ),
        (
            json!({ "consumerRef": consumer, "apiKey": { "secret": PASTED } }),
            "spec.apiKey.secret",
            "`secret` is no field of this version; correct or remove it (there is: secretKeyRef, sha256)",
        ),
        (
            json!({ "consumerRef": consumer, "expirationTime": PASTED }),
            "spec.expirationTime",
            "is no time; write it like 2030-01-31T12:00:00Z (RFC 3339)",
        ),
        (
            json!({ "consumerRef": consumer, "notBeforeTime": 1700000000 }),
            "spec.notBeforeTime",
            "is no time; write it like 2030-01-31T12:00:00Z (RFC 3339)",
        ),
        (
            json!({ "consumerRef": consumer, "expirationTime": "9999-12-31T23:59:59Z" }),
            "spec.expirationTime",
            "must lie between 0001-01-01 and 9999-12-30; leave it out for never",
        ),
        (
            json!({ "consumerRef": consumer, "notBeforeTime": "0000-01-01T00:00:00Z" }),
            "spec.notBeforeTime",
            "must lie between 0001-01-01 and 9999-12-30; leave it out for never",
        ),
        (
            json!({ "consumerRef": consumer, "expirationTime": "2030-01-31T12:00:00.0123456789Z" }),
            "spec.expirationTime",
            "has more than nine digits of a second's fraction; write whole seconds",
        ),
    ] {
        let error = apply(&spec);
        assert_eq!((error.field(), error.message()), (field, message));
        assert!(!format!("{error} {error:?}").contains(PASTED));
    }
}

#[test]
fn an_object_that_is_no_mapping_is_an_error_of_the_whole() {
    for value in [json!(null), json!(PASTED), json!([PASTED]), json!(1.5)] {
        let error = decode::<Consumer>(&value).unwrap_err();
        assert_eq!(error.field(), "");
        assert!(!error.to_string().contains(PASTED));
    }
}

#[test]
fn an_unknown_word_is_answered_with_the_known_ones() {
    let value = json!({ "metadata": {}, "spec": { "methods": [{ "type": PASTED }] } });
    let error = decode::<AuthPolicy>(&value).unwrap_err();
    assert_eq!(error.field(), "spec.methods[0].type");
    assert_eq!(
        error.message(),
        "is no value of this version; use one of: APIKey, Anonymous"
    );
}

#[test]
fn a_key_in_the_place_of_a_fields_name_is_not_shown() {
    let consumer = json!({ "name": "alice" });
    let pasted = |mut object: Value| {
        object[PASTED] = json!(1);
        object
    };
    let mut labelled = credential(&json!({ "consumerRef": consumer }));
    labelled["metadata"]["labels"] = pasted(json!({}));
    let cases = [
        (credential(&pasted(json!({ "consumerRef": consumer }))), "spec"),
        (
            credential(&json!({ "consumerRef": consumer, "apiKey": pasted(json!({})) })),
            "spec.apiKey",
        ),
        (labelled, "metadata.labels"),
    ];
    for (value, field) in cases {
        let error = decode::<Credential>(&value).unwrap_err();
        assert_eq!(error.field(), field, "{error}");
        assert!(!format!("{error} {error:?}").contains(PASTED), "{error}");
    }
}

#[test]
fn the_name_of_an_unknown_field_is_shown_if_it_is_a_short_word() {
    for name in [
        "a",
        "Key",
        "sha265",
        "abc123abc123abc",
        "secretRef",
        "targetRefsOfThePolicyOfMine",
    ] {
        assert_eq!(shown_field(name), Some(name));
    }
    for name in [
        "",
        "sk_live",
        "abc123abc123abc1",
        "Abcdefghijklmnop",
        "a\n",
        "clé",
        "a b",
        "a.b",
        &"a".repeat(33),
    ] {
        assert_eq!(shown_field(name), None, "{name:?}");
    }
}

#[test]
fn a_policy_without_methods_is_refused_in_files_too() {
    let value = json!({ "metadata": {}, "spec": { "methods": [] } });
    assert_eq!(decode::<AuthPolicy>(&value).unwrap_err().field(), "spec.methods");
}

#[test]
fn a_null_field_is_absent() {
    let value = credential(&json!({
        "consumerRef": { "name": "alice" },
        "disabled": null,
        "expirationTime": null,
        "apiKey": null,
    }));
    let spec = decode::<Credential>(&value).unwrap().spec;
    assert!(!spec.disabled && spec.expiration_time.is_none() && spec.api_key.is_none());
    let unknown = credential(&json!({ "consumerRef": { "name": "alice" }, "apikey": null }));
    assert!(
        decode::<Credential>(&unknown).is_err(),
        "an unknown one is unknown all the same"
    );
    let required = credential(&json!({ "consumerRef": null }));
    assert_eq!(
        decode::<Credential>(&required).unwrap_err().field(),
        "spec.consumerRef"
    );
}

#[test]
fn all_broken_rules_are_named() {
    let value = json!({ "metadata": {}, "spec": { "username": "", "customID": "a\n", "groups": ["a,b"] } });
    let error = decode::<Consumer>(&value).unwrap_err();
    let fields: Vec<_> = error
        .violations()
        .map(|violation| violation.field.as_str())
        .collect();
    assert_eq!(fields, ["spec.username", "spec.customID", "spec.groups[0]"]);
    for field in fields {
        assert!(error.to_string().contains(field), "{error}");
    }
}

/// Any JSON, in which every text holds the marker.
fn marked() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(json!(PASTED)),
        "[ -~]{0,8}".prop_map(|text| json!(format!("{text}{PASTED}, expected one of `{text}`"))),
    ];
    let name = proptest::sample::select(vec![
        "consumerRef",
        "name",
        "apiKey",
        "secretKeyRef",
        "key",
        "sha256",
        "disabled",
        "expirationTime",
        "notBeforeTime",
        "username",
        "groups",
        "targetRefs",
        "methods",
        "type",
        "extractFrom",
        "header",
        "x",
        PASTED,
    ]);
    leaf.prop_recursive(4, 40, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((name.clone(), inner), 0..4).prop_map(|fields| fields
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn no_error_ever_shows_a_value(spec in marked()) {
        let value = json!({ "metadata": { "name": "sample" }, "spec": spec });
        let errors = [
            decode::<Consumer>(&value).err(),
            decode::<Credential>(&value).err(),
            decode::<AuthPolicy>(&value).err(),
            decode::<Consumer>(&value["spec"]).err(),
        ];
        for error in errors.into_iter().flatten() {
            let shown = format!("{error} {error:?}");
            prop_assert!(!shown.contains(PASTED), "{shown}");
            prop_assert!(!error.message().is_empty());
        }
    }
}
