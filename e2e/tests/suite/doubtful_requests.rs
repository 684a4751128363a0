//! Requests that two parsers might read differently are refused, and their connection ends: what
//! was sent behind them is never a request of its own.

use latchkey_e2e::{
    client::{Request, Response},
    echo::Seen,
    scene::Scene,
    upstream::Upstream,
};

/// What a smuggler hopes to get through.
const SMUGGLED: &str = "GET /admin HTTP/1.1\r\nHost: app.test\r\n\r\n";

/// Sends bytes with a smuggled request behind them, and gives the first answer. The connection must
/// end after it, and the upstream must have seen nothing.
fn first_answer(bytes: &str) -> Response {
    let upstream = Upstream::answering("seen");
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    connection
        .send_bytes(format!("{bytes}{SMUGGLED}").as_bytes())
        .expect("sent");
    let response = connection
        .response_to("GET")
        .unwrap_or_else(|e| panic!("no answer to {bytes:?}: {e}"));
    let rest = connection.rest();
    assert!(
        rest.is_empty(),
        "{bytes:?}: more answers: {}",
        String::from_utf8_lossy(&rest)
    );
    let seen = upstream.requests();
    assert!(seen.is_empty(), "{bytes:?}: the upstream saw {seen:?}");
    response
}

fn post(headers: &str, body: &str) -> String {
    format!("POST / HTTP/1.1\r\nHost: app.test\r\n{headers}\r\n{body}")
}

#[test]
fn doubtful_lengths() {
    for (headers, body) in [
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "0\r\n\r\n",
        ),
        ("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
        ("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
        ("Transfer-Encoding: \x0bchunked\r\n", "0\r\n\r\n"),
        ("Content-Length: 1\r\nContent-Length: 2\r\n", "ab"),
        ("Content-Length: +5\r\n", "hello"),
        ("Content-Length: 5, 6\r\n", "hello"),
        ("Content-Length : 5\r\n", "hello"),
        ("Content-Length: 99999999999999999999\r\n", "hello"),
    ] {
        let response = first_answer(&post(headers, body));
        assert_eq!(response.status, 400, "{headers:?}");
    }
}

/// RFC 9112 section 6.1: refused, or read by the coding alone, and the connection ends in both cases.
#[test]
fn two_framings_are_refused_or_become_one() {
    for lengths in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    ] {
        let upstream = Upstream::start(|peer| {
            while let Some(head) = peer.request()? {
                peer.skip_body(&head)?;
                peer.answer("one")?;
            }
            Ok(())
        });
        let scene = Scene::open(upstream.address());
        let gateway = scene.gateway().start();
        let mut connection = gateway.connect();
        let bytes = post(lengths, "0\r\n\r\n") + SMUGGLED;
        connection.send_bytes(bytes.as_bytes()).expect("sent");
        let response = connection.response_to("POST").expect("an answer");
        assert!([200, 400].contains(&response.status), "{lengths:?}");
        assert!(
            connection.rest().is_empty(),
            "{lengths:?}: the connection went on"
        );
        for head in upstream.requests() {
            assert!(
                head.request_line().starts_with("POST / "),
                "{lengths:?}: {head:?}"
            );
            assert_eq!(
                head.header_all("Content-Length").len(),
                0,
                "{lengths:?}: {head:?}"
            );
        }
    }
}

#[test]
fn doubtful_chunks() {
    // Seventeen digits that count: leading zeros are only zeros.
    for body in [
        "+5\r\nhello\r\n0\r\n\r\n",
        "10000000000000005\r\nhello\r\n0\r\n\r\n",
        "5\nhello\n0\n\n",
    ] {
        let upstream = Upstream::start(|peer| {
            if let Some(head) = peer.request()? {
                peer.skip_body(&head)?;
                peer.answer("a whole request")?;
            }
            Ok(())
        });
        let scene = Scene::open(upstream.address());
        let gateway = scene.gateway().start();
        let mut connection = gateway.connect();
        let bytes = post("Transfer-Encoding: chunked\r\n", body) + SMUGGLED;
        connection.send_bytes(bytes.as_bytes()).expect("sent");
        let answers = String::from_utf8_lossy(&connection.rest()).into_owned();
        assert!(!answers.contains("200 OK"), "{body:?}: {answers}");
        let heads = upstream.requests();
        assert!(
            heads.iter().all(|head| !head.request_line().contains("/admin")),
            "{heads:?}"
        );
    }
}

