//! Objects and files that cannot be read: what grants then grants nothing, what shapes closes its
//! scope, and everything else goes on.

use latchkey_e2e::{
    client::{Request, send},
    echo::Echo,
    gateway::SECOND_PORT,
    manifest::{auth_policy, consumer, credential, gateway, http_route, secret},
    scene::{Scene, backend, policy, route},
    wait::eventually,
};
use serde_json::json;

/// The usual scene and what must not be touched by its accidents: an open route `other` on the same
/// Gateway, and an open route `far` in a namespace of its own on a Gateway of its own.
struct Town {
    scene: Scene,
    _echo: Echo,
    /// With a right key, on the route that things happen to.
    app: Request,
    /// The other route of the same namespace.
    other: Request,
    /// The route of another namespace.
    far: Request,
}

impl Town {
    fn new() -> Self {
        let (scene, echo) = Scene::with_echo();
        let key = scene.consumer_with_secret("alice");
        scene.folder.write(
            "other.yaml",
            &[http_route("other", "edge", "other.test").backend("echo")],
        );
        let mut far = vec![
            gateway("far", SECOND_PORT),
            http_route("far", "far", "far.test").backend("echo"),
        ];
        far.extend(backend("echo", echo.address()));
        let far: Vec<_> = far.into_iter().map(|object| object.namespace("far")).collect();
        scene.folder.write("far.yaml", &far);
        Self {
            scene,
            _echo: echo,
            app: Request::get("/").key(&key),
            other: Request::get("/").host("other.test"),
            far: Request::get("/").host("far.test"),
        }
    }

    /// Breaks something, sees what it closes, mends it, and sees it open again.
    fn breaks(&self, break_it: impl FnOnce(&Scene), app: u16, other: u16, mend: impl FnOnce(&Scene)) {
        let gateway = self.scene.gateway().start();
        assert_eq!(gateway.status(&self.app), 200);
        assert_eq!(gateway.status(&self.other), 200);
        break_it(&self.scene);
        gateway.flips(&self.app, 200, app);
        gateway.still(&self.other, other);
        let far = || {
            send(gateway.second_proxy(), &self.far)
                .expect("the far Gateway answers")
                .status
        };
        assert_eq!(far(), 200, "another namespace is touched");
        mend(&self.scene);
        gateway.flips(&self.app, app, 200);
        gateway.still(&self.other, 200);
        assert_eq!(far(), 200);
    }
}

const NO_YAML: &str = "kind: [AuthPolicy\n  name: {";

#[test]
fn a_policy_with_an_unknown_field_closes_its_target() {
    Town::new().breaks(
        |scene| {
            scene
                .folder
                .write("policy.yaml", &[policy().set("spec.colour", "red")]);
        },
        503,
        200,
        |scene| scene.folder.write("policy.yaml", &[policy()]),
    );
}

#[test]
fn a_policy_with_an_unknown_method_closes_its_target() {
    let unknown = policy().set("spec.methods", json!([{"type": "APIKey"}, {"type": "Telepathy"}]));
    Town::new().breaks(
        |scene| scene.folder.write("policy.yaml", &[unknown]),
        503,
        200,
        |scene| scene.folder.write("policy.yaml", &[policy()]),
    );
}

#[test]
fn a_policy_whose_targets_cannot_be_read_closes_its_namespace() {
    Town::new().breaks(
        |scene| {
            scene
                .folder
                .write("policy.yaml", &[policy().set("spec.targetRefs", "app")]);
        },
        503,
        503,
        |scene| scene.folder.write("policy.yaml", &[policy()]),
    );
}

#[test]
fn a_policys_file_that_is_no_yaml_closes_its_namespace() {
    Town::new().breaks(
        |scene| scene.folder.write_text("policy.yaml", NO_YAML),
        503,
        503,
        |scene| scene.folder.write("policy.yaml", &[policy()]),
    );
}

#[test]
fn a_policy_whose_api_version_is_misspelt_closes_its_namespace() {
    for api_version in ["latchkey.dev", "latchkey.io/v1alpha1", " latchkey.dev/v1alpha1"] {
        Town::new().breaks(
            |scene| {
                scene
                    .folder
                    .write("policy.yaml", &[policy().set("apiVersion", api_version)]);
            },
            503,
            503,
            |scene| scene.folder.write("policy.yaml", &[policy()]),
        );
    }
}

