//! Watches that end, break or are refused: what changes meanwhile is told by the next one, or by a list where
//! the server refuses for longer.

use std::time::Duration;

use latchkey_e2e::{
    cluster::{
        Holder, Relay,
        relay::{Action, Break, When},
        scene::{of, secret_of},
    },
    poll::Poll,
};

use super::line::{Line, credentials, scene, secrets};

#[test]
fn what_a_watch_that_ends_or_breaks_did_not_tell_is_told_by_the_next_without_a_list() {
    let (scene, kept) = scene();
    let victims = ["ended", "cut", "both"].map(|name| Holder::put(scene.namespace(), name));
    let line = Line::start(&scene, &kept, &[], &victims.each_ref());
    let (relay, gateway) = (&line.relay, &line.gateway);
    let lists = line.lists();

    // In the middle of the event, both times.
    relay.add_times(1, credentials(), Action::Body(100, Break::End));
    scene.namespace().remove(&victims[0].credential);
    gateway.flips(&victims[0].request(), 200, 401);
    line.until_restarts("ended", 1.0);

    relay.add_times(1, credentials(), Action::Body(100, Break::Cut));
    scene.namespace().remove(&victims[1].credential);
    gateway.flips(&victims[1].request(), 200, 401);
    line.until_restarts("transport", 1.0);
    gateway.says(&["credentials", "watching fails and is tried again", "connection"]);
    gateway.says(&["credentials", "watching works again"]);

    // Again and again: ever more slowly, and nothing is lost.
    let rule = relay.add_times(4, credentials(), Action::Body(0, Break::End));
    scene.namespace().remove(&victims[2].credential);
    relay.until_caught(rule, 4);
    gateway.flips(&victims[2].request(), 200, 401);
    assert_eq!(line.lists(), lists, "it was a list that told");
    line.finish();
}

/// Between the request that a rule caught and the one after it.
fn wait_after(relay: &Relay, when: &When, status: u16) -> Duration {
    let requests = relay.requests(when);
    let refused = requests.iter().position(|seen| seen.status == Some(status));
    let refused = refused.expect("one was refused");
    requests[refused + 1].at - requests[refused].at
}

#[test]
fn a_gateway_that_is_sent_away_waits_as_told_and_serves_what_it_knows() {
    const WAIT: Duration = Duration::from_secs(4);
    let (scene, kept) = scene();
    let victims = ["watch", "list"].map(|name| Holder::put(scene.namespace(), name));
    let line = Line::start(&scene, &kept, &[], &victims.each_ref());
    let (relay, gateway) = (&line.relay, &line.gateway);
    let lists = line.lists();

    let busy = relay.add_times(1, credentials(), Action::too_many(WAIT));
    relay.add_times(1, credentials(), Action::Body(0, Break::End));
    relay.until_caught(busy, 1);
    scene.namespace().remove(&victims[0].credential);
    line.until_working(false);
    line.until_restarts("refused", 1.0);
    gateway.says(&["credentials", "watch: the API server is busy", "429"]);
    gateway.flips(&victims[0].request(), 200, 401);
    assert!(wait_after(relay, &credentials(), 429) >= WAIT);
    assert_eq!(line.lists(), lists);

    let pages = When::first_page("credentials");
    let busy = relay.add_times(1, pages.clone(), Action::too_many(WAIT));
    relay.add_times(1, credentials(), Action::Body(0, Break::error(410, "Expired")));
    relay.until_caught(busy, 1);
    scene.namespace().remove(&victims[1].credential);
    gateway.says(&["credentials", "list: the API server is busy", "429"]);
    gateway.flips(&victims[1].request(), 200, 401);
    assert!(wait_after(relay, &pages, 429) >= WAIT);
    assert_eq!(line.lists(), lists + 1);
    line.until_working(true);
    line.finish();
}

#[test]
fn a_server_that_goes_on_failing_a_watch_is_asked_for_a_list_instead() {
    let (scene, kept) = scene();
    let victim = Holder::put(scene.namespace(), "victim");
    let line = Line::start(&scene, &kept, &[], &[&victim]);
    let lists = line.lists();
    let failing = line
        .relay
        .add(credentials(), Action::status(500, "InternalError"));
    line.relay
        .add_times(1, credentials(), Action::Body(0, Break::End));
    line.relay.until_caught(failing, 1);
    scene.namespace().remove(&victim.credential);
    line.gateway.flips(&victim.request(), 200, 401);
    assert!(line.lists() > lists, "who told it?");
    assert!(line.relay.caught(failing) >= 3);
    line.until_restarts("refused", 3.0);
    line.gateway.says(&["credentials", "watch is refused: 500"]);
    line.relay.lift(failing);
    line.until_working(true);
    line.finish();
}

#[test]
fn an_operator_whose_watch_of_secrets_breaks_or_is_refused_catches_up() {
    let (scene, kept) = scene();
    let relay = Relay::start(scene.cluster());
    let operator = scene.operator().through(&relay).start();
    let line = Line::start(&scene, &kept, &[], &[]);
    let (alice, bob) = (scene.consumer("alice"), scene.consumer("bob"));
    line.gateway.becomes(&alice, 200);
    line.gateway.becomes(&bob, 200);
    let bob = Poll::start(line.gateway.proxy(), &bob);

    relay.add_times(1, secrets(), Action::status(500, "InternalError"));
    relay.add_times(1, secrets(), Action::too_many(Duration::from_secs(1)));
    relay.add_times(1, secrets(), Action::Body(100, Break::Cut));
    let second = scene.rotate("alice");
    line.gateway.becomes(&second, 200);
    line.gateway.becomes(&alice, 401);
    for cause in ["transport", "refused"] {
        let labels = [("kind", "Secret"), ("cause", cause)];
        operator.until_metric("latchkey_watch_restarts_total", &labels, |ends| ends >= 1.0);
    }
    operator.says(&["secrets", "watching fails and is tried again"]);
    scene.namespace().remove(&secret_of("alice"));
    scene.namespace().until_condition(&of("alice"), "Ready", "False");
    line.gateway.becomes(&second, 401);
    bob.is(&[200]);
    line.finish();
}
