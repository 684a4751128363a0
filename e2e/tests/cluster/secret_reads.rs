//! Requests read no Secret: whatever they present, the number of reads of the whole system is what it is
//! without them.

use std::time::Instant;

use latchkey_e2e::{
    client::{Connection, Request},
    cluster::{
        Gateway, Relay, Scene,
        relay::When,
        scene::{grant, of, secret_of},
    },
    keys,
    wait::pause,
};

/// Requests to each gateway.
const MANY: usize = 3000;

/// Of Secrets: the operator's of those it resolves and of the pepper, and each gateway's of the pepper.
const WATCHES: usize = 4;

/// Reads of Secrets that anybody sent so far: of one, of all, and watches.
fn reads(relays: &[&Relay]) -> [usize; 2] {
    let secrets = || When::any().resource("secrets").method("GET");
    let count = |when: &When| relays.iter().map(|relay| relay.count(when)).sum();
    [
        count(&secrets().is_watch(false)),
        count(&secrets().is_watch(true)),
    ]
}

/// What people present: right, wrong and no keys, keys of Credentials without a value, other methods.
fn presented(right: &Request, old: &Request) -> Vec<(Request, u16)> {
    let key = |text: &str| Request::get("/").key(text);
    vec![
        (right.clone(), 200),
        (old.clone(), 401),
        (key(&keys::key("wrong")), 401),
        (key("orphan"), 401),
        (key(""), 401),
        (Request::get("/"), 401),
        (
            Request::get("/").header("Authorization", "Basic YWxpY2U6cGFzc3dvcmQ="),
            401,
        ),
        (Request::get("/").header("Authorization", "Bearer abc"), 401),
        (Request::get("/").host("nowhere.test"), 404),
    ]
}

/// Sends them in turn, many times, over one connection.
fn ask(gateway: &Gateway, presented: &[(Request, u16)]) {
    let mut connection = None;
    for (request, status) in presented.iter().cycle().take(MANY) {
        let answer = Connection::again(&mut connection, gateway.proxy(), request);
        assert_eq!(answer.expect("an answer").status, *status, "{request:?}");
    }
}

/// A request for one method never causes secret reads for another, nor for its own.
#[test]
fn thousands_of_requests_cause_no_read_of_a_secret_anywhere() {
    let scene = Scene::shared();
    let relays = [(); 2].map(|()| Relay::start(scene.cluster()));
    let [at_operator, at_gateways] = &relays;
    let operator = scene.operator().through(at_operator).start();
    let gateways = scene.gateway().through(at_gateways).start_two();
    let namespace = scene.namespace();
    let old = grant(namespace, "alice");
    for gateway in &gateways {
        gateway.becomes(&old, 200);
    }
    let right = scene.rotate("alice");
    // One whose Secret is not there: the operator has nothing to read, and no request makes it look.
    scene.consumer("orphan");
    namespace.remove(&secret_of("orphan"));
    namespace.until_condition(&of("orphan"), "Ready", "False");
    for gateway in &gateways {
        gateway.becomes(&right, 200);
        gateway.becomes(&old, 401);
    }
    namespace.until_condition(&of("alice"), "Ready", "True");
    operator.wait_settled(4.0);

    let all = [at_operator, at_gateways];
    let presented = presented(&right, &old);
    let before = reads(&all);
    let start = Instant::now();
    for gateway in &gateways {
        ask(gateway, &presented);
    }
    let busy = start.elapsed();
    let between = reads(&all);
    pause(busy);
    let after = reads(&all);
    let [with, without] =
        [[before, between], [between, after]].map(|[from, to]| [to[0] - from[0], to[1] - from[1]]);
    assert_eq!(with[0], without[0], "reads with and without requests");
    assert_eq!(with[0], 0, "reads while requests run");
    // Each ends by itself every 20 seconds and is opened again, which falls into the one time or the other.
    assert!(with[1].abs_diff(without[1]) <= WATCHES, "{with:?}, {without:?}");

    // It would be seen: a new value is read once, by the operator alone.
    let before = all.map(|relay| reads(&[relay]));
    let next = scene.rotate("alice");
    for gateway in &gateways {
        gateway.becomes(&next, 200);
    }
    let after = all.map(|relay| reads(&[relay]));
    assert_eq!(after[0][0] - before[0][0], 1);
    assert_eq!(after[1][0], before[1][0]);
    let named = at_gateways.requests(&When::any().resource("secrets"));
    assert!(!named.is_empty(), "a gateway reads its pepper");
    for read in named {
        let pepper = format!("{}?{}", read.path, read.query);
        assert!(pepper.contains("latchkey-pepper"), "{pepper}");
    }
}
