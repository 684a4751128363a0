//! The CEL rules, on samples that they accept and refuse, and `validate` on the same.

use std::{collections::BTreeSet, fs, path::Path};

use serde::Deserialize;
use serde_json::Value;

use crate::admission::{KINDS, Kind};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    case: String,
    spec: Value,
    #[serde(default)]
    refused: Vec<String>,
}

fn samples(kind: &Kind) -> Vec<Sample> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/samples/{}.yaml", kind.plural));
    let text = fs::read_to_string(path).expect("each kind has samples");
    let mut samples: Vec<Sample> = serde_saphyr::from_str(&text).expect("samples are YAML");
    samples.iter_mut().for_each(|sample| sample.refused.sort());
    samples
}

#[test]
fn an_api_server_refuses_exactly_the_named_fields() {
    for kind in KINDS {
        for sample in samples(&kind) {
            assert_eq!(
                kind.refused(&sample.spec),
                sample.refused,
                "{}: {}",
                kind.plural,
                sample.case
            );
        }
    }
}

#[test]
fn files_are_held_to_the_same_rules_in_the_same_words() {
    for kind in KINDS {
        for sample in samples(&kind) {
            assert_eq!(
                kind.violations(&sample.spec),
                kind.refusals(&sample.spec),
                "{}: {}",
                kind.plural,
                sample.case
            );
        }
    }
}

#[test]
fn every_rule_of_a_spec_refuses_a_sample() {
    for kind in KINDS {
        let mut rules = BTreeSet::new();
        messages(&kind.schema()["properties"]["spec"], "spec", &mut rules);
        assert!(!rules.is_empty());
        for sample in samples(&kind) {
            for refusal in kind.refusals(&sample.spec) {
                rules.remove(&(without_indices(&refusal.field), refusal.message));
            }
        }
        assert_eq!(
            rules,
            BTreeSet::new(),
            "rules of {} that no sample breaks",
            kind.plural
        );
    }
}

#[test]
fn every_property_of_a_spec_is_in_an_accepted_sample() {
    for kind in KINDS {
        let mut wanted = BTreeSet::new();
        properties(&kind.schema()["properties"]["spec"], "spec", &mut wanted);
        for sample in samples(&kind).iter().filter(|sample| sample.refused.is_empty()) {
            present(&sample.spec, "spec", &mut wanted);
        }
        assert_eq!(
            wanted,
            BTreeSet::new(),
            "properties of {} that no accepted sample has",
            kind.plural
        );
    }
}

/// The messages of all rules below a schema, each with its field.
fn messages(schema: &Value, path: &str, found: &mut BTreeSet<(String, String)>) {
    for rule in schema["x-kubernetes-validations"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let message = rule["message"].as_str().expect("each rule has a message");
        found.insert((path.to_owned(), message.to_owned()));
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        messages(property, &format!("{path}.{name}"), found);
    }
    if schema["items"].is_object() {
        messages(&schema["items"], path, found);
    }
}

fn properties(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        properties(property, &path, found);
        properties(&property["items"], &path, found);
        found.insert(path);
    }
}

fn present(value: &Value, path: &str, wanted: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = format!("{path}.{name}");
                present(value, &path, wanted);
                wanted.remove(&path);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| present(item, path, wanted)),
        _ => {}
    }
}

fn without_indices(path: &str) -> String {
    path.split('[')
        .map(|part| part.split_once(']').map_or(part, |(_, rest)| rest))
        .collect()
}
