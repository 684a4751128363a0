use http::HeaderValue;

use super::*;

fn judged(method: &Method, lines: &[(&'static str, &'static str)]) -> bool {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(*name, HeaderValue::from_static(value));
    }
    is_preflight(&RequestView {
        method,
        host: "a",
        path: "/",
        query: None,
        headers: &headers,
    })
}

const ORIGIN: (&str, &str) = ("origin", "https://app.example");
const WANTED: (&str, &str) = ("access-control-request-method", "PUT");

#[test]
fn browsers_questions_are_preflights() {
    for lines in [
        &[ORIGIN, WANTED][..],
        &[("origin", "null"), WANTED],
        &[
            ORIGIN,
            WANTED,
            ("access-control-request-headers", "x-api-key"),
            ("content-length", "0"),
        ],
        &[ORIGIN, ("access-control-request-method", "PURGE")],
    ] {
        assert!(judged(&Method::OPTIONS, lines), "{lines:?}");
    }
}

#[test]
fn whatever_has_the_form_by_half_is_none() {
    for lines in [
        &[][..],
        &[ORIGIN],
        &[WANTED],
        &[ORIGIN, ORIGIN, WANTED],
        &[ORIGIN, WANTED, WANTED],
        &[("origin", ""), WANTED],
        &[ORIGIN, ("access-control-request-method", "")],
        &[ORIGIN, ("access-control-request-method", "PUT, GET")],
        &[ORIGIN, ("access_control_request_method", "PUT")],
        &[ORIGIN, WANTED, ("content-length", "5")],
        &[ORIGIN, WANTED, ("content-length", "0"), ("content-length", "5")],
        &[ORIGIN, WANTED, ("transfer-encoding", "chunked")],
    ] {
        assert!(!judged(&Method::OPTIONS, lines), "{lines:?}");
    }
    for method in [&Method::GET, &Method::POST, &Method::HEAD] {
        assert!(!judged(method, &[ORIGIN, WANTED]), "{method}");
    }
    let lower = Method::from_bytes(b"options").unwrap();
    assert!(!judged(&lower, &[ORIGIN, WANTED]));
}
