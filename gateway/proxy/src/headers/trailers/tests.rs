use super::*;

const OURS: &str = "x-consumer-username";

#[test]
fn forbidden_and_hidden_names_are_not_declared() {
    let mut headers = HeaderMap::new();
    headers.append(
        header::TRAILER,
        HeaderValue::from_static("X-Sum, X-Consumer_Username, Host"),
    );
    headers.append(
        header::TRAILER,
        HeaderValue::from_static("x-forwarded-for, x-api-key,, X-Kept"),
    );
    restrict(&mut headers, |name| name == "x-api-key");
    let declared: Vec<_> = headers.get_all(header::TRAILER).iter().collect();
    assert_eq!(declared, ["x-sum, x-kept"]);
}

#[test]
fn a_line_without_any_allowed_name_goes() {
    let mut headers = HeaderMap::new();
    headers.append(header::TRAILER, HeaderValue::from_static(OURS));
    restrict(&mut headers, |_| false);
    assert!(headers.is_empty());
}

#[test]
fn a_line_that_declares_too_much_is_cut() {
    let mut headers = HeaderMap::new();
    let names: Vec<String> = (0..40_000).map(|index| format!("{index}")).collect();
    headers.insert(header::TRAILER, HeaderValue::try_from(names.join(",")).unwrap());
    restrict(&mut headers, |_| false);
    let line = headers[header::TRAILER].to_str().unwrap();
    assert_eq!(line.split(", ").count(), MAX_NAMES);
}

#[test]
fn sections_lose_forbidden_names() {
    let mut trailers = HeaderMap::new();
    for name in ["x-sum", OURS, "x_consumer_groups", "connection", "forwarded"] {
        trailers.append(HeaderName::from_static(name), HeaderValue::from_static("1"));
    }
    clean(&mut trailers);
    let names: Vec<_> = trailers.keys().map(HeaderName::as_str).collect();
    assert_eq!(names, ["x-sum"]);
}
