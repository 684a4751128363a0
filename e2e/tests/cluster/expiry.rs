//! Times and `disabled`, compared with the clock as a request comes: nobody is asked, nothing has to arrive.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use latchkey_e2e::{
    cluster::{
        Gateway, Holder, Relay, Scene,
        relay::{Action, When},
    },
    poll::Poll,
    steady::Steady,
};
use serde_json::{Value, json};

/// A gateway behind a relay, and no operator at all.
fn alone() -> (Scene<'static>, Relay, Gateway) {
    let scene = Scene::shared();
    scene.put_pepper();
    let relay = Relay::start(scene.cluster());
    let gateway = scene.gateway().through(&relay).start();
    (scene, relay, gateway)
}

/// A time of whole seconds, as Kubernetes has them, so many from now at least.
fn in_seconds(seconds: u64) -> (SystemTime, Value) {
    let time = SystemTime::now() + Duration::from_secs(seconds + 1);
    let time = Timestamp::try_from(time).expect("a time of this century");
    let whole = Timestamp::from_second(time.as_second()).expect("a time of this century");
    (whole.into(), whole.to_string().into())
}

/// With neither an operator nor an API server to be reached, a credential ends and another begins.
#[test]
fn keys_begin_and_end_by_the_clock_alone() {
    let (scene, relay, gateway) = alone();
    let [ends, of_consumer, begins, bystander] =
        ["ends", "of-consumer", "begins", "bystander"].map(Holder::new);
    let (time, text) = in_seconds(6);
    scene.namespace().put(&[
        ends.consumer.clone(),
        ends.credential.clone().set("spec.expirationTime", text.clone()),
        of_consumer
            .consumer
            .clone()
            .set("spec.expirationTime", text.clone()),
        of_consumer.credential.clone(),
        begins.consumer.clone(),
        begins.credential.clone().set("spec.notBeforeTime", text),
    ]);
    scene.namespace().put(&bystander.manifests());
    gateway.becomes(&bystander.request(), 200);
    relay.add(When::any(), Action::Stall);
    let polls = [&ends, &of_consumer, &begins].map(|holder| Poll::start(gateway.proxy(), &holder.request()));
    let live = Steady::start(&[gateway.proxy()], &[bystander.request()], 200);
    let [ends, of_consumer, begins] = &polls;
    for poll in [ends, of_consumer] {
        poll.is(&[200]);
    }
    begins.is(&[401]);
    assert!(SystemTime::now() < time, "the machine is too slow for this test");

    ends.becomes(&[200, 401]);
    assert!(SystemTime::now() >= time, "it ended before its time");
    of_consumer.becomes(&[200, 401]);
    begins.becomes(&[401, 200]);
    live.finish();
    for reason in ["expired", "not_yet_valid"] {
        gateway.says(&[&format!("\"reason\":\"{reason}\"")]);
    }
}

/// What is disabled is dead at once and alive at once when it is not any more, without an operator.
#[test]
fn what_is_disabled_is_dead_until_it_is_not() {
    let (scene, _relay, gateway) = alone();
    let [alice, bob] = ["alice", "bob"].map(|name| Holder::put(scene.namespace(), name));
    for holder in [&alice, &bob] {
        gateway.becomes(&holder.request(), 200);
    }
    let live = Steady::start(&[gateway.proxy()], &[bob.request()], 200);
    for object in [&alice.credential, &alice.consumer] {
        for (disabled, from, to) in [(true, 200, 401), (false, 401, 200)] {
            scene
                .namespace()
                .patch(object, &json!({"spec": {"disabled": disabled}}));
            gateway.flips(&alice.request(), from, to);
        }
        gateway.says(&["\"reason\":\"disabled\""]);
    }
    live.finish();
}

/// A time that is moved counts from the event on that moves it, in both directions.
#[test]
fn a_time_that_is_moved_counts_as_it_is_now() {
    let (scene, _relay, gateway) = alone();
    let alice = Holder::put(scene.namespace(), "alice");
    gateway.becomes(&alice.request(), 200);
    let (past, future) = ("2026-01-01T00:00:00Z", "2999-01-01T00:00:00Z");
    for (field, shut, open) in [("expirationTime", past, future), ("notBeforeTime", future, past)] {
        for (time, from, to) in [(shut, 200, 401), (open, 401, 200)] {
            scene
                .namespace()
                .patch(&alice.credential, &json!({"spec": {field: time}}));
            gateway.flips(&alice.request(), from, to);
        }
    }
}