#[test]
fn a_route_that_cannot_be_read_closes_its_hostnames() {
    Town::new().breaks(
        |scene| {
            scene
                .folder
                .write("route.yaml", &[route().set("spec.rules", "all")]);
        },
        500,
        200,
        |scene| scene.folder.write("route.yaml", &[route()]),
    );
}

#[test]
fn a_route_whose_hostnames_cannot_be_read_closes_its_namespace() {
    Town::new().breaks(
        |scene| {
            scene
                .folder
                .write("route.yaml", &[route().set("spec.hostnames", 5)]);
        },
        500,
        500,
        |scene| scene.folder.write("route.yaml", &[route()]),
    );
}

#[test]
fn a_routes_file_that_is_no_yaml_closes_its_namespace_and_holds_no_hostname() {
    Town::new().breaks(
        |scene| scene.folder.write_text("route.yaml", NO_YAML),
        404,
        500,
        |scene| scene.folder.write("route.yaml", &[route()]),
    );
}

#[test]
fn a_rule_that_asks_for_something_unknown_fails_alone() {
    let town = Town::new();
    let two_rules = route()
        .set(
            "spec.rules.0.matches",
            json!([{"path": {"type": "PathPrefix", "value": "/new"}}]),
        )
        .set(
            "spec.rules.0.filters",
            json!([{"type": "Teleport", "teleport": {}}]),
        )
        .set("spec.rules.1.backendRefs", json!([{"name": "echo", "port": 80}]));
    town.scene.folder.write("route.yaml", &[two_rules]);
    let gateway = town.scene.gateway().start();
    assert_eq!(gateway.status(&Request::get("/new/x")), 500);
    assert_eq!(gateway.status(&town.app), 200);
    let line = gateway.says(&["UnsupportedValue", "app"]);
    assert!(line.contains("rules[0].filters[0]"), "no field in: {line}");
}

#[test]
fn a_gateway_that_cannot_be_read_closes_its_ports() {
    let town = Town::new();
    let broken = gateway("edge", latchkey_e2e::gateway::PORT).set("spec.listeners.0.allowedRoutes", "all");
    town.breaks(
        |scene| scene.folder.write("gateway.yaml", &[broken]),
        503,
        503,
        |scene| {
            scene
                .folder
                .write("gateway.yaml", &[gateway("edge", latchkey_e2e::gateway::PORT)]);
        },
    );
}

#[test]
fn a_consumer_that_cannot_be_read_grants_nothing() {
    Town::new().breaks(
        |scene| {
            let broken = consumer("alice").set("spec.groups", "gold");
            scene.folder.write("consumer-alice.yaml", &[broken]);
        },
        401,
        200,
        |scene| scene.folder.write("consumer-alice.yaml", &[consumer("alice")]),
    );
}

#[test]
fn a_credential_that_cannot_be_read_grants_nothing() {
    let whole = credential("alice", "alice").secret_ref("alice");
    let broken = whole.clone().set("spec.basicAuth", json!({"username": "alice"}));
    Town::new().breaks(
        |scene| scene.folder.write("credential-alice.yaml", &[broken]),
        401,
        200,
        |scene| scene.folder.write("credential-alice.yaml", &[whole]),
    );
}

#[test]
fn a_secret_that_cannot_be_read_grants_nothing() {
    let town = Town::new();
    let whole = std::fs::read_to_string(town.scene.folder.file("secret-alice.yaml")).expect("written before");
    town.breaks(
        |scene| {
            let broken = secret("alice", "").unset("stringData.key").set("data.key", "%%%");
            scene.folder.write("secret-alice.yaml", &[broken]);
        },
        401,
        200,
        |scene| scene.folder.write_text("secret-alice.yaml", &whole),
    );
}

#[test]
fn a_secrets_file_that_is_no_yaml_grants_nothing_and_is_not_quoted() {
    let town = Town::new();
    let whole = std::fs::read_to_string(town.scene.folder.file("secret-alice.yaml")).expect("written before");
    // The key stands right where a parser would point. The log is searched when the gateway ends.
    let broken = whole.replace("key: ", "key: {[ ");
    town.breaks(
        |scene| scene.folder.write_text("secret-alice.yaml", &broken),
        401,
        200,
        |scene| scene.folder.write_text("secret-alice.yaml", &whole),
    );
}

