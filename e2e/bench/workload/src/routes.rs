//! A router with as many HTTPRoutes as asked for, each with a hostname, a Service and an EndpointSlice
//! of its own.

use latchkey_core::object::ObjectName;
use latchkey_routing::{
    object::{Kind, Manifest},
    router::{Router, RouterConfig},
};
use serde_json::{Value, json};

/// An object that came or changed.
pub(crate) type Object = (Kind, ObjectName, Manifest);

/// A router on which this many routes are served behind one policy.
pub(crate) fn town(size: usize) -> Router {
    let mut router = Router::new(RouterConfig {
        gateway_class: "latchkey".to_owned(),
        deny_unprotected: false,
    });
    take(&mut router, gateway());
    take(&mut router, policy());
    for number in 0..size {
        for object in [service(number), slice(number, 0), route(number, 0)] {
            take(&mut router, object);
        }
    }
    router.commit();
    router
}

/// Takes in one object, and commits it.
pub(crate) fn change(router: &mut Router, object: Object) {
    take(router, object);
    std::hint::black_box(router.commit());
}

fn take(router: &mut Router, (kind, name, manifest): Object) {
    router.apply(kind, &name, manifest);
}

fn object(kind: Kind, name: &str, kind_name: &str, mut value: Value) -> Object {
    value["apiVersion"] = json!(kind.resource().api_version);
    value["kind"] = json!(kind_name);
    value["metadata"]["namespace"] = json!("shop");
    value["metadata"]["name"] = json!(name);
    value["metadata"]["uid"] = json!(format!("uid-of-{kind_name}-{name}"));
    value["metadata"]["creationTimestamp"] = json!("2026-01-01T00:00:00Z");
    (kind, ObjectName::new("shop", name), Manifest::Value(value))
}

fn gateway() -> Object {
    let listener = json!({
        "name": "http", "port": 80, "protocol": "HTTP",
        "allowedRoutes": {"namespaces": {"from": "All"}},
    });
    let spec = json!({"spec": {"gatewayClassName": "latchkey", "listeners": [listener]}});
    object(Kind::Gateway, "edge", "Gateway", spec)
}

fn policy() -> Object {
    let target = json!({"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "edge"});
    let spec = json!({"spec": {"methods": [{"type": "APIKey"}], "targetRefs": [target]}});
    object(Kind::AuthPolicy, "keys", "AuthPolicy", spec)
}

/// The path that it matches differs from version to version.
pub(crate) fn route(number: usize, version: usize) -> Object {
    let spec = json!({"spec": {
        "parentRefs": [{"name": "edge"}],
        "hostnames": [format!("shop-{number:05}.example.com")],
        "rules": [{
            "matches": [{"path": {"type": "PathPrefix", "value": format!("/v{version}")}}],
            "backendRefs": [{"name": format!("shop-{number:05}"), "port": 80}],
        }],
    }});
    object(Kind::HttpRoute, &format!("shop-{number:05}"), "HTTPRoute", spec)
}

fn service(number: usize) -> Object {
    let spec = json!({"spec": {"ports": [{"name": "http", "port": 80, "protocol": "TCP"}]}});
    object(Kind::Service, &format!("shop-{number:05}"), "Service", spec)
}

/// One of its three endpoints differs from version to version.
pub(crate) fn slice(number: usize, version: usize) -> Object {
    let name = format!("shop-{number:05}");
    let endpoint = |last: usize| {
        let address = format!("10.{}.{}.{last}", number / 250, number % 250);
        json!({"addresses": [address], "conditions": {"ready": true}})
    };
    let body = json!({
        "metadata": {"labels": {"kubernetes.io/service-name": name}},
        "addressType": "IPv4",
        "endpoints": [endpoint(1), endpoint(2), endpoint(3 + version)],
        "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}],
    });
    object(Kind::EndpointSlice, &name, "EndpointSlice", body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_routes_are_served_and_every_change_is_one() {
        let mut router = town(20);
        let stats = router.tables().load().stats();
        assert_eq!((stats.routes, stats.unprotected_routes), (20, 0));
        take(&mut router, slice(7, 1));
        assert_eq!(router.commit().endpoint_sets_written, 1);
        take(&mut router, route(7, 1));
        let commit = router.commit();
        assert!(commit.changed && commit.findings.is_empty(), "{commit:?}");
        assert_eq!(commit.hosts_compiled, 1);
    }
}
