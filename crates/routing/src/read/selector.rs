//! Label selectors, as `metav1.LabelSelector`.

use std::collections::BTreeMap;

use latchkey_core::decode::shown_field;
use serde_json::Value;

use super::fields::{Fields, Misfit};

/// Labels of an object.
pub type Labels = BTreeMap<String, String>;

/// All of its requirements must hold; without any it selects everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

impl LabelSelector {
    /// Reads a selector. What it asks for beyond this version is an error: it would select less.
    pub(super) fn read(value: &Value) -> Result<Self, Misfit> {
        let fields = Fields::of(value)?;
        refuse_unknown(fields, &["matchLabels", "matchExpressions"])?;
        let mut requirements = fields.list("matchExpressions", Requirement::read)?;
        let labels = fields.read("matchLabels", labels)?.unwrap_or_default();
        requirements.extend(labels.into_iter().map(|(key, value)| Requirement {
            key,
            test: Test::In(vec![value]),
        }));
        Ok(Self(requirements))
    }

    /// Whether an object with these labels is selected.
    pub fn selects(&self, labels: &Labels) -> bool {
        self.0.iter().all(|Requirement { key, test }| {
            let value = labels.get(key);
            match test {
                Test::In(values) => value.is_some_and(|value| values.contains(value)),
                Test::NotIn(values) => !value.is_some_and(|value| values.contains(value)),
                Test::Exists => value.is_some(),
                Test::DoesNotExist => value.is_none(),
            }
        })
    }
}

impl Requirement {
    fn read(value: &Value) -> Result<Self, Misfit> {
        let fields = Fields::of(value)?;
        refuse_unknown(fields, &["key", "operator", "values"])?;
        let values = fields.list("values", |value| {
            value
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| Misfit::new("text"))
        })?;
        let test = match (fields.required_text("operator")?, values.is_empty()) {
            ("In", false) => Test::In(values),
            ("NotIn", false) => Test::NotIn(values),
            ("Exists", true) => Test::Exists,
            ("DoesNotExist", true) => Test::DoesNotExist,
            _ => {
                let expected = "In or NotIn (with values), or Exists or DoesNotExist (without values)";
                return Err(Misfit::new(expected).under("operator"));
            }
        };
        Ok(Self {
            key: fields.required_text("key")?.to_owned(),
            test,
        })
    }
}

/// Reads a map of labels.
pub(super) fn labels(value: &Value) -> Result<Labels, Misfit> {
    let labels = value.as_object().ok_or_else(|| Misfit::new("a mapping"))?;
    labels
        .iter()
        .map(|(key, value)| match value.as_str() {
            Some(text) => Ok((key.clone(), text.to_owned())),
            // Anyone may have made the key up, so it is not shown.
            None => Err(Misfit::new("text for each label")),
        })
        .collect()
}

/// An error if there is a field that this version does not know.
pub(super) fn refuse_unknown(fields: Fields<'_>, known: &'static [&'static str]) -> Result<(), Misfit> {
    match fields.unknown(known).next() {
        Some(field) => Err(match shown_field(field) {
            Some(field) => Misfit::new("absent: this version does not know it").under(field),
            None => Misfit::new("without a field that this version does not know"),
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
