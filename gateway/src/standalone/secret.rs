//! Reading a Secret: `data` (base64) and `stringData`, which wins, as an API server merges them.
//! Never shows a value, nor the name of one: a key pasted in the wrong place is a name.

use std::{collections::BTreeMap, fmt};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

/// A Secret that can be read.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.resourceVersion`; empty in a file, which has none.
    pub resource_version: String,
    /// Whether it is being deleted, so that it grants nothing any more.
    pub terminating: bool,
    values: BTreeMap<String, Vec<u8>>,
}

impl Secret {
    /// The bytes under a data key.
    pub fn value(&self, key: &str) -> Option<&[u8]> {
        self.values.get(key).map(Vec::as_slice)
    }

    /// Reads a Secret. The error names the field and the remedy.
    ///
    /// # Errors
    /// A field that is not as a Secret has it: then nothing of it counts.
    pub fn read(object: &Value) -> Result<Self, String> {
        let metadata = &object["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
        let mut values = BTreeMap::new();
        for (key, value) in entries(object, "data")? {
            let decoded = match value {
                Value::Null => Some(Vec::new()),
                Value::String(text) => decode(text),
                _ => None,
            };
            let decoded =
                decoded.ok_or("data: an entry is not base64; encode its value, or move it to stringData")?;
            values.insert(key.clone(), decoded);
        }
        for (key, value) in entries(object, "stringData")? {
            let text = match value {
                Value::Null => "",
                Value::String(text) => text,
                _ => return Err("stringData: an entry is not a text; quote its value".to_owned()),
            };
            values.insert(key.clone(), text.as_bytes().to_vec());
        }
        Ok(Self {
            uid: text("uid"),
            resource_version: text("resourceVersion"),
            terminating: !metadata["deletionTimestamp"].is_null(),
            values,
        })
    }
}

/// Only how much it holds: what it holds is what nobody may see.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secret")
            .field("uid", &self.uid)
            .field("values", &self.values.len())
            .finish_non_exhaustive()
    }
}

fn entries<'o>(
    object: &'o Value,
    field: &str,
) -> Result<impl Iterator<Item = (&'o String, &'o Value)>, String> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    match object.get(field) {
        None | Some(Value::Null) => Ok(EMPTY.iter()),
        Some(Value::Object(entries)) => Ok(entries.iter()),
        Some(_) => Err(format!(
            "{field}: not a mapping; write one line `name: value` a key"
        )),
    }
}

/// Line ends inside are skipped, as Go's decoder does: YAML block texts have them.
fn decode(text: &str) -> Option<Vec<u8>> {
    if text.contains(['\r', '\n']) {
        return STANDARD.decode(text.replace(['\r', '\n'], "")).ok();
    }
    STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_forms_are_read_and_plain_text_wins() {
        let secret = Secret::read(&json!({
            "metadata": {"uid": "u"},
            "data": {"a": "aGVsbG8=", "b": "AP8=", "c": "aGVs\nbG8=\n", "d": null},
            "stringData": {"a": "plain", "e": ""},
        }))
        .unwrap();
        assert_eq!(secret.uid, "u");
        for (key, value) in [
            ("a", &b"plain"[..]),
            ("b", b"\0\xff"),
            ("c", b"hello"),
            ("d", b""),
            ("e", b""),
        ] {
            assert_eq!(secret.value(key), Some(value), "{key}");
        }
        assert_eq!(secret.value("f"), None);
    }

    #[test]
    fn one_bad_entry_spoils_the_whole_and_neither_its_name_nor_its_value_is_shown() {
        for (field, value, expected) in [
            (
                "data",
                json!({"good": "aGVsbG8=", "hunter2": "hunter2!"}),
                "data: an entry is not base64",
            ),
            ("data", json!({"hunter2": 5}), "data: an entry is not base64"),
            ("data", json!("hunter2"), "data: not a mapping"),
            (
                "stringData",
                json!({"hunter2": ["hunter2"]}),
                "stringData: an entry is not a text",
            ),
        ] {
            let error = Secret::read(&json!({"metadata": {}, field: value})).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn nothing_of_it_is_printed() {
        let secret = Secret::read(&json!({"metadata": {}, "stringData": {"k": "hunter2"}})).unwrap();
        assert!(!format!("{secret:?}").contains("hunter2"));
    }
}
