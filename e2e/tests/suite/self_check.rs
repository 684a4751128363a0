//! The index checks itself while keys come and go, and finds nothing to repair (I11). All other tests run
//! with the check switched off.

use latchkey_e2e::{
    gateway::Gateway,
    keys,
    manifest::{consumer, credential},
    scene::{Scene, policy},
};
use serde_json::json;

/// The shortest that the flag allows.
const OFTEN: [&str; 4] = [
    "--self-check-interval",
    "1ms",
    "--metrics-refresh-interval",
    "100ms",
];

const CHECKS: &str = "latchkey_index_checks_total";
const REPAIRS: &str = "latchkey_index_repairs_total";

/// Waits for a whole round that began after all that was done to the folder; none found anything.
fn checked(gateway: &Gateway<'_>) {
    gateway.barrier();
    let now = gateway.metrics().sum(CHECKS, &[]).expect("it is counted");
    // The text may be a little old, and a round may have been under way.
    gateway.until_metric(CHECKS, &[], |checks| checks >= now + 20.0);
    assert_eq!(gateway.metrics().sum(REPAIRS, &[]), Some(0.0));
}

/// Keys change hands, share names, come and go under a check that never rests.
#[test]
fn the_check_goes_on_while_keys_come_and_go_and_finds_nothing_to_repair() {
    let (scene, _echo) = Scene::with_echo();
    let everybody = policy().set("spec.consumerNamespaces", json!(["*"]));
    scene.folder.write("policy.yaml", &[everybody]);
    let gateway = scene.gateway().args(&OFTEN).start();
    let [first, second, third] = ["first", "second", "third"].map(keys::key);

    // One leaf name in two namespaces.
    let alice = scene.tenant("one", "alice", &first);
    let bob = scene.tenant("two", "bob", &second);
    gateway.knows(&alice, "alice");
    gateway.knows(&bob, "bob");
    checked(&gateway);
    let rotated = scene.tenant("one", "alice", &third);
    gateway.knows(&rotated, "alice");
    gateway.still(&alice, 401);
    checked(&gateway);

    // A key that two hold changes hands as one of them goes.
    let both = scene.tenant("two", "bob", &third);
    scene.folder.delete("one.yaml");
    gateway.knows(&both, "bob");
    checked(&gateway);

    // Many come and go, some of them again and again.
    for round in 0..5 {
        let many: Vec<_> = (0..200)
            .filter(|n| n % 5 != round)
            .flat_map(|n| {
                let name = format!("many-{n}");
                let key = keys::key(&format!("{name}-{}", if n % 3 == 0 { round } else { 0 }));
                [consumer(&name), credential(&name, &name).sha256(&key)]
            })
            .collect();
        scene.folder.write("many.yaml", &many);
        gateway.barrier();
        assert_eq!(gateway.entries(), 1 + 160);
    }
    checked(&gateway);
    scene.folder.delete("many.yaml");
    scene.folder.delete("two.yaml");
    gateway.flips(&both, 200, 401);
    checked(&gateway);
    assert_eq!(gateway.entries(), 0);
}

/// Unless it is switched on, no test's gateway checks anything.
#[test]
fn switched_off_nothing_is_checked() {
    let (scene, _echo) = Scene::with_echo();
    let gateway = scene.gateway().start();
    gateway.barrier();
    let index = gateway.ask_admin("/debug/index").json()["index"].take();
    assert_eq!((&index["checks"], &index["repairs"]), (&json!(0), &json!(0)));
}
