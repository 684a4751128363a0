//! A CRD is deleted and created again: what granted is gone with it, what shaped is kept, and then what
//! is there counts. A gateway that starts without one says which.

use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use latchkey_e2e::{
    client::Request,
    cluster::{
        Cluster, Gateway, Holder, Relay, Scene,
        relay::{Action, When},
    },
    gateway::accepts,
    manifest::Manifest,
    poll::Poll,
    scene::{policy, route},
    steady::Steady,
    wait::eventually,
};
use serde_json::json;

/// The cluster of this module, for one test at a time, with all CRDs.
fn cluster() -> MutexGuard<'static, Cluster> {
    static CLUSTER: LazyLock<Mutex<Cluster>> = LazyLock::new(|| Mutex::new(Cluster::own()));
    let cluster = CLUSTER.lock().unwrap_or_else(PoisonError::into_inner);
    cluster.install_crds();
    cluster
}

/// Does something while nothing comes through a relay, running watches included.
fn unseen(relay: &Relay, what: impl FnOnce()) {
    let away = relay.add(When::any(), Action::Cut);
    what();
    relay.lift(away);
}

fn counts_as_missing(gateway: &Gateway, kind: &str, missing: u8) {
    let what = format!("{kind}: missing is {missing}");
    gateway.until_watches(&what, |watch| watch["kinds"][kind]["missing"] == missing);
}

/// Keys die with a CRD, whether or not gateways see its objects go one by one, and live again when it and
/// they are back.
fn dies_with(crd: &str, kind: &str) {
    let cluster = cluster();
    let scene = Scene::on(&cluster);
    scene.put_pepper();
    let alice = Holder::put(scene.namespace(), "alice");
    let relay = Relay::start(&cluster);
    let gateways = [scene.gateway().through(&relay).start(), scene.gateway().start()];
    let admins = gateways.each_ref().map(|gateway| gateway.admin());
    for gateway in &gateways {
        gateway.becomes(&alice.request(), 200);
    }
    let ready = Steady::start(&admins, &[Request::get("/readyz")], 200);
    unseen(&relay, || cluster.delete_crd(crd));
    for gateway in &gateways {
        gateway.flips(&alice.request(), 200, 401);
        counts_as_missing(gateway, kind, 1);
    }
    cluster.install_crds();
    scene.namespace().put(&alice.manifests());
    for gateway in &gateways {
        gateway.flips(&alice.request(), 401, 200);
        counts_as_missing(gateway, kind, 0);
    }
    ready.finish();
}

#[test]
fn keys_die_with_the_crd_of_credentials_and_live_again_with_its_objects() {
    dies_with("credentials.latchkey.dev", "Credential");
}

#[test]
fn keys_die_with_the_crd_of_consumers_and_live_again_with_its_objects() {
    dies_with("consumers.latchkey.dev", "Consumer");
}

/// What comes after the CRD, for who holds a key.
type Change = fn(&Holder) -> (Manifest, Request, &'static [u16]);

/// What shapes is kept where its CRD goes unseen; then what is put there counts. `change` gives an object
/// of the kind, the request that a key needs from then on, and all answers to those who have none.
fn outlives(crd: &str, kind: &str, change: Change) {
    let cluster = cluster();
    let scene = Scene::on(&cluster);
    scene.put_pepper();
    let alice = Holder::put(scene.namespace(), "alice");
    let relay = Relay::start(&cluster);
    let gateway = scene.gateway().through(&relay).start();
    gateway.becomes(&alice.request(), 200);
    let anybody = Poll::start(gateway.proxy(), &Request::get("/"));
    unseen(&relay, || cluster.delete_crd(crd));
    counts_as_missing(&gateway, kind, 1);
    gateway.becomes(&alice.request(), 200);
    anybody.is(&[401]);

    let (object, request, answers) = change(&alice);
    assert_ne!(gateway.status(&request), 200);
    unseen(&relay, || {
        cluster.install_crds();
        scene.namespace().put(&[object]);
    });
    gateway.becomes(&request, 200);
    counts_as_missing(&gateway, kind, 0);
    assert_ne!(gateway.status(&alice.request()), 200);
    anybody.becomes(answers);
}

#[test]
fn a_policy_outlives_its_crd_and_then_what_is_there_counts() {
    outlives("authpolicies.latchkey.dev", "AuthPolicy", |alice| {
        let elsewhere = policy().places(&json!([{"header": {"name": "X-Other"}}]));
        let request = Request::get("/").header("X-Other", &alice.key);
        (elsewhere, request, &[401])
    });
}

#[test]
fn a_route_outlives_its_crd_and_then_what_is_there_counts() {
    outlives("httproutes.gateway.networking.k8s.io", "HTTPRoute", |alice| {
        let elsewhere = route().set("spec.hostnames", json!(["other.test"]));
        (elsewhere, alice.request().host("other.test"), &[401, 404])
    });
}

/// Deleting a CRD deletes its objects first, one by one, and a gateway sees each of them go.
fn outlives_in_sight(crd: &str, kind: &str) {
    let cluster = cluster();
    let scene = Scene::on(&cluster);
    scene.put_pepper();
    let alice = Holder::put(scene.namespace(), "alice");
    let gateway = scene.gateway().start();
    gateway.becomes(&alice.request(), 200);
    let anybody = Poll::start(gateway.proxy(), &Request::get("/"));
    let holders = Steady::start(&[gateway.proxy()], &[alice.request()], 200);
    cluster.delete_crd(crd);
    gateway.until_watches("the deletion is ignored", |watch| {
        watch["kinds"][kind]["deletionsIgnored"] == 1
    });
    holders.finish();
    anybody.is(&[401]);
}

#[test]
fn a_policy_that_is_seen_to_go_with_its_crd_stays_in_force() {
    outlives_in_sight("authpolicies.latchkey.dev", "AuthPolicy");
}

#[test]
fn a_route_that_is_seen_to_go_with_its_crd_stays_in_force() {
    outlives_in_sight("httproutes.gateway.networking.k8s.io", "HTTPRoute");
}

#[test]
fn a_gateway_that_starts_without_crds_names_them_and_becomes_ready_when_they_come() {
    let cluster = cluster();
    let scene = Scene::on(&cluster);
    scene.put_pepper();
    let names = [
        "consumers.latchkey.dev",
        "authpolicies.latchkey.dev",
        "gateways.gateway.networking.k8s.io",
        "httproutes.gateway.networking.k8s.io",
    ];
    for name in names {
        cluster.delete_crd(name);
    }
    let mut gateway = scene.gateway().start_unready();
    eventually("/readyz names all of them", || {
        let said = gateway.until_unready();
        let is_whole = names.iter().all(|name| said.contains(name));
        is_whole.then_some(()).ok_or(said)
    });
    assert!(!accepts(gateway.proxy()));
    cluster.install_crds();
    gateway.wait_ready();
    let alice = Holder::put(scene.namespace(), "alice");
    scene.namespace().put(&scene.shape());
    gateway.becomes(&alice.request(), 200);
}
