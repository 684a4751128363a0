//! Upstreams learn who calls from the gateway alone (O-A9).

use crate::harness::{
    Gateway, Message, Upstream,
    objects::{ALICE, BOB},
};

const FORGED: &str = "X-Consumer-Username: admin\r\nx-consumer-username: root\r\nX_Consumer_Username: root\r\n\
    x-consumer-groups: root\r\nX-Consumer_Groups: root\r\nX-CONSUMER-ID: 1\r\nX-Consumer-Custom-ID: 1\r\n\
    X-Consumer-Namespace: kube-system\r\nX-Credential-Identifier: z\r\nX-Anonymous-Consumer: false\r\n";

/// The identity fields that the upstream sees, sorted.
fn identity(request: &Message) -> Vec<String> {
    let mut lines: Vec<String> = request
        .head
        .lines()
        .filter(|line| {
            let line = line.to_lowercase().replace('_', "-");
            line.starts_with("x-consumer")
                || line.starts_with("x-credential")
                || line.starts_with("x-anonymous")
        })
        .map(str::to_owned)
        .collect();
    lines.sort();
    lines
}

fn seen(target: &str, lines: &str) -> Vec<String> {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway.get(target, &format!("{FORGED}{lines}"));
    assert_eq!(answer.status(), 200, "{answer:?}");
    identity(&upstream.requests()[0])
}

#[test]
fn an_open_route_shows_nobody() {
    assert_eq!(seen("/open", ""), [""; 0]);
}

#[test]
fn an_anonymous_request_says_so() {
    assert_eq!(seen("/anon", ""), ["x-anonymous-consumer: true"]);
}

#[test]
fn a_known_consumer_is_named_by_one_line_each() {
    let alice = [
        "x-consumer-custom-id: c-1",
        "x-consumer-groups: gold,beta",
        "x-consumer-id: uid-alice",
        "x-consumer-namespace: default",
        "x-consumer-username: alice@example",
        "x-credential-identifier: default/alice-key",
    ];
    assert_eq!(seen("/key", &format!("X-API-Key: {ALICE}\r\n")), alice);
    assert_eq!(seen(&format!("/anon?apikey={ALICE}"), ""), alice);
    assert_eq!(seen("/two", &format!("X-Second: {ALICE}\r\n")), alice);
}

#[test]
fn what_a_consumer_does_not_have_is_absent() {
    assert_eq!(
        seen("/key", &format!("X-API-Key: {BOB}\r\n")),
        [
            "x-consumer-id: uid-bob",
            "x-consumer-namespace: default",
            "x-consumer-username: bob@example",
            "x-credential-identifier: default/bob-key",
        ]
    );
}

#[test]
fn keys_of_two_consumers_are_nobodys() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let refused = gateway.get("/two", &format!("X-First: {ALICE}\r\nX-Second: {BOB}\r\n"));
    assert_eq!(
        (refused.status(), refused.reason().as_str()),
        (401, "credential_invalid")
    );
    assert!(upstream.requests().is_empty());
}

#[test]
fn trailers_cannot_say_who_calls() {
    let upstream = Upstream::echo();
    let gateway = Gateway::of(&[upstream.address]);
    let answer = gateway.ask(format!(
        "POST /key HTTP/1.1\r\nHost: a\r\nX-API-Key: {ALICE}\r\nTransfer-Encoding: chunked\r\n\
         Trailer: X-Sum, X-Consumer-Groups, X_Consumer_Id, X-API-Key\r\n\r\n\
         2\r\nhi\r\n0\r\nX-Sum: 7\r\nX-Consumer-Groups: root\r\nX_Consumer_Id: 1\r\nX-API-Key: {ALICE}\r\n\r\n"
    ));
    assert_eq!(answer.status(), 200);
    let request = &upstream.requests()[0];
    assert_eq!(request.body, b"hi");
    assert_eq!(request.trailers.to_lowercase(), "x-sum: 7\n");
    assert_eq!(request.field("trailer").as_deref(), Some("x-sum"));
    assert_eq!(request.field("x-consumer-groups").as_deref(), Some("gold,beta"));
}
