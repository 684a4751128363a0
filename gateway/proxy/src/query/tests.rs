use proptest::prelude::*;

use super::*;

fn all(query: &str, name: &str) -> Vec<Option<String>> {
    values(query, name)
        .map(|value| value.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
        .collect()
}

#[test]
fn names_and_values_are_read_decoded() {
    let value = |text: &str| Some(text.to_owned());
    for (query, expected) in [
        ("", vec![]),
        ("a=1", vec![]),
        ("apikey=K1", vec![value("K1")]),
        ("%61pikey=K1", vec![value("K1")]),
        ("%61%70%69key=K%2f1", vec![value("K/1")]),
        ("apikey=a+b%20c", vec![value("a b c")]),
        ("apikey", vec![None]),
        ("apikey=", vec![value("")]),
        ("apikey=K1&x=2&apikey=K2", vec![value("K1"), value("K2")]),
        ("APIKEY=K1", vec![]),
        ("apikey%3DK1", vec![]),
        ("apikey=%zz%4", vec![value("%zz%4")]),
        ("apikey=a=b", vec![value("a=b")]),
    ] {
        assert_eq!(all(query, "apikey"), expected, "{query}");
    }
}

#[test]
fn hidden_pairs_go_and_the_rest_keeps_its_bytes() {
    for (query, expected) in [
        ("b=%2F&apikey=K1&a=1&%61pikey=K1&a=2", Some("b=%2F&a=1&a=2")),
        ("apikey=K1", Some("")),
        ("apikey", Some("")),
        ("apikey=K1&x=1", Some("x=1")),
        ("x=1&apikey=K1", Some("x=1")),
        ("a&&b&apikey=K1&", Some("a&&b&")),
        ("x=apikey&y=%zz", None),
        ("", None),
    ] {
        assert_eq!(without(query, &["apikey"]).as_deref(), expected, "{query}");
    }
}

#[test]
fn every_hidden_name_is_removed() {
    assert_eq!(without("a=1&b=2&c=3", &["a", "c"]).as_deref(), Some("b=2"));
}

proptest! {
    /// No trace of the key is left, and the pairs that stay are the same bytes in the same order.
    #[test]
    fn hiding_removes_the_key_and_nothing_else(
        pairs in prop::collection::vec(("[a-c%+=]{0,3}", "[x-z%+=]{0,4}"), 0..6),
        spelling in prop::sample::select(vec!["apikey", "%61pikey", "api%6bey", "%61%70%69%6B%65%79"]),
        at in 0_usize..7,
    ) {
        let mut raw: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let others = raw.join("&");
        raw.insert(at.min(raw.len()), format!("{spelling}=SECRET"));
        let edited = without(&raw.join("&"), &["apikey"]);
        prop_assert_eq!(edited, Some(others));
    }

    #[test]
    fn a_query_without_the_name_is_left_alone(query in "[a-z&=%+]{0,30}") {
        prop_assume!(values(&query, "apikey").next().is_none());
        prop_assert_eq!(without(&query, &["apikey"]), None);
    }
}
