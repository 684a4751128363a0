//! Events that a watch never tells, tells once more too late, or tells in another order. The API server does
//! none of that; what lies in between may, and no client can tell. The bound is the next complete list.

use latchkey_e2e::{
    client::Request,
    cluster::{
        Holder, Relay, Scene,
        relay::{Action, Change, Pick, RuleId},
        scene::{of, secret_of},
    },
    keys,
    manifest::{consumer, credential},
};

use super::line::{Line, credentials, scene, secrets};

/// How often a gateway lists that is to repair itself while a test waits.
const OFTEN: [&str; 2] = ["--relist-interval", "6s"];

/// Two gateways to which the same happens, one of which lists often, and the other not while a test lasts.
fn pair(scene: &Scene<'_>, kept: &[Holder], held: &[&Holder]) -> [Line; 2] {
    [&OFTEN[..], &[]].map(|args| Line::start(scene, kept, args, held))
}

/// Gives the rule of the second: a list may tell the first before its watch can.
fn on_both(pair: &[Line; 2], kind: &'static str, name: &str, change: Change) -> RuleId {
    let add = |line: &Line| {
        let action = Action::Event(Pick::new(kind, name), change);
        line.relay.add_times(1, credentials(), action)
    };
    let [_, rarely] = pair.each_ref().map(add);
    rarely
}

#[test]
fn an_event_that_never_came_is_repaired_by_the_next_list_and_by_nothing_else() {
    let (scene, kept) = scene();
    let alice = Holder::put(scene.namespace(), "alice");
    let pair = pair(&scene, &kept, &[&alice]);
    let [often, rarely] = &pair;
    let lists = rarely.lists();
    let late = Holder::new("late");
    let rules = [
        on_both(&pair, "DELETED", "alice", Change::Drop),
        on_both(&pair, "ADDED", "late", Change::Drop),
    ];
    scene.namespace().remove(&alice.credential);
    scene.namespace().put(&late.manifests());
    // What comes later on the same watch comes.
    scene.catches_up(&rarely.gateway);
    for rule in rules {
        assert_eq!(rarely.relay.caught(rule), 1);
    }

    often.gateway.flips(&alice.request(), 200, 401);
    often.gateway.flips(&late.request(), 401, 200);
    often.until_restarts("interval", 1.0);
    let corrections = "latchkey_watch_list_corrections_total";
    often
        .gateway
        .until_metric(corrections, &[], |corrected| corrected >= 2.0);
    often.gateway.says(&["a list told", "what no watch had told"]);
    rarely
        .gateway
        .until_metric(corrections, &[], |corrected| corrected == 0.0);
    assert_eq!(rarely.gateway.status(&alice.request()), 200);
    assert_eq!(rarely.gateway.status(&late.request()), 401);
    assert_eq!(rarely.lists(), lists);
    for line in pair {
        line.finish();
    }
}

/// Bob's Credential gets a second and a third key, and this happens to the event of the second; both keys.
fn disordered(scene: &Scene<'_>, pair: &[Line; 2], change: Change) -> [Request; 2] {
    let rule = on_both(pair, "MODIFIED", "bob", change);
    let keys = ["second", "third"].map(keys::key);
    for key in &keys {
        scene
            .namespace()
            .put(&[consumer("bob"), credential("bob", "bob").sha256(key)]);
    }
    pair[1].relay.until_caught(rule, 1);
    keys.map(|key| Request::get("/").key(&key))
}

/// The superseded key opens wherever no list has come; a list puts it right.
fn last_told_until_listed(change: Change) {
    let (scene, kept) = scene();
    let bob = Holder::put(scene.namespace(), "bob");
    let pair = pair(&scene, &kept, &[&bob]);
    let [often, rarely] = &pair;
    let lists = rarely.lists();
    let [second, third] = disordered(&scene, &pair, change);
    rarely.gateway.becomes(&second, 200);
    assert_eq!(rarely.gateway.status(&third), 401, "it was not told last");
    often.gateway.becomes(&third, 200);
    often.gateway.becomes(&second, 401);
    // A watch that ended meanwhile may have gone on from the older version, and told the newer again.
    assert_eq!(rarely.lists(), lists);
    for line in &pair {
        assert_eq!(line.gateway.status(&bob.request()), 401);
    }
    for line in pair {
        line.finish();
    }
}

#[test]
fn an_older_event_told_once_more_after_the_newer_holds_until_the_next_list() {
    last_told_until_listed(Change::Again);
}

#[test]
fn of_two_events_in_the_wrong_order_the_last_told_holds_until_the_next_list() {
    last_told_until_listed(Change::Late);
}

#[test]
fn an_operator_that_missed_a_change_of_a_secret_publishes_it_with_the_next_list() {
    let (scene, kept) = scene();
    let line = Line::start(&scene, &kept, &[], &[]);
    let relay = Relay::start(scene.cluster());
    let operator = scene.operator().through(&relay).args(&OFTEN).start();
    let (alice, bob) = (scene.consumer("alice"), scene.consumer("bob"));
    line.gateway.becomes(&alice, 200);
    line.gateway.becomes(&bob, 200);
    let [changed, deleted] = [("MODIFIED", "alice"), ("DELETED", "bob")].map(|(kind, name)| {
        let lost = Action::Event(Pick::new(kind, name), Change::Drop);
        relay.add_times(1, secrets(), lost)
    });
    let second = scene.rotate("alice");
    scene.namespace().remove(&secret_of("bob"));
    line.gateway.flips(&second, 401, 200);
    line.gateway.becomes(&alice, 401);
    line.gateway.flips(&bob, 200, 401);
    let refs = scene
        .namespace()
        .until_condition(&of("bob"), "ResolvedRefs", "False");
    assert_eq!(refs["reason"], "SecretNotFound");
    // A list may have told one of them before the watch could.
    assert!(relay.caught(changed) + relay.caught(deleted) > 0);
    let labels = [("kind", "Secret"), ("cause", "interval")];
    operator.until_metric("latchkey_watch_restarts_total", &labels, |ends| ends >= 1.0);
    line.finish();
}
