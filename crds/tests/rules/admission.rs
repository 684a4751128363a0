//! What an API server would refuse, from the CRDs alone: the limits of the schema and its CEL rules.

use k8s_openapi::{
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::Time,
};
use kube::core::cel::{Validator, apply_defaults};
use latchkey_crds::{
    AuthPolicy, Consumer, Credential, manifests,
    validate::{Validate, Violation, time_problem},
};
use serde_json::{Value, json};

/// A kind: its plural, and its rules as a function.
pub(crate) struct Kind {
    pub(crate) plural: &'static str,
    pub(crate) validate: fn(&Value) -> Vec<Violation>,
}

pub(crate) const KINDS: [Kind; 3] = [
    Kind {
        plural: "consumers",
        validate: validate::<Consumer>,
    },
    Kind {
        plural: "credentials",
        validate: validate::<Credential>,
    },
    Kind {
        plural: "authpolicies",
        validate: validate::<AuthPolicy>,
    },
];

fn validate<T: Validate + serde::de::DeserializeOwned>(spec: &Value) -> Vec<Violation> {
    match serde_json::from_value::<T>(object(spec)) {
        Ok(object) => object.validate(),
        Err(error) => {
            let unread = unread_times(spec);
            assert!(!unread.is_empty(), "a sample must be readable: {error}");
            unread
        }
    }
}

/// What is to be said of times that cannot even be read.
fn unread_times(spec: &Value) -> Vec<Violation> {
    let fields = spec.as_object().into_iter().flatten();
    fields
        .filter(|(name, _)| name.ends_with("Time"))
        .filter(|(_, time)| serde_json::from_value::<Time>((*time).clone()).is_err())
        .filter_map(|(name, time)| Some((name, time.as_str()?)))
        .map(|(name, text)| Violation::new(format!("spec.{name}"), time_problem(text)))
        .collect()
}

impl Kind {
    /// The OpenAPI schema of the whole object.
    pub(crate) fn schema(&self) -> Value {
        let definition: CustomResourceDefinition = manifests::definitions()
            .into_iter()
            .find(|definition| definition.spec.names.plural == self.plural)
            .expect("each kind has a CRD");
        let schema = definition
            .spec
            .versions
            .into_iter()
            .next()
            .and_then(|version| version.schema);
        serde_json::to_value(schema.and_then(|schema| schema.open_api_v3_schema)).expect("a schema is JSON")
    }

    /// The fields that an API server refuses, sorted, each once. Rules run where the limits hold.
    pub(crate) fn refused(&self, spec: &Value) -> Vec<String> {
        self.refusals(spec)
            .into_iter()
            .map(|violation| violation.field)
            .collect()
    }

    /// What an API server refuses, sorted by field, each field once.
    pub(crate) fn refusals(&self, spec: &Value) -> Vec<Violation> {
        let schema = self.schema();
        let value = apply_defaults(&schema, &object(spec));
        let mut refusals = Vec::new();
        limits(&schema, &value, "", &mut refusals);
        if refusals.is_empty()
            && let Err(errors) = Validator::new().validate(&schema, &value, None)
        {
            refusals = errors
                .iter()
                .map(|error| Violation::new(&*error.field_path, &*error.message))
                .collect();
        }
        each_once(refusals)
    }

    /// What [`Validate`] refuses, in the places where an API server says so.
    pub(crate) fn violations(&self, spec: &Value) -> Vec<Violation> {
        let violations = (self.validate)(spec).into_iter().map(|violation| {
            // Lengths are limits of the items themselves; the rules for their form stand at the list.
            let list = ["spec.groups", "spec.consumerNamespaces"]
                .into_iter()
                .find(|list| violation.field.starts_with(&format!("{list}[")));
            match list {
                Some(list) if !violation.message.contains("at most") => {
                    Violation::new(list, format!("each item {}", violation.message))
                }
                _ => violation,
            }
        });
        each_once(violations.collect())
    }
}

fn object(spec: &Value) -> Value {
    json!({ "metadata": { "namespace": "shop", "name": "sample" }, "spec": without_nulls(spec) })
}

/// An API server drops `null` where a schema is not nullable.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), without_nulls(value)))
            .collect(),
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

fn each_once(mut violations: Vec<Violation>) -> Vec<Violation> {
    violations.sort_by(|a, b| a.field.cmp(&b.field));
    violations.dedup_by(|a, b| a.field == b.field);
    violations
}

/// The keywords of our schemas that are no CEL rules.
fn limits(schema: &Value, value: &Value, path: &str, refusals: &mut Vec<Violation>) {
    let over = |keyword: &str, length: usize| {
        schema[keyword]
            .as_u64()
            .is_some_and(|limit| length as u64 > limit)
    };
    let mut refuse = |keyword: &str| refusals.push(Violation::new(path, keyword));
    match value {
        Value::String(text) if over("maxLength", text.chars().count()) => refuse("maxLength"),
        Value::Array(items) if over("maxItems", items.len()) => refuse("maxItems"),
        _ => {}
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let separator = if path.is_empty() { "" } else { "." };
                limits(
                    &schema["properties"][name],
                    value,
                    &format!("{path}{separator}{name}"),
                    refusals,
                );
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                limits(&schema["items"], value, &format!("{path}[{index}]"), refusals);
            }
        }
        _ => {}
    }
}
