//! Answers that stop or crawl: each is given up by the process's own clock, while what is known is served
//! and the other watches go on. All of them in one wait, for each takes half a minute.

use std::time::{Duration, Instant};

use latchkey_e2e::{
    cluster::{
        Holder, Relay,
        relay::{Action, Break, When},
        scene::secret_of,
    },
    manifest::consumer,
    poll::Poll,
    wait::eventually_within,
};

use super::line::{Line, credentials, scene, secrets};

/// Within which a silence is noticed, and what it kept back is in force.
const SILENCE: Duration = Duration::from_secs(30);
/// The same of a watch that moves and does not end: 20 s that the server was given, and 25 s of patience.
const CRAWL: Duration = Duration::from_secs(50);
/// The watches of a gateway in one namespace.
const WATCHES: usize = 9;
/// Longer than anybody waits.
const NEVER: Duration = Duration::from_secs(600);

/// Silence of every sort, a middlebox that forgets idle flows included (O-B4).
#[test]
fn what_stops_or_crawls_is_given_up_in_time_and_holds_up_nothing_else() {
    let (scene, kept) = scene();
    let alice = Holder::put(scene.namespace(), "alice");
    let carol = Holder::put(scene.namespace(), "carol");
    let [headers, page, open, idle, slow] =
        [(); 5].map(|()| Line::start(&scene, &kept, &[], &[&alice, &carol]));
    let relay = Relay::start(scene.cluster());
    let operator = scene.operator().through(&relay).start();
    let bob = scene.consumer("bob");
    headers.gateway.becomes(&bob, 200);
    let bob = Poll::start(headers.gateway.proxy(), &bob);

    // The watch of now ends, and the next one is not answered.
    headers.relay.add_times(1, credentials(), Action::Delay(NEVER));
    headers
        .relay
        .add_times(1, credentials(), Action::Body(0, Break::End));
    // A list begins, and stops in the middle of its page.
    let stopped = page.relay.add_times(
        1,
        When::first_page("credentials"),
        Action::Body(500, Break::Stall),
    );
    page.relay
        .add_times(1, credentials(), Action::Body(0, Break::error(410, "Expired")));
    page.relay.until_caught(stopped, 1);
    // The list of another kind crawls.
    let services = When::first_page("services");
    page.relay
        .add_times(1, services, Action::Trickle(Duration::from_secs(1)));
    page.relay.add_times(
        1,
        When::watch("services"),
        Action::Body(0, Break::error(410, "Expired")),
    );
    let silent = open
        .relay
        .add_times(1, credentials(), Action::Body(100, Break::Stall));
    let crawling = slow
        .relay
        .add_times(1, credentials(), Action::Trickle(Duration::from_secs(1)));
    slow.relay.until_caught(crawling, 1);
    relay.add_times(1, secrets(), Action::Stall);
    // Whatever was quiet for two seconds is forgotten, now and later.
    let forgotten = idle
        .relay
        .add(When::any(), Action::Forget(Duration::from_secs(2)));
    idle.relay.until_silent(forgotten, WATCHES);
    open.relay.until_caught(silent, 1);

    let start = Instant::now();
    let within = |bound: Duration, line: &Line| {
        eventually_within(bound.saturating_sub(start.elapsed()), "the key dies", || {
            let status = line.gateway.status(&alice.request());
            (status == 401).then_some(()).ok_or_else(|| status.to_string())
        });
    };
    scene.namespace().remove(&alice.credential);
    scene.namespace().remove(&secret_of("bob"));
    // Watches of other kinds go on.
    scene
        .namespace()
        .put(&[consumer("carol").set("spec.disabled", true)]);
    for line in [&headers, &page, &open, &slow] {
        line.gateway.flips(&carol.request(), 200, 401);
        assert_eq!(line.gateway.status(&alice.request()), 200);
    }
    let labels = [("kind", "Credential"), ("cause", "timeout")];
    for line in [&headers, &page, &open, &idle] {
        within(SILENCE, line);
    }
    bob.becomes(&[200, 401]);
    // It moves: it is not taken for dead.
    let ends = slow
        .gateway
        .metrics()
        .sum("latchkey_watch_restarts_total", &labels);
    assert_eq!(ends, Some(0.0));
    slow.until_working(true);

    headers.until_restarts("timeout", 1.0);
    headers
        .gateway
        .says(&["credentials", "watch: no answer within 25s"]);
    for list in ["credentials", "services"] {
        page.gateway.says(&[list, "list: no answer within 25s"]);
    }
    let kind = [("kind", "Credential")];
    page.gateway
        .until_metric("latchkey_watch_list_failures_total", &kind, |broken| {
            broken == 1.0
        });
    for line in [&open, &idle] {
        line.until_restarts("timeout", 1.0);
        line.gateway.says(&["credentials", "watch: nothing came for 25s"]);
    }
    operator.says(&["secrets", "watch: nothing came for 25s"]);

    within(CRAWL, &slow);
    slow.until_restarts("timeout", 1.0);
    slow.gateway.says(&["credentials", "did not end within 45s"]);
    for line in [headers, page, open, idle, slow] {
        line.gateway.until_contact("it is in contact", |age| age < 5.0);
        line.finish();
    }
}
