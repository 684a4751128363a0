//! Versions that the API server has forgotten (410), in each of the ways in which it says so: all is listed
//! afresh, at the pace of the back-off and no faster.

use std::time::Duration;

use latchkey_e2e::{
    cluster::{
        Crowd, Holder, Relay,
        relay::{Action, Break, Change, Pick, When},
        scene::{holding, of},
    },
    keys,
    poll::Poll,
    wait::eventually,
};

use super::line::{Line, credentials, scene, secrets};

fn gone() -> Action {
    Action::status(410, "Expired")
}

fn gone_in_the_stream() -> Action {
    Action::Body(0, Break::error(410, "Expired"))
}

/// No end of the process, and no permanent end of the stream (O-B3).
#[test]
fn a_version_that_is_forgotten_leads_to_a_list_whichever_way_it_is_said() {
    let crowd = Crowd::with(&["--metrics-refresh-interval", "1s"]);
    let (relay, gateway) = (&crowd.relay, &crowd.gateway);
    let kept = crowd.poll(&crowd.kept(), 200);
    let by_status = || {
        relay.add_times(1, credentials(), gone());
        relay.add_times(1, credentials(), Action::Body(0, Break::End));
    };
    let in_the_stream = || {
        relay.add_times(1, credentials(), gone_in_the_stream());
    };
    // The list that follows loses its version, too, after its first page.
    let in_a_list = || {
        relay.add_times(1, When::later_page("credentials"), gone());
        in_the_stream();
    };
    let ways: [&dyn Fn(); 3] = [&by_status, &in_the_stream, &in_a_list];
    for (number, (way, victim)) in ways.into_iter().zip(crowd.listed_first()).enumerate() {
        let before = ["lists", "listFailures"].map(|name| crowd.listed(name));
        let untold = Pick::new("DELETED", victim.credential.name());
        let untold = relay.add_times(1, credentials(), Action::Event(untold, Change::Drop));
        crowd.delete(std::slice::from_ref(victim));
        relay.until_caught(untold, 1);
        assert_eq!(gateway.status(&victim.request()), 200);
        way();
        gateway.flips(&victim.request(), 200, 401);
        let after = ["lists", "listFailures"].map(|name| crowd.listed(name));
        let broken = u64::from(number == 2);
        assert_eq!(after, [before[0] + 1, before[1] + broken], "way {number}");
        let labels = [("kind", "Credential"), ("cause", "gone")];
        let times = u32::try_from(number + 1).map_or(0.0, f64::from);
        gateway.until_metric("latchkey_watch_restarts_total", &labels, |ends| ends == times);
    }
    gateway.says(&[
        "credentials",
        "forgotten the version to watch from: listing again",
    ]);
    gateway.says(&["credentials", "forgotten the version that it began with", "410"]);
    kept.finish();
}

/// The times that pass between requests for first pages of a resource, from now on and this many.
fn pace(relay: &Relay, resource: &str, many: usize) -> Duration {
    let pages = When::first_page(resource);
    let before = relay.count(&pages);
    eventually("it lists again and again", || {
        let now = relay.count(&pages) - before;
        (now >= many).then_some(()).ok_or(now.to_string())
    });
    let pages = relay.requests(&pages);
    pages[before + many - 1].at - pages[before].at
}

/// The 410 is handled inside the loop (O-B3).
#[test]
fn watches_that_are_always_forgotten_make_no_hot_loop_and_what_changes_is_taken_in_by_lists() {
    /// The sum of the least waits between five attempts: 0.2, 0.4, 0.8 and 1.5 s.
    const LEAST: Duration = Duration::from_millis(2900);
    let (scene, kept) = scene();
    let line = Line::start(&scene, &kept, &[], &[]);
    let relay = Relay::start(scene.cluster());
    let operator = scene.operator().through(&relay).start();
    let alice = scene.consumer("alice");
    line.gateway.becomes(&alice, 200);

    let rule = line.relay.add(credentials(), gone_in_the_stream());
    let operators = relay.add(secrets(), gone_in_the_stream());
    let took = pace(&line.relay, "credentials", 5);
    assert!(took >= LEAST, "five lists within {took:?}");
    let late = Holder::put(scene.namespace(), "late");
    line.gateway.becomes(&late.request(), 200);
    let first = Poll::start(line.gateway.proxy(), &alice);
    let second = scene.rotate("alice");
    line.gateway.becomes(&second, 200);
    first.becomes(&[200, 401]);
    let took = pace(&relay, "secrets", 2);
    assert!(took >= Duration::from_millis(1500), "the operator: {took:?}");

    for (relay, rule) in [(&line.relay, rule), (&relay, operators)] {
        relay.lift(rule);
    }
    let third = keys::key("third");
    scene.namespace().put(&[holding("alice", &third)]);
    line.gateway
        .becomes(&latchkey_e2e::client::Request::get("/").key(&third), 200);
    scene.namespace().until_condition(&of("alice"), "Ready", "True");
    line.until_working(true);
    operator.until_metric(
        "latchkey_watch_restarts_total",
        &[("kind", "Secret"), ("cause", "gone")],
        |ends| ends >= 3.0,
    );
    line.finish();
}
