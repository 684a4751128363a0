//! `URLRewrite`.

use http::HeaderValue;

use super::super::{
    fields::{Fields, Misfit},
    problem::Problem,
};
use super::{hostname, path, unknown};
use crate::filter::Rewrite;

/// Reads a rewrite of a rule whose only match covers `matched` bytes of a path, if it is a `PathPrefix`.
pub(super) fn read(
    fields: Fields<'_>,
    matched: Option<usize>,
    problems: &mut Vec<Problem>,
) -> Result<Rewrite, Misfit> {
    unknown(fields, &["hostname", "path"], problems);
    Ok(Rewrite {
        // What a DNS name may hold, a header value may.
        host: hostname(fields, problems)?.and_then(|name| HeaderValue::from_str(&name).ok()),
        path: path::read(fields, matched, problems)?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::filter::PathChange;

    fn rewrite(value: &Value) -> (Rewrite, Vec<String>) {
        let mut problems = Vec::new();
        let rewrite = read(Fields::of(value).expect("fields"), Some(2), &mut problems).expect("a rewrite");
        (
            rewrite,
            problems.into_iter().map(|problem| problem.path).collect(),
        )
    }

    #[test]
    fn host_and_path_are_rewritten_each_if_it_is_named() {
        assert_eq!(rewrite(&json!({})), (Rewrite::default(), vec![]));
        let value = json!({
            "hostname": "One.example.org",
            "path": { "type": "ReplacePrefixMatch", "replacePrefixMatch": "/x" },
        });
        let expected = Rewrite {
            host: Some(HeaderValue::from_static("one.example.org")),
            path: PathChange::prefix(2, "/x").ok(),
        };
        assert_eq!(rewrite(&value), (expected, vec![]));
    }

    #[test]
    fn what_is_not_supported_is_told_by_path() {
        for (value, path) in [
            (json!({ "hostname": "*.example.org" }), "hostname"),
            (json!({ "hostname": "a:80" }), "hostname"),
            (json!({ "hostname": "a\r\nx: y" }), "hostname"),
            (json!({ "port": 80 }), "port"),
            (
                json!({ "path": { "type": "ReplaceFullPath", "replaceFullPath": "//" } }),
                "path.replaceFullPath",
            ),
        ] {
            assert_eq!(rewrite(&value).1, [path], "{value}");
        }
    }
}