#[test]
fn transfer_codings_in_http_1_0() {
    let request = "POST / HTTP/1.0\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(first_answer(request).status, 400);
}

#[test]
fn doubtful_hosts() {
    for head in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: app.test\r\nHost: app.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: app.test, other.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: user@app.test\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: app.test/\r\n\r\n",
        "GET http://user@app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n",
        "GET ftp://app.test/ HTTP/1.1\r\nHost: app.test\r\n\r\n",
    ] {
        assert_eq!(first_answer(head).status, 400, "{head:?}");
    }
}

#[test]
fn case_port_and_final_dot_of_a_host_do_not_matter() {
    let upstream = Upstream::answering("found");
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    for host in [
        "app.test",
        "APP.test",
        "app.test:8080",
        "app.test.",
        "App.Test.:80",
    ] {
        assert_eq!(gateway.status(&Request::get("/").host(host)), 200, "{host}");
    }
    for host in ["app.test.evil", "evil.app.test", "[::1]", "[::1]:8080"] {
        assert_eq!(gateway.status(&Request::get("/").host(host)), 404, "{host}");
    }
}

#[test]
fn an_absolute_target_decides_the_host_or_is_refused_never_the_other() {
    let upstream = Upstream::answering("found");
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    let status = |target: &str, host: &str| gateway.status(&Request::get(target).host(host));
    assert_eq!(status("http://app.test/x", "app.test"), 200);
    assert!([200, 400].contains(&status("http://app.test/x", "internal.test")));
    assert!([404, 400].contains(&status("http://internal.test/x", "app.test")));
    for head in upstream.requests() {
        assert_eq!(head.request_line(), "GET /x HTTP/1.1");
        assert_eq!(head.header_all("Host"), ["app.test"]);
    }
}

#[test]
fn what_is_matched_is_what_is_forwarded() {
    let (scene, _echo) = Scene::with_echo();
    scene.folder.write(
        "route.yaml",
        &[
            latchkey_e2e::scene::route().set(
                "spec.rules.0.matches",
                serde_json::json!([{"path": {"type": "PathPrefix", "value": "/adm"}}]),
            ),
            latchkey_e2e::manifest::http_route("open", "edge", "app.test")
                .backend("echo")
                .set(
                    "spec.rules.0.matches",
                    serde_json::json!([{"path": {"type": "PathPrefix", "value": "/pub"}}]),
                ),
        ],
    );
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&Request::get("/adm/x")), 401);
    assert_eq!(gateway.status(&Request::get("/pub/x")), 200);
    for target in [
        "/pub/../adm/x",
        "/pub/%2e%2e/adm/x",
        "/pub/.%2E/adm/x",
        "//adm/x",
        "/%61dm/x",
        "/adm/x%00",
        "/....//adm",
        "/pub/%zz",
        "/pub/./../adm/x",
    ] {
        let response = gateway.send(&Request::get(target));
        if response.status == 200 {
            let seen = Seen::of(&response);
            let forwarded = seen.target();
            assert!(
                forwarded.starts_with("/pub") && !forwarded.contains("/.."),
                "{target} passed without a key as {forwarded}"
            );
            assert!(
                !forwarded.to_lowercase().contains("%2e"),
                "{target} passed as {forwarded}"
            );
        } else {
            assert!(
                [400, 401, 404].contains(&response.status),
                "{target}: {}",
                response.status
            );
        }
    }
}
