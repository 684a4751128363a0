use http::HeaderValue;
use proptest::prelude::*;

use super::*;

fn host(lines: &[&str], target: &str, version: Version) -> Result<String, Refusal> {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(header::HOST, HeaderValue::from_str(line).unwrap());
    }
    of(&headers, &target.parse().unwrap(), version).map(Cow::into_owned)
}

#[test]
fn the_matched_name_has_no_case_port_or_final_dot() {
    for (line, expected) in [
        ("a.example", "a.example"),
        ("A.Example.", "a.example"),
        ("a.example:", "a.example"),
        ("a.example.:8080", "a.example"),
        ("10.0.0.1:80", "10.0.0.1"),
        ("[::1]", "[::1]"),
        ("[2001:DB8::1]:8080", "[2001:db8::1]"),
        ("under_score", "under_score"),
    ] {
        assert_eq!(
            host(&[line], "/x", Version::HTTP_11).as_deref(),
            Ok(expected),
            "{line}"
        );
    }
}

#[test]
fn a_host_that_two_readers_may_take_apart_differently_is_refused() {
    for line in [
        "",
        ".",
        "a.example, b.example",
        "user@a.example",
        "a.example/x",
        "a.example?x",
        "a.example#x",
        "a b",
        "[::1",
        "[::1]x",
        "[::1%25eth0]",
        "[1.2.3.4]",
        "::1",
        "a.example:80:81",
        "a.example:+80",
        "a.example:65536",
        "a%41",
        "a.example:x",
        "http://a.example",
        "a..:x",
        "a..",
        "a..b",
        ".a",
        "..",
        "a..:80",
    ] {
        assert_eq!(
            host(&[line], "/x", Version::HTTP_11),
            Err(Refusal::Malformed),
            "{line}"
        );
    }
}

#[test]
fn exactly_one_host_line_is_asked_for() {
    assert_eq!(host(&[], "/x", Version::HTTP_11), Err(Refusal::Missing));
    assert_eq!(host(&["a", "b"], "/x", Version::HTTP_11), Err(Refusal::Repeated));
    assert_eq!(host(&["a", "a"], "/x", Version::HTTP_10), Err(Refusal::Repeated));
    assert_eq!(host(&[], "/x", Version::HTTP_10).as_deref(), Ok(""));
    assert_eq!(host(&[], "http://a/x", Version::HTTP_10), Err(Refusal::Missing));
}

#[test]
fn an_absolute_target_must_name_the_host_line() {
    for (target, expected) in [
        ("http://a.example/x", Ok("a.example")),
        ("http://A.EXAMPLE:80/x", Ok("a.example")),
        ("http://b.example/x", Err(Refusal::Mismatch)),
        ("http://a.example:81/x", Err(Refusal::Mismatch)),
        ("http://user@a.example/x", Err(Refusal::Target)),
        ("http://user:password@a.example/x", Err(Refusal::Target)),
        ("https://a.example/x", Err(Refusal::Target)),
        ("ftp://a.example/x", Err(Refusal::Target)),
        ("a.example:80", Err(Refusal::Target)),
    ] {
        assert_eq!(
            host(&["a.example"], target, Version::HTTP_11)
                .as_deref()
                .map_err(|e| *e),
            expected,
            "{target}"
        );
    }
}

proptest! {
    #[test]
    fn any_bytes_are_judged_without_panic(line in "[\\[\\]:.@a-zA-Z0-9%, -]{0,24}") {
        if let Ok(name) = host(&[line.trim()], "/x", Version::HTTP_11) {
            prop_assert!(!name.is_empty() && !name.contains(['@', ',', ' ', '%']));
            prop_assert_eq!(name.to_ascii_lowercase(), name);
        }
    }
}
