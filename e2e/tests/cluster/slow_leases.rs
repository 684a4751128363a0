//! Calls for the lease that are slow, hang or fail: a leader bears what its deadline allows, and one that
//! lost the lease writes nothing, whatever else hangs.

use std::time::{Duration, Instant};

use latchkey_e2e::{
    cluster::{
        Operator, Relay, Scene,
        relay::{Action, RuleId, When},
        scene::{of, secret_of},
    },
    wait::eventually,
};
use serde_json::Value;

/// A leader that cannot renew it for 6 s stops writing; it tries every 1.2 s.
const LEASE: &str = "9s";
const DEADLINE: Duration = Duration::from_secs(6);

fn start(scene: &Scene<'_>, relay: &Relay) -> Operator {
    let starter = scene.operator().through(relay);
    starter.args(&["--lease-duration", LEASE]).start()
}

fn leases() -> When {
    When::any().resource("leases")
}

/// Waits until the lease was renewed by a call that is sent from now on.
fn until_renewed(relay: &Relay) {
    let claims = leases().method("PUT");
    let now = Instant::now();
    eventually("the lease is renewed", || {
        let claims = relay.requests(&claims);
        let renewed = claims
            .iter()
            .any(|claim| claim.at > now && claim.status == Some(200));
        renewed.then_some(()).ok_or("it is not".to_owned())
    });
}

/// How often an operator has said that it leads, and that it does not any more.
fn said(operator: &Operator) -> (usize, usize) {
    let output = operator.process().output();
    let count = |text: &str| output.matches(text).count();
    (
        count("leading: this process writes"),
        count("not leading any more"),
    )
}

fn until_said(operator: &Operator, wanted: (usize, usize)) {
    eventually(&format!("it began and ended to lead {wanted:?} times"), || {
        let said = said(operator);
        (said == wanted).then_some(()).ok_or(format!("{said:?}"))
    });
}

fn until_caught(relay: &Relay, rule: RuleId) {
    eventually("a request meets the rule", || {
        (relay.caught(rule) > 0).then_some(()).ok_or("none".to_owned())
    });
}

/// Rotates alice's key; gives the version of the Secret that is to be published.
fn rotate(scene: &Scene<'_>) -> Value {
    scene.rotate("alice");
    let secret = scene.namespace().read(&secret_of("alice")).unwrap_or_default();
    secret["metadata"]["resourceVersion"].clone()
}

fn until_published(scene: &Scene<'_>, version: &Value) {
    scene
        .namespace()
        .until(&of("alice"), "the version is published", |object| {
            object["status"]["published"][0]["secretResourceVersion"] == *version
        });
}

/// The status writes that a relay has seen since a moment.
fn writes_since(relay: &Relay, moment: Instant) -> usize {
    let writes = relay.requests(&When::status());
    writes.iter().filter(|write| write.at > moment).count()
}

/// One slow, hanging or failed call is borne (O-B7).
#[test]
fn slow_hanging_and_failing_calls_inside_the_deadline_cost_no_leadership() {
    let scene = Scene::shared();
    let relay = Relay::start(scene.cluster());
    let operator = start(&scene, &relay);
    until_said(&operator, (1, 0));

    let slow = relay.add(leases(), Action::Delay(DEADLINE / 4));
    eventually("several calls were slow", || {
        let caught = relay.caught(slow);
        (caught >= 4).then_some(()).ok_or(format!("{caught}"))
    });
    relay.lift(slow);
    until_renewed(&relay);
    for action in [
        Action::Delay(DEADLINE - Duration::from_millis(100)),
        Action::Stall,
        Action::Cut,
        Action::status(500, "InternalError"),
    ] {
        let rule = relay.add_times(1, leases(), action);
        until_caught(&relay, rule);
        // The rule still holds what it caught: that call was given up.
        until_renewed(&relay);
        relay.lift(rule);
    }
    assert_eq!(said(&operator), (1, 0));
}

/// Half a minute of errors is not (O-B7).
#[test]
fn a_leader_that_cannot_renew_stops_writing_and_goes_on_when_it_can() {
    let scene = Scene::shared();
    let relay = Relay::start(scene.cluster());
    let operator = start(&scene, &relay);
    scene.consumer("alice");
    scene.namespace().until_condition(&of("alice"), "Ready", "True");
    scene.until_routes_are_accepted();

    let errors = relay.add(leases(), Action::status(500, "InternalError"));
    until_said(&operator, (1, 1));
    let lost = Instant::now();
    let version = rotate(&scene);
    let caught = relay.caught(errors);
    eventually("it has tried to lead again", || {
        (relay.caught(errors) >= caught + 2)
            .then_some(())
            .ok_or("not yet".to_owned())
    });
    assert_eq!(writes_since(&relay, lost), 0);

    relay.lift(errors);
    until_said(&operator, (2, 1));
    until_published(&scene, &version);
    assert_eq!(writes_since(&relay, lost), 1);
}

/// Whatever is stuck when the lease is lost (O-B7).
#[test]
fn who_lost_the_lease_sends_no_write_while_its_calls_hang_and_never_do_both_write() {
    let scene = Scene::shared();
    let relays = [(); 2].map(|()| Relay::start(scene.cluster()));
    let first = start(&scene, &relays[0]);
    until_said(&first, (1, 0));
    let second = start(&scene, &relays[1]);
    scene.consumer("alice");
    scene.consumer("bob");
    for name in ["alice", "bob"] {
        scene.namespace().until_condition(&of(name), "Ready", "True");
    }
    scene.until_routes_are_accepted();

    // A read and a write are under way when the lease is lost, and all three hang.
    let reading = relays[0].add(When::get("secrets", "bob"), Action::Hold);
    scene.rotate("bob");
    until_caught(&relays[0], reading);
    let writing = relays[0].add(When::status(), Action::Stall);
    let version = rotate(&scene);
    until_caught(&relays[0], writing);
    let cut_off = relays[0].add(leases(), Action::Stall);
    until_said(&first, (1, 1));
    let lost = Instant::now();
    // What was read comes now, and would be written next.
    let looks = first.looks();
    relays[0].lift(reading);
    first.until_looks(looks);
    until_published(&scene, &version);
    scene.namespace().remove(&secret_of("bob"));
    scene.namespace().until_condition(&of("bob"), "Ready", "False");

    for rule in [writing, cut_off] {
        relays[0].lift(rule);
    }
    let version = rotate(&scene);
    until_published(&scene, &version);
    assert_eq!(writes_since(&relays[0], lost), 0);

    drop(second);
    until_said(&first, (2, 1));
    until_published(&scene, &rotate(&scene));
    assert_eq!(turns(&relays), [0, 1, 0], "they wrote in between each other");
}

/// By turns, who wrote statuses.
fn turns(relays: &[Relay; 2]) -> Vec<usize> {
    let mut writes: Vec<_> = relays
        .iter()
        .enumerate()
        .flat_map(|(who, relay)| {
            let writes = relay.requests(&When::status());
            writes.into_iter().map(move |write| (write.at, who))
        })
        .collect();
    writes.sort_unstable();
    let mut turns: Vec<_> = writes.into_iter().map(|(_, who)| who).collect();
    turns.dedup();
    turns
}
