//! What tests of faults between a gateway and its API server begin with.

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
