use http::HeaderValue;
use proptest::prelude::*;

use super::*;

fn request<'r>(path: &'r str, query: Option<&'r str>, headers: &'r HeaderMap) -> RequestView<'r> {
    RequestView {
        method: &Method::GET,
        host: "t",
        path,
        query,
        headers,
    }
}

fn on_path(path: PathMatch, requested: &str) -> bool {
    let matcher = Match {
        path,
        ..Match::everything()
    };
    matcher.matches(&request(requested, None, &HeaderMap::new()))
}

#[test]
fn a_prefix_matches_by_whole_segments() {
    let cases = [
        ("/", "/", true),
        ("/", "/anything", true),
        ("/v2", "/v2", true),
        ("/v2", "/v2/", true),
        ("/v2", "/v2/x", true),
        ("/v2", "/v2example", false),
        ("/v2", "/V2", false),
        ("/v2", "/", false),
        ("/v2/", "/v2", true),
        ("/v2/", "/v2/x", true),
        ("/v2/", "/v2example", false),
    ];
    for (prefix, path, expected) in cases {
        assert_eq!(
            on_path(PathMatch::prefix(prefix), path),
            expected,
            "{prefix} {path}"
        );
    }
}

#[test]
fn an_exact_path_matches_byte_by_byte() {
    let exact = || PathMatch::Exact("/one".into());
    assert!(on_path(exact(), "/one"));
    for path in ["/one/", "/One", "/on", "/one%20", "/"] {
        assert!(!on_path(exact(), path), "{path}");
    }
}

#[test]
fn an_unknown_path_is_all_that_begins_with_what_is_known() {
    let unknown = || PathMatch::Unknown("/v".into());
    assert!(on_path(unknown(), "/v1/x"));
    assert!(on_path(unknown(), "/v"));
    assert!(!on_path(unknown(), "/x"));
}

fn header(value: Option<&str>) -> HeaderMatch {
    HeaderMatch {
        name: HeaderName::from_static("x-env"),
        value: value.map(Into::into),
    }
}

fn headers(lines: &[&'static str]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append("X-Env", HeaderValue::from_static(line));
    }
    headers
}

#[test]
fn a_header_is_compared_whole() {
    let cases: [(Option<&str>, &[&str], bool); 10] = [
        (Some("dev"), &["dev"], true),
        (Some("dev"), &["Dev"], false),
        (Some("dev"), &["developer"], false),
        (Some("dev"), &["de"], false),
        (Some("dev"), &[], false),
        (Some(""), &[""], true),
        (Some("a, b"), &["a", "b"], true),
        (Some("a"), &["a", "b"], false),
        (Some("b"), &["a", "b"], false),
        (None, &["whatever"], true),
    ];
    for (expected, lines, matches) in cases {
        assert_eq!(
            header(expected).matches(&headers(lines)),
            matches,
            "{expected:?} {lines:?}"
        );
    }
    assert!(!header(None).matches(&HeaderMap::new()));
}

#[test]
fn a_query_parameter_is_compared_decoded_and_the_first_decides() {
    let animal = |value: Option<&str>| QueryMatch {
        name: "animal".into(),
        value: value.map(Into::into),
    };
    let cases = [
        (Some("whale"), Some("animal=whale"), true),
        (Some("whale"), Some("x=1&%61nimal=wh%61le"), true),
        (Some("whale"), Some("animal=whale&animal=cat"), true),
        (Some("cat"), Some("animal=whale&animal=cat"), false),
        (Some("blue whale"), Some("animal=blue+whale"), true),
        (Some("blue whale"), Some("animal=blue%20whale"), true),
        (Some("%zz"), Some("animal=%zz"), true),
        (Some("100%"), Some("animal=100%"), true),
        (Some("a=b"), Some("animal=a=b"), true),
        (Some(""), Some("animal"), true),
        (Some("whale"), Some("Animal=whale"), false),
        (Some("whale"), Some("animal=whales"), false),
        (Some("whale"), None, false),
        (None, Some("animal=any"), true),
        (None, Some("x=1"), false),
    ];
    for (value, query, matches) in cases {
        assert_eq!(animal(value).matches(query), matches, "{value:?} {query:?}");
    }
}

#[test]
fn all_conditions_must_hold() {
    let matcher = Match {
        path: PathMatch::prefix("/a"),
        method: Some(Method::GET),
        headers: vec![header(Some("dev"))],
        queries: vec![QueryMatch {
            name: "q".into(),
            value: Some("1".into()),
        }],
        widened: false,
    };
    let dev = headers(&["dev"]);
    assert!(matcher.matches(&request("/a", Some("q=1"), &dev)));
    assert!(!matcher.matches(&request("/b", Some("q=1"), &dev)));
    assert!(!matcher.matches(&request("/a", Some("q=2"), &dev)));
    assert!(!matcher.matches(&request("/a", Some("q=1"), &headers(&[]))));
    let post = RequestView {
        method: &Method::POST,
        ..request("/a", Some("q=1"), &dev)
    };
    assert!(!matcher.matches(&post));
}

proptest! {
    #[test]
    fn whatever_is_encoded_is_found_again(text in ".*") {
        let mut encoded = String::new();
        for byte in text.bytes() {
            encoded.push_str(&format!("%{byte:02x}"));
        }
        prop_assert!(decodes_to(&encoded, &text));
    }

    #[test]
    fn no_query_breaks_the_comparison(query in ".*", value in ".*") {
        let _ = decodes_to(&query, &value);
    }
}
