//! Two operators: one writes, and when it ends the other goes on where it was, without a word about what
//! has not changed.

use std::time::Duration;

use latchkey_e2e::{
    cluster::{
        Operator, Relay, Scene,
        relay::When,
        scene::{of, secret_of},
    },
    poll::Poll,
    wait::eventually_within,
};

/// A leader and a standby of a lease of so many seconds, each behind a relay of its own.
fn two<'a>(scene: &'a Scene<'_>, relays: &'a [Relay; 2], lease: Duration) -> [Operator; 2] {
    let lease = format!("{}s", lease.as_secs());
    let start = |relay| {
        let starter = scene.operator().through(relay);
        starter.args(&["--lease-duration", &lease]).start()
    };
    let leader = start(&relays[0]);
    leader.wait_leading();
    [leader, start(&relays[1])]
}

fn relays(scene: &Scene<'_>) -> [Relay; 2] {
    [(); 2].map(|()| Relay::start(scene.cluster()))
}

/// Waits, for so long, until an operator leads.
fn takes_over(operator: &Operator, within: Duration) {
    eventually_within(within, "the other one leads", || {
        let leads = operator.number("latchkey_operator_leader", &[]);
        (leads > 0.0).then_some(()).ok_or("it does not".to_owned())
    });
}

/// A change of leaders writes nothing (O-B6).
#[test]
fn when_the_leader_is_killed_the_other_leads_within_its_lease_and_writes_only_what_changes() {
    let lease = Duration::from_secs(5);
    let scene = Scene::shared();
    let relays = relays(&scene);
    let [leader, standby] = two(&scene, &relays, lease);
    let gateway = scene.gateway().start();
    let alice = scene.consumer("alice");
    scene.consumer("bob");
    scene.consumer("carol");
    let namespace = scene.namespace();
    namespace.remove(&secret_of("carol"));
    gateway.becomes(&alice, 200);
    namespace.until_condition(&of("bob"), "Ready", "True");
    namespace.until_condition(&of("carol"), "Ready", "False");
    scene.until_routes_are_accepted();
    let objects = || scene.objects(&["bob", "carol"]);
    let before = objects();
    assert_eq!(relays[1].count(&When::status()), 0, "a standby wrote");

    drop(leader);
    // It waits for a whole lease since it saw the last renewal.
    takes_over(&standby, lease * 2);
    standby.wait_settled(3.0);
    assert_eq!(relays[1].requests(&When::status()), [], "nothing had changed");

    let old = Poll::start(gateway.proxy(), &alice);
    old.is(&[200]);
    gateway.flips(&scene.rotate("alice"), 401, 200);
    old.is(&[200, 401]);
    standby.wait_settled(4.0);
    assert_eq!(relays[1].count(&When::status()), 1, "one change is one write");
    assert_eq!(objects(), before, "a status flapped");
}

#[test]
fn when_the_leader_is_told_to_end_the_other_leads_at_once() {
    let lease = Duration::from_secs(30);
    let scene = Scene::shared();
    let relays = relays(&scene);
    let [leader, standby] = two(&scene, &relays, lease);
    scene.consumer("alice");
    scene.namespace().until_condition(&of("alice"), "Ready", "True");
    scene.until_routes_are_accepted();

    leader.stop();
    // Whoever stands by looks at the lease every 2/15 of its duration.
    takes_over(&standby, lease / 2);
    standby.wait_settled(1.0);
    assert_eq!(relays[1].requests(&When::status()), [], "nothing had changed");
}
