//! Writes a JSON value as block YAML, so that a test's folder looks like what a user would keep.
//! Strings are always quoted: in JSON's form, which YAML reads.

use std::fmt::Write;

use serde_json::Value;

/// One document, without its `---`.
pub(crate) fn document(value: &Value) -> String {
    let mut text = String::new();
    block(&mut text, value, 0);
    text
}

fn block(text: &mut String, value: &Value, indent: usize) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                let _ = write!(text, "{pad}{}:", scalar(name));
                nested(text, member, indent + 2);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let _ = write!(text, "{pad}-");
                nested(text, item, indent + 2);
            }
        }
        leaf => {
            let _ = writeln!(text, "{pad}{leaf}");
        }
    }
}

/// What follows a `name:` or a `-`.
fn nested(text: &mut String, value: &Value, indent: usize) {
    let is_block = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if is_block {
        text.push('\n');
        block(text, value, indent);
    } else {
        let _ = writeln!(text, " {value}");
    }
}

/// A member's name: plain where that is unambiguous.
fn scalar(name: &str) -> String {
    if name.chars().all(|c| c.is_ascii_alphabetic()) && !name.is_empty() {
        name.to_owned()
    } else {
        Value::from(name).to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nests_as_yaml_does() {
        let value = json!({"a": {"b": [1, {"c.d": "x: y"}], "e": [], "f": {}}, "g": null});
        assert_eq!(
            document(&value),
            "a:\n  b:\n    - 1\n    -\n      \"c.d\": \"x: y\"\n  e: []\n  f: {}\ng: null\n"
        );
    }
}
