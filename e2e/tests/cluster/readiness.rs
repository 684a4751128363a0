//! When a gateway calls itself ready: not before it knows all there is, and from then on always.

use std::time::Duration;

use latchkey_e2e::{
    client::{Request, send},
    cluster::{
        Holder, Relay, Scene,
        relay::{Action, When},
    },
    steady::Steady,
    wait::{eventually, pause},
};

/// More than two pages of a list.
const MANY: usize = 1200;
/// The watches of a gateway in one namespace.
const WATCHES: usize = 9;

/// Not too early (O-B5).
#[test]
fn with_slow_pages_it_is_never_ready_and_refuses_a_right_key() {
    let scene = Scene::shared();
    scene.put_pepper();
    let holders = Holder::put_many(scene.namespace(), "slow", MANY);
    // As a page lists them: the last one.
    let last = holders.last().expect("there are many").request();
    let relay = Relay::start(scene.cluster());
    let reads = When::any().method("GET").is_watch(false);
    relay.add(reads, Action::Delay(Duration::from_millis(200)));
    let mut gateway = scene.gateway().through(&relay).start_unready();
    let mut looks = 0;
    eventually("it is ready", || {
        // Asked in this order: ready before the request means ready for it.
        let ready = gateway.ready();
        match send(gateway.proxy(), &last) {
            Ok(answer) => assert_eq!(answer.status, 200, "{ready:?}: {}", answer.text()),
            Err(e) => assert!(ready.is_err(), "it is ready, and does not answer: {e}"),
        }
        looks += usize::from(ready.is_err());
        pause(Duration::from_millis(10));
        ready
    });
    let pages = relay.requests(&When::list("credentials").query("continue="));
    assert!(pages.len() >= MANY / 500, "{pages:?}");
    assert!(looks > 10, "it was not slow");
    assert_eq!(gateway.status(&last), 200);
}

/// Not too touchy (O-B5).
#[test]
fn in_a_quiet_cluster_watches_that_break_and_are_opened_again_leave_it_ready() {
    let scene = Scene::shared();
    scene.put_pepper();
    let alice = Holder::put(scene.namespace(), "alice");
    let relay = Relay::start(scene.cluster());
    let gateway = scene.gateway().through(&relay).start();
    gateway.becomes(&alice.request(), 200);
    let well = ["/readyz", "/livez"].map(Request::get);
    let well = Steady::start(&[gateway.admin()], &well, 200);
    let right = Steady::start(&[gateway.proxy()], &[alice.request()], 200);
    let watches = When::any().is_watch(true);
    for round in 0..3 {
        let broken = relay.add(watches.clone(), Action::Cut);
        relay.until_caught(broken, WATCHES);
        relay.lift(broken);
        gateway.until_watches(&format!("all work again, round {round}"), |watch| {
            let kinds = watch["kinds"].as_object().expect("an object");
            kinds.values().all(|kind| kind["working"] == kind["watches"])
        });
    }
    well.finish();
    right.finish();
}
