use http::Method;
use serde_json::json;

use super::*;

fn matched(value: &Value) -> (Match, Vec<String>) {
    let mut problems = Vec::new();
    let matcher = read(value, &mut problems).expect("a match");
    (
        matcher,
        problems.into_iter().map(|problem| problem.path).collect(),
    )
}

#[test]
fn an_empty_match_is_every_path() {
    let (matcher, problems) = matched(&json!({}));
    assert_eq!(matcher, Match::everything());
    assert!(problems.is_empty());
    assert_eq!(matched(&json!({ "path": {} })).0, Match::everything());
}

#[test]
fn all_kinds_of_conditions_are_read() {
    let (matcher, problems) = matched(&json!({
        "path": { "type": "Exact", "value": "/a" },
        "method": "PUT",
        "headers": [
            { "name": "X-Env", "value": "dev" },
            { "name": "x-env", "value": "ignored" },
            { "type": "Exact", "name": "b", "value": "" },
        ],
        "queryParams": [{ "name": "q", "value": "1" }, { "name": "q", "value": "2" }],
    }));
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(matcher.path, PathMatch::Exact("/a".into()));
    assert_eq!(matcher.method, Some(Method::PUT));
    let headers: Vec<_> = matcher
        .headers
        .iter()
        .map(|header| (header.name.as_str(), header.value.as_deref()))
        .collect();
    assert_eq!(
        headers,
        [("x-env", Some("dev")), ("b", Some(""))],
        "the first counts"
    );
    assert_eq!(matcher.queries.len(), 1);
    assert_eq!(matcher.queries[0].value.as_deref(), Some("1"));
    assert!(!matcher.widened);
}

#[test]
fn what_cannot_be_evaluated_is_widened_and_told() {
    let path = |value: Value| json!({ "path": value });
    let cases = [
        (
            path(json!({ "type": "RegularExpression", "value": "/v[0-9]" })),
            "path.type",
        ),
        (path(json!({ "type": "Glob", "value": "/v*" })), "path.type"),
        (path(json!({ "type": "Exact", "value": "v" })), "path.value"),
        (
            path(json!({ "value": "/v", "ignoreCase": true })),
            "path.ignoreCase",
        ),
        (json!({ "method": "get" }), "method"),
        (json!({ "grpc": {} }), "grpc"),
        (json!({ "headers": [{ "name": "a b", "value": "" }] }), "headers"),
        (
            json!({ "headers": [{ "name": "a", "value": "", "type": "RegularExpression" }] }),
            "headers[0].type",
        ),
        (json!({ "headers": [{ "name": "a" }] }), "headers[0].value"),
        (
            json!({ "queryParams": [{ "name": "a", "value": "", "invert": true }] }),
            "queryParams[0].invert",
        ),
    ];
    for (value, path) in cases {
        let (matcher, problems) = matched(&value);
        assert_eq!(problems, [path], "{value}");
        let widened = matcher.widened
            || matches!(matcher.path, PathMatch::Unknown(_))
            || matcher.headers.iter().any(|header| header.value.is_none())
            || matcher.queries.iter().any(|query| query.value.is_none());
        assert!(widened, "{value}");
    }
}

#[test]
fn an_expression_keeps_the_literal_that_every_match_begins_with() {
    let cases = [
        ("/api/v[0-9]+", "/api/v"),
        ("^/api/.*", "/api/"),
        ("/files?", "/file"),
        ("/files*", "/file"),
        ("/files{2}", "/file"),
        ("/exact", "/exact"),
        ("/exact$", "/exact"),
        ("/a|/b", ""),
        ("/(a|b)", ""),
        ("/é?", "/"),
        ("(?i)/api", ""),
        (".*/api", ""),
        ("", ""),
    ];
    for (regex, literal) in cases {
        assert_eq!(literal_beginning(regex), literal, "{regex}");
    }
}

#[test]
fn wrong_types_break_the_object() {
    for value in [
        json!(5),
        json!({ "path": "/a" }),
        json!({ "path": { "value": 5 } }),
        json!({ "method": 5 }),
        json!({ "headers": {} }),
        json!({ "headers": [{ "value": "a" }] }),
        json!({ "queryParams": [{ "name": "a", "value": 5 }] }),
    ] {
        assert!(read(&value, &mut Vec::new()).is_err(), "{value}");
    }
}
