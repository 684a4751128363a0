use http::HeaderValue;
use latchkey_core::{
    object::ObjectName,
    tenancy::{Admission, Namespaces},
};
use latchkey_routing::policy::Policy;

use super::*;

fn policy(hide_credentials: bool, methods: Vec<Method>) -> Policy {
    Policy {
        name: ObjectName::new("ns", "p"),
        methods,
        admission: Admission {
            own: "ns".into(),
            namespaces: Namespaces::All,
        },
        hide_credentials,
        passes_preflights: false,
    }
}

fn header_place(name: &'static str) -> Place {
    Place::Header(HeaderName::from_static(name))
}

fn query_place(name: &str) -> Place {
    Place::Query(name.to_owned())
}

#[test]
fn all_places_of_all_hiding_policies_go() {
    let specific = policy(
        true,
        vec![
            Method::ApiKey(vec![header_place("apikey"), query_place("apikey")]),
            Method::Anonymous,
            Method::ApiKey(vec![header_place("x-second")]),
        ],
    );
    let over = policy(
        true,
        vec![Method::ApiKey(vec![header_place("x-override"), query_place("o")])],
    );
    let shown = policy(
        false,
        vec![Method::ApiKey(vec![header_place("x-shown"), query_place("s")])],
    );
    let protection = Protection {
        closed: None,
        gateway_override: Some(&over),
        listener_override: Some(&shown),
        specific: Some(&specific),
    };

    let mut head = HeaderMap::new();
    for name in ["apikey", "x-second", "x-override", "x-shown", "x-other"] {
        head.append(name, HeaderValue::from_static("K1"));
        head.append(name, HeaderValue::from_static("K1"));
    }
    headers(&protection, &mut head);
    let names: Vec<_> = head.keys().map(HeaderName::as_str).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.contains(&"x-shown") && names.contains(&"x-other"));

    assert_eq!(
        query(&protection, "apikey=K1&s=K1&o=K1&x=1").as_deref(),
        Some("s=K1&x=1")
    );
    assert_eq!(query(&protection, "x=1"), None);
}

/// CGI and WSGI read `x_api_key` and `X-API-Key` as one.
#[test]
fn copies_with_the_other_mark_go_too() {
    let policy = policy(
        true,
        vec![Method::ApiKey(vec![
            header_place("x-api-key"),
            header_place("under_score"),
            header_place("content-length"),
        ])],
    );
    let protection = Protection {
        specific: Some(&policy),
        ..Protection::default()
    };
    let mut head = HeaderMap::new();
    for name in [
        "x_api_key",
        "x-api_key",
        "x-api-key",
        "under-score",
        "under_score",
        "content-length",
        "x-api-keys",
        "xxapi-key",
    ] {
        head.append(name, HeaderValue::from_static("1"));
    }
    let declared = "x_api_key, under-score, x-sum";
    head.insert(header::TRAILER, HeaderValue::from_static(declared));
    headers(&protection, &mut head);
    trailers(&protection, &mut head);
    let mut names: Vec<_> = head.keys().map(HeaderName::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["content-length", "trailer", "x-api-keys", "xxapi-key"]);
    assert_eq!(head[header::TRAILER], "x-sum");
}

#[test]
fn an_open_route_hides_nothing() {
    let mut head = HeaderMap::new();
    head.insert("x-api-key", HeaderValue::from_static("K1"));
    headers(&Protection::default(), &mut head);
    assert_eq!(head.len(), 1);
    assert_eq!(query(&Protection::default(), "apikey=K1"), None);
}
