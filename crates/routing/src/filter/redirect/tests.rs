use super::*;
use Scheme::{Http, Https};

const ASKED: Asked<'_> = Asked {
    scheme: Http,
    host: "api.test",
    port: 80,
    path: "/a/b",
    query: None,
};

fn redirect() -> Redirect {
    Redirect {
        status: StatusCode::FOUND,
        scheme: None,
        hostname: None,
        port: None,
        path: None,
    }
}

/// The cases of the conformance test `HTTPRouteRedirectPortAndScheme`, and those between them.
#[test]
fn the_port_is_derived_and_a_well_known_one_is_not_written() {
    for (asked, listener, scheme, port, expected) in [
        (Http, 80, None, None, "http://example.org/a/b"),
        (Http, 80, None, Some(80), "http://example.org/a/b"),
        (Http, 80, None, Some(8080), "http://example.org:8080/a/b"),
        (Http, 80, Some(Https), None, "https://example.org/a/b"),
        (Http, 80, Some(Https), Some(443), "https://example.org/a/b"),
        (Http, 80, Some(Https), Some(8443), "https://example.org:8443/a/b"),
        (Http, 80, Some(Https), Some(80), "https://example.org:80/a/b"),
        (Http, 8080, None, None, "http://example.org:8080/a/b"),
        (Http, 8080, None, Some(80), "http://example.org/a/b"),
        (Http, 8080, Some(Https), None, "https://example.org/a/b"),
        (Http, 8080, Some(Http), None, "http://example.org/a/b"),
        (Http, 443, None, None, "http://example.org:443/a/b"),
        (Https, 443, None, None, "https://example.org/a/b"),
        (Https, 443, None, Some(443), "https://example.org/a/b"),
        (Https, 443, None, Some(8443), "https://example.org:8443/a/b"),
        (Https, 443, Some(Http), None, "http://example.org/a/b"),
        (Https, 443, Some(Http), Some(80), "http://example.org/a/b"),
        (Https, 443, Some(Http), Some(8080), "http://example.org:8080/a/b"),
    ] {
        let redirect = Redirect {
            scheme,
            port,
            hostname: Some("example.org".into()),
            ..redirect()
        };
        let asked = Asked {
            scheme: asked,
            port: listener,
            ..ASKED
        };
        assert_eq!(
            redirect.location(&asked).as_deref(),
            Some(expected),
            "{asked:?} {redirect:?}"
        );
    }
}

#[test]
fn what_it_does_not_say_is_as_the_client_asked() {
    let asked = Asked {
        query: Some("x=1&y"),
        ..ASKED
    };
    let plain = Redirect {
        scheme: Some(Https),
        ..redirect()
    };
    assert_eq!(
        plain.location(&asked).as_deref(),
        Some("https://api.test/a/b?x=1&y")
    );
    let literal = Asked {
        host: "[::1]",
        query: Some(""),
        ..ASKED
    };
    assert_eq!(plain.location(&literal).as_deref(), Some("https://[::1]/a/b"));
    let nameless = Asked { host: "", ..ASKED };
    assert_eq!(plain.location(&nameless), None);
}

#[test]
fn another_path_keeps_the_query() {
    let asked = Asked {
        query: Some("x=1"),
        ..ASKED
    };
    for (path, expected) in [
        (PathChange::full("/other"), "http://api.test/other?x=1"),
        (PathChange::prefix(2, "/other"), "http://api.test/other/b?x=1"),
        (PathChange::prefix(4, ""), "http://api.test/?x=1"),
    ] {
        let redirect = Redirect {
            path: path.ok(),
            ..redirect()
        };
        assert_eq!(redirect.location(&asked).as_deref(), Some(expected));
    }
}
