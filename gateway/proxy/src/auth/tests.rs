use std::fmt::Write;

use http::{HeaderMap, HeaderName, HeaderValue};
use latchkey_core::{
    digest::{KeyHash, Pepper},
    object::ObjectName,
    tenancy::{Admission, Namespaces},
};
use latchkey_index::{
    Index,
    object::{ConsumerFacts, CredentialFacts, Fact, KeySource},
};
use latchkey_routing::policy::Place;

use super::*;

const NOW: UnixSeconds = UnixSeconds(100);

/// `ns/alice` with key `a`, `other/bob` with key `b`, and `ns/carol` whose key `c` has expired.
fn index() -> Index {
    let mut index = Index::new(1);
    index.set_peppers(vec![Pepper::new("p", &[1; 32])]);
    for (namespace, name, key, expires) in [
        ("ns", "alice", "a", None),
        ("other", "bob", "b", None),
        ("ns", "carol", "c", Some(NOW)),
    ] {
        index.apply(Fact::Consumer(ConsumerFacts {
            name: ObjectName::new(namespace, name),
            uid: name.to_owned(),
            username: name.to_owned(),
            custom_id: None,
            groups: Vec::new(),
            disabled: false,
            expires: None,
            terminating: false,
        }));
        index.apply(Fact::Credential(CredentialFacts {
            name: ObjectName::new(namespace, name),
            uid: name.to_owned(),
            created: UnixSeconds(0),
            consumer: name.to_owned(),
            source: Some(KeySource::Sha256(KeyHash::of(key.as_bytes()))),
            disabled: false,
            not_before: None,
            expires,
            terminating: false,
        }));
    }
    index.commit();
    index
}

/// A policy with these methods: names of headers, or `-` for Anonymous.
fn policy(methods: &[&'static str], namespaces: Namespaces) -> Policy {
    let method = |name: &&'static str| match *name {
        "-" => Method::Anonymous,
        name => Method::ApiKey(vec![Place::Header(HeaderName::from_static(name))]),
    };
    Policy {
        name: ObjectName::new("ns", "policy"),
        methods: methods.iter().map(method).collect(),
        admission: Admission {
            own: "ns".into(),
            namespaces,
        },
        hide_credentials: true,
        passes_preflights: false,
    }
}

/// As whom a request with these lines passes, or why it does not.
fn verdict(protection: &Protection<'_>, lines: &[(&'static str, &'static str)]) -> String {
    verdict_if(protection, lines, false)
}

/// Likewise where what is known is too old, or not.
fn verdict_if(protection: &Protection<'_>, lines: &[(&'static str, &'static str)], stale: bool) -> String {
    judged(protection, &http::Method::GET, lines, stale)
}

fn judged(
    protection: &Protection<'_>,
    method: &http::Method,
    lines: &[(&'static str, &'static str)],
    stale: bool,
) -> String {
    let mut headers = HeaderMap::new();
    for (name, value) in lines {
        headers.append(*name, HeaderValue::from_static(value));
    }
    let view = RequestView {
        method,
        host: "a",
        path: "/",
        query: None,
        headers: &headers,
    };
    let snapshots = index().snapshots();
    let mut text = String::new();
    match check(protection, &view, &snapshots.load(), || NOW, || stale) {
        Ok(Verdict::Open) => text.push_str("open"),
        Ok(Verdict::Anonymous) => text.push_str("anonymous"),
        Ok(Verdict::Known(identity)) => write!(text, "{}", identity.consumer.name()).unwrap(),
        Err(reason) => text.push_str(reason.as_str()),
    }
    text
}

fn specific(policy: &Policy) -> Protection<'_> {
    Protection {
        specific: Some(policy),
        ..Protection::default()
    }
}

#[test]
fn the_first_method_that_finds_a_credential_decides() {
    let policy = policy(&["x-first", "-", "x-second"], Namespaces::All);
    let protection = specific(&policy);
    for (lines, expected) in [
        (&[][..], "anonymous"),
        (&[("x-other", "a")], "anonymous"),
        (&[("x-first", "a"), ("x-second", "b")], "alice"),
        (&[("x-second", "b")], "bob"),
        (&[("x-first", "wrong"), ("x-second", "b")], "unknown_key"),
        (&[("x-first", "c"), ("x-second", "b")], "expired"),
        (&[("x-second", "wrong")], "unknown_key"),
        (&[("x-first", ""), ("x-second", "b")], "empty_credential"),
        (&[("x-second", "")], "empty_credential"),
        (&[("x-first", "a"), ("x-first", "a")], "multiple_credentials"),
    ] {
        assert_eq!(verdict(&protection, lines), expected, "{lines:?}");
    }
}

