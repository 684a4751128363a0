//! What of a client's headers an upstream sees, and the other way round.

use latchkey_e2e::{
    client::Request,
    echo::{Echo, Seen},
    logs::Logs,
    manifest::consumer,
    scene::{Scene, policy},
    upstream::Upstream,
};
use serde_json::json;

/// A request of somebody who claims to be an admin in every spelling.
fn forged(request: Request) -> Request {
    request
        .header("X-Consumer-Username", "admin")
        .header("x-consumer-username", "admin")
        .header("X_Consumer_Username", "admin")
        .header("X-Consumer-ID", "admin")
        .header("X-Consumer-Namespace", "admin")
        .header("X-Consumer-Custom-ID", "admin")
        .header("x-consumer-groups", "admin")
        .header("X-Consumer_Groups", "admin")
        .header("X-Credential-Identifier", "admin")
        .header("x-credential-identifier", "admin")
        .header("X-Anonymous-Consumer", "admin")
}

/// A route without auth (O-A9).
#[test]
fn forged_identity_reaches_nobody_on_an_open_route() {
    let echo = Echo::start("echo", &Logs::of_this_test());
    let scene = Scene::open(echo.address());
    let gateway = scene.gateway().start();
    let seen = Seen::of(&gateway.send(&forged(Request::get("/"))));
    assert_eq!(seen.identity(), []);
    assert!(!seen.has_trace_of("admin"));
}

/// A key of one who has no groups (O-A9).
#[test]
fn forged_identity_is_replaced_where_somebody_was_let_in() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let gateway = scene.gateway().start();
    let seen = Seen::of(&gateway.send(&forged(Request::get("/").key(&key))));
    assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("alice"));
    assert_eq!(seen.header("X-Consumer-Groups"), None);
    assert!(!seen.has_trace_of("admin"));
}

/// Two methods and two places, of which either wins (O-A9).
#[test]
fn forged_identity_is_replaced_whichever_method_or_place_lets_somebody_in() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let groups = consumer("alice").set("spec.groups", json!(["gold", "beta"]));
    scene.folder.write("consumer-alice.yaml", &[groups]);
    let places = json!([{"header": {"name": "X-First"}}, {"header": {"name": "X-Second"}}]);
    let by_key = json!({"type": "APIKey", "apiKey": {"extractFrom": places}});
    let methods = json!([by_key, {"type": "Anonymous"}]);
    scene
        .folder
        .write("policy.yaml", &[policy().set("spec.methods", methods)]);
    let gateway = scene.gateway().start();
    for place in ["X-First", "X-Second"] {
        let seen = Seen::of(&gateway.send(&forged(Request::get("/").header(place, &key))));
        assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("alice"));
        assert_eq!(seen.header("X-Consumer-Groups").as_deref(), Some("gold,beta"));
        let identifier = seen.header("X-Credential-Identifier");
        assert_eq!(identifier.as_deref(), Some("default/alice"));
        assert!(!seen.has_trace_of("admin") && !seen.has_trace_of(&key));
    }
    let nobody = Seen::of(&gateway.send(&forged(Request::get("/"))));
    assert_eq!(
        nobody.identity(),
        [("x-anonymous-consumer".to_owned(), "true".to_owned())]
    );
}

/// Anonymous (O-A9).
#[test]
fn forged_identity_is_replaced_where_nobody_is_known() {
    let (scene, _echo) = Scene::with_echo();
    let open = policy().set("spec.methods", json!([{"type": "APIKey"}, {"type": "Anonymous"}]));
    scene.folder.write("policy.yaml", &[open]);
    let gateway = scene.gateway().start();
    let seen = Seen::of(&gateway.send(&forged(Request::get("/"))));
    assert_eq!(
        seen.identity(),
        [("x-anonymous-consumer".to_owned(), "true".to_owned())]
    );
    assert!(!seen.has_trace_of("admin"));
}

/// Behind the body (O-A9).
#[test]
fn forged_identity_in_a_trailer_reaches_nobody() {
    let echo = Echo::start("echo", &Logs::of_this_test());
    let scene = Scene::open(echo.address());
    let gateway = scene.gateway().start();
    let mut connection = gateway.connect();
    let request = b"POST / HTTP/1.1\r\nHost: app.test\r\nTransfer-Encoding: chunked\r\n\
        Trailer: X-Consumer-Username\r\nTE: trailers\r\n\r\n5\r\nhello\r\n0\r\n\
        X-Consumer-Username: admin\r\nX_Consumer_Groups: admin\r\n\r\n";
    connection.send_bytes(request).expect("sent");
    let seen = Seen::of(&connection.response_to("POST").expect("an answer"));
    assert_eq!(seen.body_length(), 5);
    assert_eq!(seen.identity(), []);
    assert!(!seen.has_trace_of("admin"));
}

