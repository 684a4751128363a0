//! Kinds are watched side by side, and any of their watches may be behind: a policy that was there before a
//! route is in force before the route is.

use std::time::Duration;

use latchkey_e2e::{
    client::Request,
    cluster::{
        Gateway, Holder, Relay, Scene,
        relay::{Action, When},
    },
    manifest::{Manifest, auth_policy, http_route},
    poll::Poll,
};

/// Numbers that are at most a second old.
const QUICK: [&str; 2] = ["--metrics-refresh-interval", "1s"];

/// A gateway behind a relay that serves a holder.
fn start() -> (Scene<'static>, Relay, Gateway, Holder) {
    let scene = Scene::shared();
    scene.put_pepper();
    let alice = Holder::put(scene.namespace(), "alice");
    let relay = Relay::start(scene.cluster());
    let gateway = scene.gateway().through(&relay).args(&QUICK).start();
    gateway.becomes(&alice.request(), 200);
    (scene, relay, gateway, alice)
}

/// A policy, and the route that it protects.
fn protected(name: &str) -> [Manifest; 2] {
    [
        auth_policy(name).target("HTTPRoute", name),
        http_route(name, "edge", &host(name)).backend("echo"),
    ]
}

fn host(name: &str) -> String {
    format!("{name}.test")
}

/// A request without a key.
fn keyless(name: &str) -> Request {
    Request::get("/").host(&host(name))
}

fn until_held(gateway: &Gateway, held: bool) {
    gateway.until_metric("latchkey_watch_openings_held", &[], |number| {
        (number > 0.0) == held
    });
    gateway.until_watches("the same", |watches| (watches["openingsHeld"] != 0) == held);
}

#[test]
fn a_route_waits_for_the_policy_before_it_however_long_its_watch_is_silent() {
    let (scene, relay, gateway, alice) = start();
    let silence = relay.add(When::watch("authpolicies"), Action::Stall);
    relay.until_caught(silence, 1);
    let poll = Poll::start(gateway.proxy(), &keyless("late"));
    let [policy, route] = protected("late");
    scene.namespace().put(&[policy]);
    scene.namespace().put(&[route]);
    until_held(&gateway, true);
    gateway.says(&["AuthPolicies that no watch has told of yet", "/late among them"]);
    assert_eq!(gateway.status(&keyless("late")), 404);

    // Keys wait for nothing.
    let bob = Holder::put(scene.namespace(), "bob");
    gateway.becomes(&bob.request(), 200);
    scene.namespace().remove(&bob.credential);
    gateway.becomes(&bob.request(), 401);

    relay.lift(silence);
    gateway.becomes(&keyless("late"), 401);
    assert_eq!(gateway.status(&alice.request().host(&host("late"))), 200);
    assert_eq!(poll.changes(), [404, 401]);
    gateway.says(&["all AuthPolicies are known"]);
    until_held(&gateway, false);
}

#[test]
fn a_route_waits_while_the_policies_cannot_be_listed_and_the_log_says_so() {
    let (scene, relay, gateway, _) = start();
    let forbidden = relay.add(When::list("authpolicies"), Action::status(403, "Forbidden"));
    let poll = Poll::start(gateway.proxy(), &keyless("later"));
    scene.namespace().put(&protected("later"));
    relay.until_caught(forbidden, 3);
    gateway.says(&["does not say which AuthPolicies there are", "403"]);
    until_held(&gateway, true);
    assert_eq!(gateway.status(&keyless("later")), 404);

    relay.lift(forbidden);
    gateway.becomes(&keyless("later"), 401);
    assert_eq!(poll.changes(), [404, 401]);
}

#[test]
fn no_route_is_ever_open_while_the_watch_of_policies_is_behind() {
    let (scene, relay, gateway, _) = start();
    let names: Vec<_> = (0..10).map(|number| format!("route-{number}")).collect();
    let poll = |name: &String| Poll::start(gateway.proxy(), &keyless(name));
    let polls: Vec<_> = names.iter().map(poll).collect();
    let crawl = Action::Trickle(Duration::from_micros(100));
    relay.add(When::watch("authpolicies"), crawl);
    for name in &names {
        scene.namespace().put(&protected(name));
    }
    for name in &names {
        gateway.becomes(&keyless(name), 401);
    }
    for poll in polls {
        assert_eq!(poll.changes(), [404, 401]);
    }
}
