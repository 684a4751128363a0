//! etcd is put back to an earlier state: versions go back, and what is true then is what was restored.

use latchkey_e2e::{
    client::Request,
    cluster::{Cluster, Holder, Scene},
    keys,
    manifest::{credential, secret},
};

/// So many writes that the versions of the restored store stay below those of the lost one.
const WRITES: usize = 200;

#[test]
fn after_a_restore_the_restored_state_holds_for_gateways_and_operator() {
    let cluster = Cluster::own();
    let scene = Scene::on(&cluster);
    let namespace = scene.namespace();
    let quick = ["--contact-interval", "1s", "--metrics-refresh-interval", "1s"];
    let operator = scene.operator().args(&quick[..2]).start();
    let gateways = scene.gateway().args(&quick).start_two();

    let bystander = Holder::put(scene.namespace(), "bystander");
    let revoked = Holder::put(scene.namespace(), "revoked");
    let rotated = Holder::new("rotated");
    let by_secret = credential("rotated", "rotated").secret_ref("rotated");
    namespace.put(&[
        rotated.consumer.clone(),
        secret("rotated", &rotated.key),
        by_secret.clone(),
    ]);
    for gateway in &gateways {
        for holder in [&bystander, &revoked, &rotated] {
            gateway.becomes(&holder.request(), 200);
        }
    }
    namespace.until_condition(&by_secret, "Ready", "True");
    let copy = cluster.save_store();

    let new_key = keys::key("new");
    let lost = Holder::put(scene.namespace(), "lost");
    namespace.remove(&revoked.credential);
    namespace.put(&[secret("rotated", &new_key)]);
    for number in 0..WRITES {
        namespace.put(&[bystander
            .consumer
            .clone()
            .set("spec.customID", number.to_string())]);
    }
    let of_new_key = Request::get("/").key(&new_key);
    for gateway in &gateways {
        gateway.becomes(&lost.request(), 200);
        gateway.becomes(&of_new_key, 200);
        gateway.becomes(&rotated.request(), 401);
        gateway.becomes(&revoked.request(), 401);
    }

    cluster.restore_store(&copy);
    for gateway in &gateways {
        gateway.becomes(&lost.request(), 401);
        gateway.becomes(&revoked.request(), 200);
        gateway.becomes(&of_new_key, 401);
        gateway.becomes(&rotated.request(), 200);
        assert_eq!(gateway.status(&bystander.request()), 200);
        gateway.until_metric("latchkey_store_rollbacks_total", &[], |count| count > 0.0);
    }

    // The operator has not stayed with the lost state: it writes what follows from the restored one.
    operator.until_metric("latchkey_store_rollbacks_total", &[], |count| count > 0.0);
    let next_key = keys::key("next");
    namespace.put(&[secret("rotated", &next_key)]);
    let late = Holder::put(scene.namespace(), "late");
    for gateway in &gateways {
        gateway.becomes(&Request::get("/").key(&next_key), 200);
        gateway.becomes(&rotated.request(), 401);
        gateway.becomes(&late.request(), 200);
    }
    namespace.until_condition(&late.credential, "Ready", "True");
    namespace.until_condition(&by_secret, "Ready", "True");
}