#[test]
fn hop_by_hop_fields_end_here_and_cannot_take_ours_with_them() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let gateway = scene.gateway().start();
    let request = Request::post("/", b"hello")
        .key(&key)
        .header(
            "Connection",
            "keep-alive, X-Consumer-Username, X-Forwarded-For, X-API-Key, Cookie",
        )
        .header("Connection", "X-Other, content-length, host")
        .header("X-Other", "mine")
        .header("Cookie", "a=b")
        .header("Keep-Alive", "timeout=5")
        .header("TE", "trailers, gzip")
        .header("Proxy-Authorization", "Basic eA==")
        .header("Proxy-Connection", "keep-alive")
        .header("Upgrade", "websocket");
    let seen = Seen::of(&gateway.send(&request));
    for gone in [
        "X-Other",
        "Cookie",
        "Keep-Alive",
        "Proxy-Authorization",
        "Proxy-Connection",
        "Upgrade",
    ] {
        assert_eq!(seen.header(gone), None, "{gone}");
    }
    assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some("alice"));
    assert!(seen.header("X-Forwarded-For").is_some());
    assert_eq!(seen.header("Host").as_deref(), Some("app.test"));
    assert_eq!(seen.body_length(), 5);
}

#[test]
fn hop_by_hop_fields_of_an_answer_end_here() {
    let upstream = Upstream::start(|peer| {
        while peer.request()?.is_some() {
            peer.write(
                b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: X-Up\r\nX-Up: 1\r\n\
                  Keep-Alive: timeout=5\r\nX-Down: 2\r\n\r\nok",
            )?;
        }
        Ok(())
    });
    let scene = Scene::open(upstream.address());
    let gateway = scene.gateway().start();
    let response = gateway.send(&Request::get("/"));
    assert_eq!(response.text(), "ok");
    assert_eq!(response.header("X-Up"), None);
    assert_eq!(response.header("Keep-Alive"), None);
    assert_eq!(response.header("X-Down"), Some("2"));
}

#[test]
fn what_a_client_says_about_its_way_here_is_replaced() {
    let echo = Echo::start("echo", &Logs::of_this_test());
    let scene = Scene::open(echo.address());
    let gateway = scene.gateway().start();
    let connection = &mut gateway.connect();
    let ours = connection
        .socket()
        .local_addr()
        .expect("connected")
        .ip()
        .to_string();
    let request = Request::get("/")
        .header("X-Forwarded-For", "6.6.6.6")
        .header("X-Forwarded-For", "7.7.7.7")
        .header("X-Forwarded-Proto", "forged")
        .header("X-Forwarded-Host", "forged.test")
        .header("X-Forwarded-Port", "666")
        .header("X-Forwarded-Uri", "/forged")
        .header("X-Real-IP", "6.6.6.6")
        .header("Forwarded", "for=6.6.6.6");
    let seen = Seen::of(&connection.send(&request).expect("an answer"));
    assert_eq!(seen.header("X-Forwarded-For"), Some(ours));
    assert_eq!(seen.header("X-Forwarded-Proto").as_deref(), Some("http"));
    assert_eq!(seen.header("X-Forwarded-Host").as_deref(), Some("app.test"));
    assert!(!seen.has_trace_of("6.6.6.6") && !seen.has_trace_of("forged"));
}

#[test]
fn traces_and_request_ids_go_through() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer("alice");
    let gateway = scene.gateway().start();
    let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let request = Request::get("/")
        .key(&key)
        .header("traceparent", traceparent)
        .header("X-Request-ID", "from-the-client");
    let seen = Seen::of(&gateway.send(&request));
    assert_eq!(seen.header("traceparent").as_deref(), Some(traceparent));
    assert_eq!(seen.header("X-Request-ID").as_deref(), Some("from-the-client"));

    let own = Seen::of(&gateway.send(&Request::get("/").key(&key))).header("X-Request-ID");
    assert!(
        own.is_some_and(|id| !id.is_empty()),
        "a request without an id gets one"
    );
    let refused = gateway.send(&Request::get("/"));
    let id = refused.json()["requestId"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    assert!(!id.is_empty(), "{}", refused.text());
    gateway.says(&[&id]);
}
