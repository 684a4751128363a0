//! Connections to the API server that stay open and carry nothing any more: noticed by the gateway's own
//! clock, without a busy loop, while it serves what it knows.

use std::time::{Duration, Instant};

use latchkey_e2e::{
    client::Request,
    cluster::{
        Holder, Relay, Scene,
        relay::{Action, When},
    },
    steady::Steady,
    wait::eventually_within,
};

/// Within which silence is noticed.
const BOUND: Duration = Duration::from_secs(30);
/// The watches of a gateway in one namespace.
const WATCHES: usize = 9;

/// All that passes is lost, and nobody is told (O-B4).
#[test]
fn when_every_connection_falls_silent_it_notices_serves_on_and_converges_afterwards() {
    let scene = Scene::shared();
    scene.put_pepper();
    let (alice, bob) = (
        Holder::put(scene.namespace(), "alice"),
        Holder::put(scene.namespace(), "bob"),
    );
    let relay = Relay::start(scene.cluster());
    let gateway = scene
        .gateway()
        .through(&relay)
        .args(&["--contact-interval", "1s"])
        .start();
    gateway.becomes(&alice.request(), 200);
    gateway.becomes(&bob.request(), 200);
    let kept = Steady::start(&[gateway.proxy()], &[bob.request()], 200);
    let ready = Steady::start(&[gateway.admin()], &[Request::get("/readyz")], 200);

    let silence = relay.add(When::any(), Action::Stall);
    let start = Instant::now();
    relay.until_caught(silence, WATCHES);
    scene.namespace().remove(&alice.credential);
    eventually_within(BOUND, "it notices all of them", || {
        let watch = gateway.watches();
        let kinds = watch["kinds"].as_object().expect("an object");
        let all = kinds.values().all(|kind| kind["working"] == 0);
        all.then_some(()).ok_or_else(|| watch.to_string())
    });
    assert_eq!(gateway.status(&alice.request()), 200);
    let age = gateway.watches()["contactAgeSeconds"].as_f64();
    let silent = start.elapsed().as_secs_f64();
    assert!(
        age.is_some_and(|age| age > silent - 3.0),
        "after {silent} s it says {age:?}"
    );
    // A contact waits for five seconds, a watch or a list for more.
    let asked = relay.caught(silence);
    assert!(asked < 4 * WATCHES, "{asked} requests in {silent} s");

    relay.lift(silence);
    gateway.flips(&alice.request(), 200, 401);
    gateway.until_contact("it is in contact again", |age| age < 2.0);
    kept.finish();
    ready.finish();
}

/// One flow is forgotten on the way (O-B4).
#[test]
fn a_watch_that_alone_falls_silent_is_replaced_in_time() {
    let scene = Scene::shared();
    scene.put_pepper();
    let alice = Holder::put(scene.namespace(), "alice");
    let relay = Relay::start(scene.cluster());
    let gateway = scene.gateway().through(&relay).start();
    gateway.becomes(&alice.request(), 200);
    // That of now, for ever; those to come are not touched.
    let silence = relay.add_times(1, When::watch("credentials"), Action::Stall);
    relay.until_caught(silence, 1);
    scene.namespace().remove(&alice.credential);
    assert_eq!(gateway.status(&alice.request()), 200);
    eventually_within(BOUND, "the key dies", || {
        let status = gateway.status(&alice.request());
        (status == 401).then_some(()).ok_or_else(|| status.to_string())
    });
}
