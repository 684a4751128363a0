use serde_json::{Value, json};

use super::*;
use Side::{Request, Response};

fn modifier(side: Side, value: &Value) -> (HeaderModifier, Vec<String>) {
    let mut problems = Vec::new();
    let fields = Fields::of(value).expect("fields");
    let modifier = read(fields, side, &mut problems).expect("a modifier");
    (
        modifier,
        problems.into_iter().map(|problem| problem.path).collect(),
    )
}

#[test]
fn a_modifier_is_compiled_and_of_equal_names_the_first_counts() {
    let value = json!({
        "set": [{ "name": "X-A", "value": "1" }, { "name": "x-a", "value": "2" }],
        "add": [{ "name": "x-b", "value": "" }],
        "remove": ["X-C"],
    });
    let pair = |name, value| (HeaderName::from_static(name), HeaderValue::from_static(value));
    let expected = HeaderModifier {
        set: vec![pair("x-a", "1")],
        add: vec![pair("x-b", "")],
        remove: vec![HeaderName::from_static("x-c")],
    };
    for side in [Request, Response] {
        assert_eq!(modifier(side, &value), (expected.clone(), vec![]));
    }
}

#[test]
fn what_the_gateway_owns_is_not_for_routes() {
    let both = [Request, Response].as_slice();
    let cases = [
        ("Host", both),
        ("Content-Length", both),
        ("content_length", both),
        ("Transfer-Encoding", both),
        ("Connection", both),
        ("TE", both),
        ("Trailer", both),
        ("Upgrade", both),
        ("Keep-Alive", both),
        ("Expect", both),
        ("HTTP2-Settings", both),
        ("Proxy-Authorization", both),
        ("Proxy-Authenticate", both),
        ("X-Request-Id", both),
        ("x_request-id", both),
        ("no name", both),
        ("", both),
        ("X-Consumer-Username", &[Request]),
        ("x_consumer_id", &[Request]),
        ("X-Forwarded-For", &[Request]),
        ("x_forwarded-prefix", &[Request]),
        ("X-Real-IP", &[Request]),
        ("Forwarded", &[Request]),
        ("Set-Cookie", &[]),
        ("Strict-Transport-Security", &[]),
        ("WWW-Authenticate", &[]),
    ];
    for (name, refused) in cases {
        for side in [Request, Response] {
            let told = |path: &str| refused.contains(&side).then(|| path.to_owned());
            let (_, removed) = modifier(side, &json!({ "remove": ["ok", name] }));
            assert_eq!(removed, Vec::from_iter(told("remove[1]")), "{side:?} {name}");
            if !name.is_empty() {
                for list in ["set", "add"] {
                    let (_, found) = modifier(side, &json!({ list: [{ "name": name, "value": "" }] }));
                    let path = format!("{list}[0].name");
                    assert_eq!(found, Vec::from_iter(told(&path)), "{side:?} {name}");
                }
            }
        }
    }
}

#[test]
fn a_value_that_no_line_can_hold_is_told_by_path() {
    for value in ["line\nend", "\r", "\u{0}"] {
        let (_, found) = modifier(Response, &json!({ "add": [{ "name": "a", "value": value }] }));
        assert_eq!(found, ["add[0].value"], "{value:?}");
    }
}
