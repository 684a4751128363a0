use serde_json::{Value, json};

use super::*;

fn path(value: &Value, matched: Option<usize>) -> (Option<PathChange>, Vec<String>) {
    let mut problems = Vec::new();
    let filter = json!({ "path": value });
    let fields = Fields::of(&filter).expect("fields");
    let change = read(fields, matched, &mut problems).expect("a change");
    (change, problems.into_iter().map(|problem| problem.path).collect())
}

#[test]
fn each_type_has_its_own_field() {
    let full = json!({ "type": "ReplaceFullPath", "replaceFullPath": "/x" });
    assert_eq!(path(&full, None), (PathChange::full("/x").ok(), vec![]));
    let prefix = json!({ "type": "ReplacePrefixMatch", "replacePrefixMatch": "/x" });
    assert_eq!(path(&prefix, Some(4)), (PathChange::prefix(4, "/x").ok(), vec![]));
    let out = json!({ "type": "ReplacePrefixMatch", "replacePrefixMatch": "" });
    assert_eq!(path(&out, Some(4)), (PathChange::prefix(4, "").ok(), vec![]));
    assert_eq!(path(&Value::Null, None), (None, vec![]));
}

#[test]
fn what_cannot_be_done_is_told_by_path() {
    for (value, expected) in [
        (json!({ "type": "ReplaceSuffix" }), "path.type"),
        (
            json!({ "type": "ReplacePrefixMatch", "replacePrefixMatch": "/x" }),
            "path.type",
        ),
        (json!({ "type": "ReplaceFullPath" }), "path.replaceFullPath"),
        (
            json!({ "type": "ReplaceFullPath", "replaceFullPath": "x" }),
            "path.replaceFullPath",
        ),
        (
            json!({ "type": "ReplaceFullPath", "replaceFullPath": "/x?y" }),
            "path.replaceFullPath",
        ),
        (
            json!({ "type": "ReplaceFullPath", "replaceFullPath": "/", "replacePrefixMatch": "/" }),
            "path.replacePrefixMatch",
        ),
    ] {
        assert_eq!(path(&value, None).1, [expected], "{value}");
    }
    for (value, expected) in [
        (json!({ "type": "ReplacePrefixMatch" }), "path.replacePrefixMatch"),
        (
            json!({ "type": "ReplacePrefixMatch", "replacePrefixMatch": "/a//b" }),
            "path.replacePrefixMatch",
        ),
    ] {
        assert_eq!(path(&value, Some(4)).1, [expected], "{value}");
    }
}