#[test]
fn where_what_is_known_is_too_old_only_who_needs_no_credential_passes() {
    let keyed = policy(&["x-key"], Namespaces::All);
    let either = policy(&["x-key", "-"], Namespaces::All);
    for (protection, lines, expected) in [
        (specific(&keyed), &[("x-key", "a")][..], "stale"),
        (specific(&keyed), &[("x-key", "wrong")], "stale"),
        (specific(&keyed), &[("x-key", "")], "stale"),
        (specific(&keyed), &[], "stale"),
        (specific(&either), &[], "anonymous"),
        (specific(&either), &[("x-key", "a")], "stale"),
        (Protection::default(), &[("x-key", "a")], "open"),
        (
            Protection {
                gateway_override: Some(&keyed),
                ..specific(&either)
            },
            &[],
            "stale",
        ),
    ] {
        assert_eq!(verdict_if(&protection, lines, true), expected, "{lines:?}");
    }
}

#[test]
fn a_policy_admits_the_namespaces_it_names() {
    let own = policy(&["x-key"], Namespaces::These(["ns".into()].into()));
    assert_eq!(verdict(&specific(&own), &[("x-key", "a")]), "alice");
    assert_eq!(verdict(&specific(&own), &[("x-key", "b")]), "unknown_key");
}

#[test]
fn a_closed_scope_lets_nobody_in() {
    let policy = policy(&["-"], Namespaces::All);
    let protection = Protection {
        closed: Some(Reason::PolicyInvalid),
        ..specific(&policy)
    };
    assert_eq!(verdict(&protection, &[]), "policy_invalid");
    assert_eq!(verdict(&Protection::default(), &[]), "open");
}

#[test]
fn overrides_must_pass_too_and_the_most_specific_identity_counts() {
    let gateway = policy(&["x-gateway", "-"], Namespaces::All);
    let listener = policy(&["x-listener"], Namespaces::All);
    let route = policy(&["x-route", "-"], Namespaces::All);
    let protection = Protection {
        closed: None,
        gateway_override: Some(&gateway),
        listener_override: Some(&listener),
        specific: Some(&route),
    };
    for (lines, expected) in [
        (&[][..], "no_credential"),
        (&[("x-route", "a")], "no_credential"),
        (&[("x-listener", "a")], "alice"),
        (&[("x-listener", "a"), ("x-route", "b")], "bob"),
        (&[("x-gateway", "b"), ("x-listener", "a")], "alice"),
        (
            &[("x-gateway", "wrong"), ("x-listener", "a"), ("x-route", "b")],
            "unknown_key",
        ),
        (&[("x-listener", "a"), ("x-route", "wrong")], "unknown_key"),
    ] {
        assert_eq!(verdict(&protection, lines), expected, "{lines:?}");
    }
}

#[test]
fn an_override_alone_gives_its_identity() {
    let over = policy(&["x-key", "-"], Namespaces::All);
    let protection = Protection {
        gateway_override: Some(&over),
        ..Protection::default()
    };
    assert_eq!(verdict(&protection, &[("x-key", "a")]), "alice");
    assert_eq!(verdict(&protection, &[]), "anonymous");
}

/// What a browser asks before it sends a request, with more lines.
fn preflight(protection: &Protection<'_>, more: &[(&'static str, &'static str)], stale: bool) -> String {
    let asked = [
        ("origin", "https://app.example"),
        ("access-control-request-method", "GET"),
    ];
    judged(
        protection,
        &http::Method::OPTIONS,
        &[&asked[..], more].concat(),
        stale,
    )
}

#[test]
fn a_policy_may_let_preflights_pass_and_nothing_else() {
    let asking = policy(&["x-key"], Namespaces::All);
    let passing = Policy {
        passes_preflights: true,
        ..policy(&["x-key"], Namespaces::All)
    };
    assert_eq!(preflight(&specific(&asking), &[], false), "no_credential");
    assert_eq!(preflight(&specific(&passing), &[], false), "anonymous");
    assert_eq!(preflight(&specific(&passing), &[], true), "anonymous");
    assert_eq!(verdict(&specific(&passing), &[]), "no_credential");
    let plain = judged(&specific(&passing), &http::Method::OPTIONS, &[], false);
    assert_eq!(plain, "no_credential");
}

#[test]
fn a_preflight_with_a_credential_is_judged_by_it() {
    let passing = Policy {
        passes_preflights: true,
        ..policy(&["x-key"], Namespaces::All)
    };
    for (key, expected) in [
        ("a", "alice"),
        ("wrong", "unknown_key"),
        ("", "empty_credential"),
        ("c", "expired"),
    ] {
        let lines = [("x-key", key)];
        assert_eq!(preflight(&specific(&passing), &lines, false), expected, "{key}");
    }
}

#[test]
fn of_two_policies_each_lets_preflights_pass_for_itself() {
    let asking = policy(&["x-key"], Namespaces::All);
    let passing = Policy {
        passes_preflights: true,
        ..policy(&["x-key"], Namespaces::All)
    };
    for (over, specific, expected) in [
        (&asking, &passing, "no_credential"),
        (&passing, &asking, "no_credential"),
        (&passing, &passing, "anonymous"),
    ] {
        let protection = Protection {
            gateway_override: Some(over),
            specific: Some(specific),
            ..Protection::default()
        };
        assert_eq!(preflight(&protection, &[], false), expected);
    }
    let closed = Protection {
        closed: Some(Reason::PolicyInvalid),
        ..specific(&passing)
    };
    assert_eq!(preflight(&closed, &[], false), "policy_invalid");
}
