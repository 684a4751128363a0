//! The API server is away, and comes back. Gateways serve what they know, say how old it is, and take
//! in what they missed; one that starts meanwhile waits.

use std::{net::SocketAddr, time::Duration};

use latchkey_e2e::{
    client::Request,
    cluster::{
        Cluster, Gateway, Holder, Relay, Scene,
        relay::{Action, When},
    },
    gateway::accepts,
    keys,
    steady::Steady,
    wait::{eventually, eventually_within, pause},
};

/// Flags that make a gateway notice, and say, what happens within a second or two.
const QUICK: [&str; 4] = ["--contact-interval", "1s", "--metrics-refresh-interval", "1s"];

fn places(gateways: &[Gateway], place: impl Fn(&Gateway) -> SocketAddr) -> Vec<SocketAddr> {
    gateways.iter().map(place).collect()
}

/// Ready and live throughout (O-B5).
#[test]
fn while_the_api_server_is_dead_all_goes_on_and_afterwards_what_was_deleted_is_gone() {
    let cluster = Cluster::own();
    let scene = Scene::on(&cluster);
    scene.put_pepper();
    let kept: Vec<_> = (0..5)
        .map(|n| Holder::put(scene.namespace(), &format!("kept-{n}")))
        .collect();
    let deleted: Vec<_> = (0..5)
        .map(|n| Holder::put(scene.namespace(), &format!("deleted-{n}")))
        .collect();
    let relay = Relay::start(&cluster);
    let gateways = scene.gateway().through(&relay).args(&QUICK).start_two();
    for gateway in &gateways {
        for holder in kept.iter().chain(&deleted) {
            gateway.becomes(&holder.request(), 200);
        }
    }
    let proxies = places(&gateways, |gateway| gateway.proxy());
    let right: Vec<_> = kept.iter().map(Holder::request).collect();
    let right = Steady::start(&proxies, &right, 200);
    let wrong = Steady::start(&proxies, &[Request::get("/").key(&keys::key("nobody"))], 401);
    let admins = places(&gateways, |gateway| gateway.admin());
    let well = ["/readyz", "/livez"].map(Request::get);
    let well = Steady::start(&admins, &well, 200);

    cluster.kill_apiserver();
    for gateway in &gateways {
        gateway.until_metric("latchkey_contact_age_seconds", &[], |age| age > 3.0);
        for holder in &deleted {
            assert_eq!(gateway.status(&holder.request()), 200);
        }
    }
    // It is back, and the gateways cannot see it yet.
    let away = relay.add(When::any(), Action::Cut);
    cluster.start_apiserver();
    for holder in &deleted {
        scene.namespace().remove(&holder.credential);
    }
    for gateway in &gateways {
        assert_eq!(gateway.status(&deleted[0].request()), 200);
    }
    relay.lift(away);
    for gateway in &gateways {
        for holder in &deleted {
            gateway.flips(&holder.request(), 200, 401);
        }
        gateway.until_contact("it is in contact again", |age| age < 2.0);
    }
    right.finish();
    wrong.finish();
    well.finish();
}

#[test]
fn a_gateway_that_starts_without_an_api_server_says_so_binds_nothing_and_waits_for_it() {
    let scene = Scene::shared();
    scene.put_pepper();
    let alice = Holder::put(scene.namespace(), "alice");
    let relay = Relay::start(scene.cluster());
    let away = relay.add(When::any(), Action::Cut);
    let mut gateway = scene.gateway().through(&relay).start_unready();
    let said = eventually("/readyz says what fails", || {
        let said = gateway.until_unready();
        let names = ["credentials", "httproutes", "pepper"];
        let is_whole =
            names.iter().all(|name| said.contains(name)) && said.contains("check that the API server runs");
        is_whole.then(|| said.clone()).ok_or(said)
    });
    assert!(!accepts(gateway.proxy()), "a port is bound: {said}");
    relay.lift(away);
    gateway.wait_ready();
    assert_eq!(gateway.status(&alice.request()), 200);
}

#[test]
fn what_is_older_than_allowed_is_answered_503_and_never_401_until_contact_is_back() {
    /// The least that a gateway takes; contacts must be three times as frequent.
    const LIMIT: u32 = 60;
    let scene = Scene::shared();
    scene.put_pepper();
    let alice = Holder::put(scene.namespace(), "alice");
    let wrong = Request::get("/").key(&keys::key("nobody"));
    let relay = Relay::start(scene.cluster());
    let gateway = scene
        .gateway()
        .through(&relay)
        .args(&[
            "--max-staleness",
            &format!("{LIMIT}s"),
            "--contact-interval",
            "20s",
        ])
        .args(&QUICK[2..])
        .start();
    let age = |wanted: &dyn Fn(f64) -> bool| {
        gateway.until_metric("latchkey_contact_age_seconds", &[], wanted);
    };
    gateway.becomes(&alice.request(), 200);
    // The next contact is due after 16 seconds at the earliest.
    gateway.until_contact("the last contact is 15 seconds old", |age| age > 15.0);
    age(&|age| age > 15.0);
    let away = relay.add(When::any(), Action::Cut);
    let old = eventually_within(Duration::from_secs(60), "it becomes too old", || {
        let answer = gateway.send(&alice.request());
        assert!([200, 503].contains(&answer.status), "{}", answer.text());
        if answer.status == 200 {
            assert_eq!(gateway.status(&wrong), 401);
            pause(Duration::from_millis(50));
        }
        (answer.status == 503).then_some(answer).ok_or("200".to_owned())
    });
    assert_eq!(old.reason(), "unavailable");
    gateway.says(&["\"reason\":\"stale\""]);
    for request in [&wrong, &Request::get("/")] {
        assert_eq!(gateway.status(request), 503, "{request:?}");
    }
    for path in ["/readyz", "/livez"] {
        assert_eq!(gateway.ask_admin(path).status, 200, "{path}");
    }
    age(&|age| age > f64::from(LIMIT));

    relay.lift(away);
    gateway.flips(&alice.request(), 503, 200);
    assert_eq!(gateway.status(&wrong), 401);
    age(&|age| age < 20.0);
}
