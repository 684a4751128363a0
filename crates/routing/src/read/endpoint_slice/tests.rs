use serde_json::json;

use super::*;

fn endpoints(slice: &Value, port: &str) -> Vec<String> {
    let mut into = BTreeSet::new();
    EndpointSlice::read(&Manifest::Value(slice.clone())).collect(port, &mut into);
    into.iter().map(ToString::to_string).collect()
}

#[test]
fn ready_addresses_of_the_named_tcp_port_count() {
    let slice = json!({
        "metadata": { "labels": { "kubernetes.io/service-name": "svc" } },
        "addressType": "IPv4",
        "ports": [
            { "name": "http", "port": 8080, "protocol": "TCP" },
            { "name": "http", "port": 8081 },
            { "name": "dns", "port": 53, "protocol": "UDP" },
            { "name": "none" },
            { "port": 9090 },
        ],
        "endpoints": [
            { "addresses": ["10.0.0.2", "10.0.0.1"] },
            { "addresses": ["10.0.0.3"], "conditions": { "ready": false } },
            { "addresses": ["10.0.0.1"], "conditions": { "ready": null } },
        ],
    });
    let both = ["10.0.0.1:8080", "10.0.0.1:8081", "10.0.0.2:8080", "10.0.0.2:8081"];
    assert_eq!(endpoints(&slice, "http"), both);
    assert_eq!(endpoints(&slice, ""), ["10.0.0.1:9090", "10.0.0.2:9090"]);
    assert!(endpoints(&slice, "dns").is_empty());
    assert!(endpoints(&slice, "none").is_empty());
    let read = EndpointSlice::read(&Manifest::Value(slice));
    assert_eq!(read.service.as_deref(), Some("svc"));
}

#[test]
fn a_slice_that_cannot_be_read_has_none_and_says_so() {
    for object in [
        json!({ "endpoints": [{ "addresses": ["here"] }], "ports": [{ "port": 80 }] }),
        json!({ "endpoints": [{ "addresses": ["::1"], "conditions": { "ready": "yes" } }] }),
        json!({ "ports": [{ "port": 70000 }] }),
        json!([]),
    ] {
        let slice = EndpointSlice::read(&Manifest::Value(object));
        assert!(slice.problem.is_some());
        let mut into = BTreeSet::new();
        slice.collect("", &mut into);
        assert!(into.is_empty());
    }
}

#[test]
fn domain_names_are_no_endpoints() {
    let slice = json!({
        "addressType": "FQDN",
        "ports": [{ "port": 80 }],
        "endpoints": [{ "addresses": ["a.test"] }],
    });
    assert!(endpoints(&slice, "").is_empty());
    assert_eq!(EndpointSlice::read(&Manifest::Value(slice)).problem, None);
}
