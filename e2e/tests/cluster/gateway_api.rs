//! A cluster without Gateway API's CRDs: the operator says so and does what needs none of them; when they
//! come it does the rest.

use latchkey_e2e::{
    cluster::{
        Cluster, Installation,
        programs::Programs,
        scene::{grant, of},
    },
    manifest::{Manifest, gateway},
    wait::eventually,
};
use serde_json::json;

fn class() -> Manifest {
    Manifest::new("gateway.networking.k8s.io/v1", "GatewayClass", "latchkey")
        .set("spec.controllerName", "latchkey.dev/gateway-controller")
}

#[test]
fn the_operator_names_the_command_goes_on_with_credentials_and_says_the_rest_when_they_are_there() {
    let cluster = Cluster::own();
    let installation = Installation::cluster_wide(&cluster);
    let namespace = installation.namespace();
    let crds = &Programs::find().expect("the control plane runs").gateway_api_crds;
    let crds = crds.to_str().expect("a path of ours");
    namespace.kubectl(&["delete", "-f", crds, "--wait"], "").must();

    let mut operator = installation.operator().start_unready();
    let command = "kubectl apply --server-side -f https://";
    operator.says(&["gateway.networking.k8s.io", command]);
    grant(namespace, "alice");
    namespace.until_condition(&of("alice"), "Ready", "True");
    let unready = operator.until_unready();
    assert!(unready.contains("gateways"), "{unready}");
    let lines = operator.process().output();
    let lines = lines.lines().filter(|line| line.contains(command));
    assert_eq!(lines.count(), 1, "said once");

    namespace
        .kubectl(&["apply", "--server-side", "-f", crds], "")
        .must();
    eventually("the class can be created", || {
        let output = namespace.kubectl(&["apply", "-f", "-"], &class().yaml());
        output.ok.then_some(()).ok_or(output.stderr)
    });
    operator.wait_ready();
    namespace.until_condition(&class(), "Accepted", "True");
    let object = namespace.read(&class()).unwrap_or_default();
    let features: Vec<_> = object["status"]["supportedFeatures"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|feature| feature["name"].as_str())
        .collect();
    assert!(features.contains(&"HTTPRouteMethodMatching"), "{features:?}");
    assert!(features.is_sorted(), "{features:?}");

    let foreign = class()
        .set("metadata.name", "foreign")
        .set("spec.controllerName", "example.com/another");
    namespace.put(&[foreign.clone(), gateway("edge", 80)]);
    namespace.until_condition(&gateway("edge", 80), "Accepted", "True");
    namespace.until_condition(&gateway("edge", 80), "Programmed", "True");
    let foreign = namespace.read(&foreign).unwrap_or_default();
    let waiting = json!("Unknown");
    for condition in foreign["status"]["conditions"].as_array().into_iter().flatten() {
        assert_eq!(condition["status"], waiting, "of another controller");
    }
}
