//! The manifests on disk, and what an API server asks of a structural schema.

use std::{collections::BTreeSet, fs, path::Path};

use latchkey_crds::manifests;
use serde_json::Value;

/// Keywords that our schemas may use: all of them stand in structural schemas.
const KEYWORDS: &[&str] = &[
    "default",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "minLength",
    "nullable",
    "properties",
    "required",
    "title",
    "type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-validations",
];

/// Formats that API servers know; they warn of others.
const FORMATS: &[&str] = &["date-time", "int32", "int64"];

#[test]
fn the_committed_manifests_are_what_the_types_say() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests");
    let mut expected = BTreeSet::new();
    for definition in manifests::definitions() {
        let name = manifests::file_name(&definition);
        let committed = fs::read_to_string(dir.join(&name)).unwrap();
        let generated = manifests::yaml(&definition).unwrap();
        assert!(
            committed == generated,
            "{name} is out of date; run crdgen --write"
        );
        expected.insert(name);
    }
    let found: BTreeSet<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn yaml_says_the_same_as_the_definition() {
    for definition in manifests::definitions() {
        let text = manifests::yaml(&definition).unwrap();
        let read: Value = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(read, serde_json::to_value(&definition).unwrap());
    }
}

/// An API server fills defaults into objects that are there already, and a program of an older version takes
/// a field that it does not know for a mistake: the new CRD would close all of its routes.
#[test]
fn only_fields_of_the_first_version_have_defaults_in_the_schema() {
    let mut found = Vec::new();
    for definition in manifests::definitions() {
        let schema = definition.spec.versions[0].schema.clone();
        let schema = serde_json::to_value(schema.and_then(|schema| schema.open_api_v3_schema)).unwrap();
        each_schema(&schema, &definition.spec.names.kind, &mut |schema, path| {
            if schema.get("default").is_some() {
                found.push(path.to_owned());
            }
        });
    }
    found.sort_unstable();
    let first = [
        "AuthPolicy.spec.hideCredentials",
        "AuthPolicy.spec.override",
        "Consumer.spec.disabled",
        "Credential.spec.disabled",
    ];
    assert_eq!(found, first);
}

#[test]
fn schemas_are_structural_explained_and_never_nullable_under_spec() {
    for definition in manifests::definitions() {
        let schema = definition.spec.versions[0]
            .schema
            .clone()
            .and_then(|schema| schema.open_api_v3_schema);
        let schema = serde_json::to_value(schema).unwrap();
        each_schema(&schema, &definition.spec.names.kind, &mut |schema, path| {
            for keyword in schema.as_object().unwrap().keys() {
                assert!(KEYWORDS.contains(&keyword.as_str()), "{path}: {keyword}");
            }
            assert!(schema["type"].is_string(), "{path} has no type");
            assert_eq!(
                schema["type"] == "object",
                schema["properties"].is_object(),
                "{path}"
            );
            assert_eq!(schema["type"] == "array", schema["items"].is_object(), "{path}");
            if let Some(format) = schema["format"].as_str() {
                assert!(FORMATS.contains(&format), "{path}: {format}");
            }
            // Items are explained where their list is.
            assert!(
                path.ends_with("[]") || schema["description"].is_string(),
                "{path} is not explained"
            );
            assert!(
                !schema["description"].as_str().unwrap_or_default().contains('\n'),
                "{path}"
            );
            assert!(
                !path.contains(".spec.") || schema.get("nullable").is_none(),
                "{path} is nullable"
            );
        });
    }
}

#[test]
fn every_text_and_list_that_a_rule_may_see_is_limited() {
    for definition in manifests::definitions() {
        let schema = definition.spec.versions[0]
            .schema
            .clone()
            .and_then(|schema| schema.open_api_v3_schema);
        let schema = serde_json::to_value(schema).unwrap();
        each_schema(&schema["properties"]["spec"], "spec", &mut |schema, path| {
            let limited = schema["maxLength"].is_u64()
                || schema["maxItems"].is_u64()
                || schema["enum"].is_array()
                || schema["format"].is_string();
            let needs = schema["type"] == "string" || schema["type"] == "array";
            assert!(
                limited || !needs,
                "{} {path} has no limit",
                definition.spec.names.kind
            );
        });
    }
}

fn each_schema(schema: &Value, path: &str, visit: &mut impl FnMut(&Value, &str)) {
    visit(schema, path);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        each_schema(property, &format!("{path}.{name}"), visit);
    }
    if schema["items"].is_object() {
        each_schema(&schema["items"], &format!("{path}[]"), visit);
    }
}
