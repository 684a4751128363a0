//! Which namespaces count: all of a cluster, with their labels, or those that are named and no others.

use std::slice::from_ref;

use latchkey_e2e::{
    client::Request,
    cluster::{Cluster, Holder, Installation, Namespace, Relay, relay::When},
    echo::{Echo, Seen},
    gateway::{PORT, SECOND_PORT, accepts},
    manifest::{Manifest, auth_policy, gateway, http_route},
    scene::backend,
};
use serde_json::json;

const CLASS: &str = "gateway.networking.k8s.io/v1";

/// A namespace with a Consumer, and a protected route of its own at a Gateway of another one.
struct Tenant<'c> {
    namespace: Namespace<'c>,
    host: String,
    holder: Holder,
}

impl<'c> Tenant<'c> {
    fn new(namespace: Namespace<'c>, edge: &Namespace<'_>, echo: &Echo) -> Self {
        let host = format!("{}.test", namespace.name());
        let holder = Holder::new(namespace.name());
        let route = http_route("app", "edge", &host)
            .set("spec.parentRefs.0.namespace", edge.name())
            .backend("echo");
        let [service, endpoints] = backend("echo", echo.address());
        namespace.put(&holder.manifests());
        namespace.put(&[
            auth_policy("app").target("HTTPRoute", "app"),
            route,
            service,
            endpoints,
        ]);
        Self {
            namespace,
            host,
            holder,
        }
    }

    /// To this tenant's route, with the key of another.
    fn request_of(&self, other: &Self) -> Request {
        other.holder.request().host(&self.host)
    }

    fn request(&self) -> Request {
        self.request_of(self)
    }

    fn label(&self, team: Option<&str>) {
        let namespace = Manifest::new("v1", "Namespace", self.namespace.name());
        let labels = json!({"metadata": {"labels": {"team": team}}});
        self.namespace
            .cluster()
            .api()
            .patch(&namespace, "", &labels)
            .must();
    }
}

#[test]
fn a_namespaces_labels_move_its_routes_into_a_listener_and_out_of_it() {
    let cluster = Cluster::own();
    let installation = Installation::cluster_wide(&cluster);
    let _operator = installation.operator().start();
    let gateways = installation.two_gateways();
    let echo = installation.echo("echo");
    let edge = installation.namespace();
    let selector = json!({"from": "Selector", "selector": {"matchLabels": {"team": "in"}}});
    edge.put(&[gateway("edge", PORT).set("spec.listeners.0.allowedRoutes.namespaces", selector)]);
    let [one, two] = [0, 1].map(|_| Tenant::new(Namespace::new(&cluster), edge, &echo));
    one.label(Some("in"));
    for gateway in &gateways {
        let seen = Seen::of(&gateway.becomes(&one.request(), 200));
        let namespace = seen.header("X-Consumer-Namespace");
        assert_eq!(namespace.as_deref(), Some(one.namespace.name()));
        assert_eq!(gateway.status(&two.request()), 404);
        // A namespace is a tenant: its keys are nothing to others.
        assert_eq!(gateway.status(&one.request_of(&two)), 401);
    }
    let route = http_route("app", "edge", &one.host);
    one.namespace.until(&route, "the route is accepted", |route| {
        route["status"]["parents"][0]["conditions"]
            .as_array()
            .is_some_and(|all| {
                all.iter()
                    .any(|c| c["type"] == "Accepted" && c["status"] == "True")
            })
    });

    two.label(Some("in"));
    for gateway in &gateways {
        gateway.becomes(&two.request(), 200);
    }
    one.label(Some("out"));
    two.label(None);
    for gateway in &gateways {
        gateway.becomes(&one.request(), 404);
        gateway.becomes(&two.request(), 404);
    }
    one.namespace.until(&route, "the route is refused", |route| {
        route["status"]["parents"][0]["conditions"]
            .as_array()
            .is_some_and(|all| all.iter().any(|c| c["reason"] == "NotAllowedByListeners"))
    });

    // Classes: ours is taken, and that of others is left alone with its Gateways.
    let class = |name: &str, controller: &str| {
        Manifest::new(CLASS, "GatewayClass", name).set("spec.controllerName", controller)
    };
    let foreign = class("foreign", "example.com/other");
    let theirs = gateway("theirs", SECOND_PORT).set("spec.gatewayClassName", "foreign");
    edge.put(&[foreign.clone(), theirs.clone()]);
    let versions = || {
        [&foreign, &theirs]
            .map(|object| edge.read(object).expect("it is there")["metadata"]["resourceVersion"].clone())
    };
    let before = versions();
    let ours = class("latchkey", "latchkey.dev/gateway-controller");
    edge.put(from_ref(&ours));
    edge.until_condition(&ours, "Accepted", "True");
    assert_eq!(versions(), before);
    for gateway in &gateways {
        assert!(!accepts(gateway.second_proxy()));
    }
}

#[test]
fn a_namespace_that_is_not_named_has_no_effect_and_is_not_even_asked_for() {
    let cluster = Cluster::shared();
    let [one, two, unwatched] = [0, 1, 2].map(|_| Namespace::new(cluster));
    let installation = Installation::watching(cluster, &[&one, &two]);
    let relay = Relay::start(cluster);
    let _operator = installation.operator().through(&relay).start();
    let gateway_of_one = installation.gateway().through(&relay).start();
    let echo = installation.echo("echo");
    one.put(&[gateway("edge", PORT)]);
    // Closed by its own namespace, opened by none.
    unwatched.put(&[gateway("other", SECOND_PORT)]);
    let edge = one.clone();
    let [one, two, unwatched] = [one, two, unwatched].map(|namespace| Tenant::new(namespace, &edge, &echo));
    for tenant in [&one, &two] {
        gateway_of_one.becomes(&tenant.request(), 200);
        tenant
            .namespace
            .until_condition(&tenant.holder.credential, "Ready", "True");
    }
    // What comes after it is in force: so would it be.
    let late = Holder::new("late");
    two.namespace.put(&late.manifests());
    gateway_of_one.becomes(&late.request().host(&two.host), 200);
    assert_eq!(gateway_of_one.status(&unwatched.request()), 404);
    assert_eq!(gateway_of_one.status(&one.request_of(&unwatched)), 401);
    assert!(!accepts(gateway_of_one.second_proxy()));
    let credential = unwatched.namespace.read(&unwatched.holder.credential);
    assert!(credential.is_some_and(|credential| credential["status"].is_null()));

    let own = installation.namespace().name();
    let known = [own, one.namespace.name(), two.namespace.name()].map(|name| format!("/namespaces/{name}/"));
    for seen in relay.requests(&When::any()) {
        let is_known = known.iter().any(|namespace| seen.path.contains(namespace));
        assert!(is_known, "{} {}", seen.method, seen.path);
        assert_ne!(seen.status, Some(403), "{} {}", seen.method, seen.path);
    }
}
