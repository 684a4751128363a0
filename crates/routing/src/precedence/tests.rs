use http::{HeaderName, Method};
use proptest::{prelude::*, sample::select};

use super::*;
use crate::matches::{HeaderMatch, QueryMatch};

fn matcher(path: PathMatch, method: bool, headers: usize, queries: usize) -> Match {
    let names = ["a", "b", "c"];
    Match {
        path,
        method: method.then_some(Method::GET),
        headers: names[..headers]
            .iter()
            .map(|name| HeaderMatch {
                name: HeaderName::from_static(name),
                value: None,
            })
            .collect(),
        queries: names[..queries]
            .iter()
            .map(|name| QueryMatch {
                name: (*name).into(),
                value: None,
            })
            .collect(),
        widened: false,
    }
}

fn exact(path: &str) -> PathMatch {
    PathMatch::Exact(path.into())
}

#[test]
fn each_criterion_decides_before_the_next() {
    let (early, late) = (UnixSeconds(1), UnixSeconds(2));
    let (a, b) = (ObjectName::new("a", "b"), ObjectName::new("b", "a"));
    let short = || PathMatch::prefix("/a");
    let long = || PathMatch::prefix("/a/");
    let widened = Match {
        widened: true,
        ..matcher(short(), false, 0, 0)
    };
    // From first to last; each is worse than the one above in one way, and better in all that follow.
    let rows = [
        (
            matcher(PathMatch::Unknown("".into()), false, 0, 0),
            late,
            &b,
            9,
            9,
        ),
        (matcher(exact("/"), false, 0, 0), late, &b, 9, 9),
        (matcher(long(), false, 0, 0), late, &b, 9, 9),
        (widened, late, &b, 9, 9),
        (matcher(short(), true, 0, 0), late, &b, 9, 9),
        (matcher(short(), false, 2, 0), late, &b, 9, 9),
        (matcher(short(), false, 1, 2), late, &b, 9, 9),
        (matcher(short(), false, 1, 1), early, &b, 9, 9),
        (matcher(short(), false, 1, 1), late, &a, 9, 9),
        (matcher(short(), false, 1, 1), late, &b, 1, 9),
        (matcher(short(), false, 1, 1), late, &b, 2, 1),
        (matcher(short(), false, 1, 1), late, &b, 2, 2),
    ];
    let keys: Vec<_> = rows
        .iter()
        .map(|(matcher, created, route, rule, element)| {
            let origin = Origin {
                created: *created,
                route,
                rule: *rule,
                element: *element,
            };
            Precedence::of(matcher, origin)
        })
        .collect();
    for (index, pair) in keys.windows(2).enumerate() {
        assert!(pair[0] < pair[1], "rows {index} and {}", index + 1);
    }
}

type Row = (Match, UnixSeconds, ObjectName, usize);

fn row() -> impl Strategy<Value = Row> {
    let path = prop_oneof![
        select(vec!["/", "/a", "/a/", "/a/b"]).prop_map(PathMatch::prefix),
        select(vec!["/", "/a"]).prop_map(exact),
    ];
    let name = select(vec!["a", "b"]).prop_map(|name| ObjectName::new("n", name));
    (
        path,
        any::<bool>(),
        0..3usize,
        0..3usize,
        0..2i64,
        name,
        0..3usize,
    )
        .prop_map(|(path, method, headers, queries, created, name, rule)| {
            (
                matcher(path, method, headers, queries),
                UnixSeconds(created),
                name,
                rule,
            )
        })
}

/// Gateway API's words, one after the other.
fn naive(a: &Row, b: &Row) -> std::cmp::Ordering {
    let exact = |row: &Row| matches!(row.0.path, PathMatch::Exact(_));
    let length = |row: &Row| match &row.0.path {
        PathMatch::Prefix { written, .. } => *written,
        PathMatch::Exact(_) | PathMatch::Unknown(_) => 0,
    };
    exact(b)
        .cmp(&exact(a))
        .then(length(b).cmp(&length(a)))
        .then(b.0.method.is_some().cmp(&a.0.method.is_some()))
        .then(b.0.headers.len().cmp(&a.0.headers.len()))
        .then(b.0.queries.len().cmp(&a.0.queries.len()))
        .then(a.1.cmp(&b.1))
        .then(a.2.to_string().cmp(&b.2.to_string()))
        .then(a.3.cmp(&b.3))
}

proptest! {
    #[test]
    fn the_order_is_gateway_apis(a in row(), b in row()) {
        let first = Precedence::of(&a.0, Origin { created: a.1, route: &a.2, rule: a.3, element: 0 });
        let second = Precedence::of(&b.0, Origin { created: b.1, route: &b.2, rule: b.3, element: 0 });
        prop_assert_eq!(first.cmp(&second), naive(&a, &b));
    }
}
