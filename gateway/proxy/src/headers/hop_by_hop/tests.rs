use proptest::prelude::*;

use super::*;

fn map(lines: &[(&str, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(
            HeaderName::from_bytes(name.as_bytes()).unwrap(),
            HeaderValue::from_str(value).unwrap(),
        );
    }
    headers
}

fn left(lines: &[(&str, &str)]) -> Vec<String> {
    let mut headers = map(lines);
    strip(&mut headers);
    let mut names: Vec<String> = headers.keys().map(|name| name.as_str().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn standard_fields_go() {
    let lines: Vec<(&str, &str)> = STANDARD.iter().map(|name| (name.as_str(), "x")).collect();
    assert_eq!(left(&lines), Vec::<String>::new());
}

#[test]
fn each_standard_field_is_found_where_it_stands() {
    for (index, name) in STANDARD.iter().enumerate() {
        assert_eq!(position(name), Some(index), "{name}");
    }
    assert_eq!(position(&header::ACCEPT), None);
}

#[test]
fn nominated_fields_go_from_every_connection_line() {
    assert_eq!(
        left(&[
            (
                "connection",
                "close, X-Consumer-Username ,Authorization,,\tCookie"
            ),
            ("connection", "X-Other"),
            ("x-consumer-username", "a"),
            ("authorization", "a"),
            ("cookie", "a"),
            ("x-other", "a"),
            ("x-other", "b"),
            ("x-kept", "a"),
        ]),
        ["x-kept"]
    );
}

#[test]
fn framing_and_host_survive_a_nomination() {
    assert_eq!(
        left(&[
            ("connection", "content-length, host"),
            ("content-length", "5"),
            ("host", "a")
        ]),
        ["content-length", "host"]
    );
}

proptest! {
    #[test]
    fn nothing_nominated_is_left(
        nominated in prop::collection::vec("x-[a-d]", 0..4),
        present in prop::collection::vec("x-[a-d]", 0..6),
    ) {
        let value = nominated.join(" , ");
        let mut lines = vec![("connection", value.as_str())];
        lines.extend(present.iter().map(|name| (name.as_str(), "v")));
        let left = left(&lines);
        for name in &present {
            prop_assert_eq!(left.contains(name), !nominated.contains(name));
        }
    }
}
