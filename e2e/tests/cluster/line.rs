//! What tests of faults between a process and its API server begin with, and what they show. Whatever the fault,
//! keys to which nothing happens are let in all the time; a key that was revoked unseen lives until it heals. In
//! the columns of metrics and log, `latchkey_watch_` and the collection's name are left out.
//!
//! | fault | heals | metric | log | test |
//! |---|---|---|---|---|
//! | a list is cut, ends early or is refused, at any page and as often as it likes | by the first whole list; tried again after 0.2 to 3 s | `list_failures_total`, `working` 0 | `watching fails and is tried again`, `list: ..` | `cut_lists`, `relist` |
//! | a list stops or crawls inside a page | given up 25 s after it was asked for | the same | `list: no answer within 25s` | `slow_streams` |
//! | 410 on a watch, as status or in the stream | by a list, at once if the watch had lasted 3 s, else after 0.2 to 3 s | `restarts_total{cause="gone"}`, `lists_total`; `working` stays 1 | `forgotten the version to watch from: listing again` | `gone` |
//! | 410 on a continue token | the list begins again, after 0.2 to 3 s | `list_failures_total` | `forgotten the version that it began with` | `gone` |
//! | a watch ends early | by the next watch; after 0.2 to 3 s if it had not lasted 3 s | `restarts_total{cause="ended"}` | debug only | `broken_watches` |
//! | a watch breaks, in the middle of an event | by the next watch, after 0.2 to 3 s | `restarts_total{cause="transport"}`, `working` 0 | `watching fails and is tried again` | `broken_watches` |
//! | 429 with Retry-After | by the next try, a fifth later than asked at most; no wish is granted beyond 30 s | `restarts_total{cause="refused"}`, or `list_failures_total` | `the API server is busy` | `broken_watches` |
//! | 500 on a watch | by the next try, and by a list after three | `restarts_total{cause="refused"}` | `watch is refused: 500` | `broken_watches` |
//! | a watch is not answered | given up after 25 s | `restarts_total{cause="timeout"}`, `working` 0 | `watch: no answer within 25s` | `slow_streams` |
//! | an open watch falls silent, or its idle flow is forgotten on the way | given up 25 s after its last byte | the same | `watch: nothing came for 25s` | `slow_streams`, `silence` |
//! | an open watch crawls, a byte a second | not taken for dead; given up 45 s after it was opened, 25 s after the server was to end it | the same | `did not end within 45s` | `slow_streams` |
//! | an event is lost | by the next complete list (`--relist-interval`) at the latest | `list_corrections_total` (gateway; Consumers and Credentials) | `a list told .. what no watch had told` | `lost_events` |
//! | an older event comes after the newer | the superseded state is back until the next event of the object or the next complete list | the same | the same | `lost_events` |
//!
//! No client can tell the last two from the truth, and no API server does them.

use latchkey_e2e::{
    client::Request,
    cluster::{Gateway, Holder, Relay, Scene, relay::When},
    steady::Steady,
};

/// How many keys are asked all the time, and must never fail.
const KEPT: usize = 5;
/// Numbers that are at most a second old.
const QUICK: [&str; 4] = ["--metrics-refresh-interval", "1s", "--contact-interval", "1s"];

/// A scene with a pepper and keys that nothing happens to.
pub(super) fn scene() -> (Scene<'static>, Vec<Holder>) {
    let scene = Scene::shared();
    scene.put_pepper();
    let kept = Holder::put_many(scene.namespace(), "kept", KEPT);
    (scene, kept)
}

/// A gateway behind a relay of its own, and a client that is always let in.
pub(super) struct Line {
    pub(super) relay: Relay,
    pub(super) gateway: Gateway,
    kept: Steady,
}

impl Line {
    /// With more arguments for the gateway. `held` is in force when it returns.
    pub(super) fn start(scene: &Scene<'_>, kept: &[Holder], args: &[&str], held: &[&Holder]) -> Self {
        let relay = Relay::start(scene.cluster());
        let gateway = scene.gateway().through(&relay).args(&QUICK).args(args).start();
        for holder in held.iter().copied().chain(kept) {
            gateway.becomes(&holder.request(), 200);
        }
        let requests: Vec<Request> = kept.iter().map(Holder::request).collect();
        Self {
            kept: Steady::start(&[gateway.proxy()], &requests, 200),
            relay,
            gateway,
        }
    }

    /// Complete lists of Credentials so far.
    pub(super) fn lists(&self) -> u64 {
        let lists = &self.gateway.watches()["kinds"]["Credential"]["lists"];
        lists.as_u64().expect("a number")
    }

    /// Waits until its metrics say that watches of Credentials ended so often for this reason.
    pub(super) fn until_restarts(&self, cause: &str, times: f64) {
        let labels = [("kind", "Credential"), ("cause", cause)];
        self.gateway
            .until_metric("latchkey_watch_restarts_total", &labels, |ends| ends >= times);
    }

    /// Waits until its watches of Credentials work, or do not.
    pub(super) fn until_working(&self, works: bool) {
        self.gateway
            .until_metric("latchkey_watch_working", &[("kind", "Credential")], |now| {
                (now == 1.0) == works
            });
    }

    /// The keys that nothing happened to were let in all the time.
    pub(super) fn finish(self) {
        self.kept.finish();
    }
}

/// Watches of Credentials.
pub(super) fn credentials() -> When {
    When::watch("credentials")
}

/// An operator's watches of Secrets, but for that of the pepper.
pub(super) fn secrets() -> When {
    When::watch("secrets").without("fieldSelector")
}