#[test]
fn an_endpoint_slice_that_cannot_be_read_has_no_endpoints() {
    let town = Town::new();
    let gateway = town.scene.gateway().start();
    assert_eq!(gateway.status(&town.app), 200);
    let whole = std::fs::read_to_string(town.scene.folder.file("echo.yaml")).expect("written before");
    town.scene
        .folder
        .write_text("echo.yaml", &whole.replace("endpoints:", "endpoints: x\nwas:"));
    gateway.flips(&town.app, 200, 503);
    town.scene.folder.write_text("echo.yaml", &whole);
    gateway.flips(&town.app, 503, 200);
}

#[test]
fn an_object_in_two_places_counts_as_unreadable_and_both_are_named() {
    let town = Town::new();
    let gateway = town.scene.gateway().start();
    assert_eq!(gateway.status(&town.app), 200);
    town.scene.folder.write("second.yaml", &[consumer("alice")]);
    gateway.flips(&town.app, 200, 401);
    let line = gateway.says(&["consumer-alice.yaml", "second.yaml"]);
    assert!(line.contains("alice"), "{line}");
    town.scene.folder.delete("second.yaml");
    gateway.flips(&town.app, 401, 200);
}

#[test]
fn a_file_of_several_objects_that_breaks_takes_only_those_with_it() {
    let (scene, _echo) = Scene::with_echo();
    let bob = Request::get("/").key(&scene.consumer("bob"));
    let alice = latchkey_e2e::keys::key("alice");
    let objects = [consumer("alice"), credential("alice", "alice").sha256(&alice)];
    scene.folder.write("alice.yaml", &objects);
    let alice = Request::get("/").key(&alice);
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&alice), 200);

    scene.folder.write_text("alice.yaml", NO_YAML);
    gateway.flips(&alice, 200, 401);
    gateway.still(&bob, 200);
    gateway.says(&["alice.yaml"]);
    scene.folder.write("alice.yaml", &objects);
    gateway.flips(&alice, 401, 200);
}

#[test]
fn a_half_written_file_harms_nobody_else_and_counts_when_it_is_whole() {
    let (scene, _echo) = Scene::with_echo();
    let bob = Request::get("/").key(&scene.consumer("bob"));
    let alice = latchkey_e2e::keys::key("alice");
    let gateway = scene.gateway().start();
    scene.folder.write_in_halves(
        "alice.yaml",
        &[consumer("alice"), credential("alice", "alice").sha256(&alice)],
        || {
            gateway.still(&bob, 200);
        },
    );
    gateway.flips(&Request::get("/").key(&alice), 401, 200);
    gateway.still(&bob, 200);
}

#[test]
fn a_file_that_was_broken_from_the_start_keeps_the_gateway_unready_and_is_named() {
    for mend in [true, false] {
        let town = Town::new();
        town.scene.folder.write_text("late.yaml", NO_YAML);
        let mut gateway = town.scene.gateway().start_unready();
        gateway.says(&["late.yaml"]);
        eventually("/readyz names the file", || {
            let unready = gateway.until_unready();
            if unready.contains("late.yaml") {
                Ok(())
            } else {
                Err(unready)
            }
        });
        if mend {
            let objects = [auth_policy("late").target("HTTPRoute", "other")];
            town.scene.folder.write("late.yaml", &objects);
        } else {
            town.scene.folder.delete("late.yaml");
        }
        gateway.wait_ready();
        assert_eq!(gateway.status(&town.app), 200);
        assert_eq!(gateway.status(&town.other), if mend { 401 } else { 200 });
    }
}

#[test]
fn every_refusal_names_file_document_and_field() {
    let town = Town::new();
    town.scene.folder.write(
        "many.yaml",
        &[
            consumer("fine"),
            consumer("wrong").set("spec.groups", json!([{"name": "gold"}])),
            credential("wrong", "fine").set("spec.apiKey", json!({"sha265": "00"})),
        ],
    );
    let gateway = town.scene.gateway().start();
    let line = gateway.says(&["many.yaml", "Consumer"]);
    assert!(
        line.contains("wrong") && line.contains("spec.groups[0]"),
        "{line}"
    );
    assert!(line.contains("document 2"), "{line}");
    let line = gateway.says(&["many.yaml", "Credential"]);
    assert!(line.contains("wrong") && line.contains("sha265"), "{line}");
    assert!(line.contains("document 3"), "{line}");
}
