use http::{HeaderMap, HeaderName, HeaderValue, Method};

use super::*;

fn places() -> Vec<Place> {
    vec![
        Place::Header(HeaderName::from_static("x-api-key")),
        Place::Query("apikey".to_owned()),
        Place::Header(HeaderName::from_static("x-api-key")),
        Place::Query("key".to_owned()),
    ]
}

fn presented(lines: &[&str], query: Option<&str>) -> String {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append("x-api-key", HeaderValue::from_bytes(line.as_bytes()).unwrap());
    }
    headers.insert("x-other", HeaderValue::from_static("K9"));
    let view = RequestView {
        method: &Method::GET,
        host: "a",
        path: "/",
        query,
        headers: &headers,
    };
    match extract(&places(), &view) {
        Presented::One(key) => String::from_utf8_lossy(&key).into_owned(),
        other => format!("{other:?}"),
    }
}

#[test]
fn one_value_is_the_key() {
    assert_eq!(presented(&["K1"], None), "K1");
    assert_eq!(presented(&["K1"], Some("x=1")), "K1");
    assert_eq!(presented(&[], Some("x=1&apikey=K1")), "K1");
    assert_eq!(presented(&[], Some("%61pikey=K%2B1")), "K+1");
    assert_eq!(presented(&[], Some("key=K1")), "K1");
    assert_eq!(presented(&["ключ"], None), "ключ");
}

#[test]
fn absent_and_empty_are_told_apart() {
    assert_eq!(presented(&[], None), "Nothing");
    assert_eq!(presented(&[], Some("")), "Nothing");
    assert_eq!(presented(&[], Some("token=K1")), "Nothing");
    for (lines, query) in [
        (&[""][..], None),
        (&[], Some("apikey")),
        (&[], Some("apikey=")),
        (&[], Some("apikey=+%20%09")),
    ] {
        assert_eq!(presented(lines, query), "Empty", "{lines:?} {query:?}");
    }
}

#[test]
fn two_values_are_two_wherever_they_stand() {
    for (lines, query) in [
        (&["K1", "K1"][..], None),
        (&["K1", ""], None),
        (&["", ""], None),
        (&["K1"], Some("apikey=K1")),
        (&["K1"], Some("apikey")),
        (&[], Some("apikey=K1&apikey=K1")),
        (&[], Some("apikey=K1&%61pikey=K2")),
        (&[], Some("apikey=K1&key=K1")),
        (&["K1", "K2", "K3"], None),
    ] {
        assert_eq!(presented(lines, query), "Several", "{lines:?} {query:?}");
    }
}
