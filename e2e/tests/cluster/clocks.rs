//! Clocks that differ: keys begin and expire by the gateway's own, so people must see how far it is off.

use latchkey_e2e::cluster::{
    Cluster, Relay, Scene,
    relay::{Action, When},
};
use serde_json::json;

const SKEW: &str = "latchkey_clock_skew_seconds";

#[test]
fn how_far_a_clock_is_from_the_api_servers_is_a_metric_and_a_warning() {
    let cluster = Cluster::shared();
    let scene = Scene::on(cluster);
    scene.put_pepper();
    let relay = Relay::start(cluster);
    let quick = ["--contact-interval", "1s", "--metrics-refresh-interval", "1s"];
    let gateway = scene.gateway().through(&relay).args(&quick).start();
    gateway.until_metric(SKEW, &[], |skew| skew.abs() < 2.0);

    let contact = When::list("credentials").query("limit=1");
    let list = json!({
        "apiVersion": "latchkey.dev/v1alpha1", "kind": "CredentialList",
        "metadata": { "resourceVersion": u64::MAX.to_string() }, "items": [],
    });
    let long_ago = relay.add(
        contact,
        Action::Answer {
            status: 200,
            headers: vec![
                ("Content-Type", "application/json".to_owned()),
                ("Date", "Thu, 01 Jan 2026 00:00:00 GMT".to_owned()),
            ],
            body: list.to_string(),
        },
    );
    gateway.until_metric(SKEW, &[], |skew| skew > 1e6);
    gateway.says(&["apart", "NTP"]);
    relay.lift(long_ago);
    gateway.until_metric(SKEW, &[], |skew| skew.abs() < 2.0);
    gateway.says(&["is near the API server's again"]);
}
