use proptest::{prelude::*, sample::select};

use super::*;

fn parse(text: &str) -> Hostname {
    Hostname::parse(text).expect("a hostname")
}

#[test]
fn hostnames_are_read_and_written() {
    for text in [
        "a",
        "api.example.com",
        "*.example.com",
        "*.com",
        "10.0.0.1",
        "a-b.c",
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
    assert_eq!(parse(""), Hostname::Any);
    assert_eq!(parse("API.Example.COM"), parse("api.example.com"));
}

#[test]
fn what_is_no_hostname_is_refused() {
    let long = "a.".repeat(127) + "ab";
    for text in [
        "*",
        "*.",
        ".",
        "a.",
        ".a",
        "a..b",
        "a.*.b",
        "*a.b",
        "-a",
        "a-",
        "a_b",
        "a b",
        "ä",
        "http://a",
        "a:80",
        "[::1]",
        &"a".repeat(64),
        &long,
    ] {
        assert!(Hostname::parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_wildcard_stands_for_one_label_or_more() {
    let wildcard = parse("*.example.com");
    for host in ["a.example.com", "a.b.example.com"] {
        assert!(wildcard.matches(host), "{host}");
    }
    for host in ["example.com", ".example.com", "aexample.com", "a.example.org", ""] {
        assert!(!wildcard.matches(host), "{host}");
    }
    assert!(Hostname::Any.matches(""));
    assert!(Hostname::Any.matches("[::1]"));
    assert!(!parse("a").matches("b"));
}

#[test]
fn suffixes_come_from_the_longest() {
    let suffixes = |host| wildcard_suffixes(host).collect::<Vec<_>>();
    assert_eq!(suffixes("a.b.c"), ["b.c", "c"]);
    assert_eq!(suffixes(".b.c"), ["c"]);
    assert!(suffixes("a").is_empty());
    assert!(suffixes("").is_empty());
}

#[test]
fn hostnames_intersect() {
    let cases = [
        ("", "", Some("")),
        ("", "*.a.b", Some("*.a.b")),
        ("a.b", "a.b", Some("a.b")),
        ("a.b", "*.b", Some("a.b")),
        ("x.a.b", "*.b", Some("x.a.b")),
        ("b", "*.b", None),
        ("*.a.b", "*.b", Some("*.a.b")),
        ("*.a.b", "*.a.b", Some("*.a.b")),
        ("*.a.b", "*.c.b", None),
        ("*.ba.b", "*.a.b", None),
        ("a.b", "c.b", None),
    ];
    for (a, b, common) in cases {
        let (a, b) = (parse(a), parse(b));
        assert_eq!(a.intersect(&b), common.map(parse), "{a} and {b}");
        assert_eq!(b.intersect(&a), common.map(parse), "{b} and {a}");
    }
}

fn label() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "b", "ab"])
}

fn host() -> impl Strategy<Value = String> {
    proptest::collection::vec(label(), 1..5).prop_map(|labels| labels.join("."))
}

fn hostname() -> impl Strategy<Value = Hostname> {
    prop_oneof![
        4 => host().prop_map(|host| parse(&host)),
        4 => host().prop_map(|host| parse(&format!("*.{host}"))),
        1 => Just(Hostname::Any),
    ]
}

proptest! {
    #[test]
    fn an_intersection_matches_what_both_match(a in hostname(), b in hostname(), host in host()) {
        let both = a.matches(&host) && b.matches(&host);
        let common = a.intersect(&b);
        prop_assert_eq!(common.is_some_and(|common| common.matches(&host)), both);
    }

    #[test]
    fn of_two_that_match_the_one_within_the_other_is_more_specific(
        a in hostname(),
        b in hostname(),
    ) {
        if let Some(common) = a.intersect(&b) {
            let narrower = if a.specificity() >= b.specificity() { &a } else { &b };
            prop_assert_eq!(&common, narrower);
        }
    }

    #[test]
    fn suffixes_are_those_of_the_wildcards_that_match(host in host(), suffix in host()) {
        let listed = wildcard_suffixes(&host).any(|s| s == suffix);
        prop_assert_eq!(listed, Hostname::Wildcard(suffix.as_str().into()).matches(&host));
    }

    #[test]
    fn no_text_breaks_the_reader(text in ".*") {
        let _ = Hostname::parse(&text);
    }
}
