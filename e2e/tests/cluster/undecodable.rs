//! Objects that were stored under another schema, and that this version cannot read: what grants then
//! grants nothing, what shapes closes its scope, and everything else goes on.

use std::{slice::from_ref, sync::OnceLock};

use latchkey_e2e::{
    client::Request,
    cluster::{Cluster, Gateway, Holder, Scene},
    gateway::PORT,
    keys,
    manifest::{Manifest, credential, gateway, http_route, secret},
    scene::{policy, route},
    steady::Steady,
};
use serde_json::json;

/// One that takes anything; what the API server refuses elsewhere is stored there.
fn loose() -> &'static Cluster {
    static LOOSE: OnceLock<Cluster> = OnceLock::new();
    LOOSE.get_or_init(|| {
        let cluster = Cluster::own();
        cluster.relax_crds();
        cluster
    })
}

/// A way to spoil an object.
type Spoil = fn(Manifest) -> Manifest;

/// Credentials of a later version, of an older one, and of none.
const CREDENTIAL: [Spoil; 4] = [
    |whole| whole.set("spec.colour", "red"),
    |whole| whole.set("spec.apiKey.sha256", 5),
    |whole| whole.unset("spec.consumerRef"),
    |whole| whole.set("spec", "a text"),
];

/// Waits until a gateway counts so many objects of a kind that it cannot read.
fn counts(gateway: &Gateway, kind: &str, undecodable: usize) {
    let what = format!("{undecodable} of kind {kind} are counted as undecodable");
    gateway.until_watches(&what, |watch| watch["kinds"][kind]["undecodable"] == undecodable);
}

/// Spoils an object of Alice's in several ways, and mends it each time. Her key is dead meanwhile, and
/// nobody else's; of a Credential the operator says so.
fn grants_nothing(of: fn(Holder) -> Manifest, ways: &[Spoil]) {
    let scene = Scene::on(loose());
    let namespace = scene.namespace();
    let _operator = scene.operator().start();
    let gateways = scene.two_gateways();
    let (alice, bob) = (
        Holder::put(scene.namespace(), "alice"),
        Holder::put(scene.namespace(), "bob"),
    );
    for gateway in &gateways {
        gateway.becomes(&alice.request(), 200);
        gateway.becomes(&bob.request(), 200);
    }
    let proxies = gateways.each_ref().map(|gateway| gateway.proxy());
    let bystander = Steady::start(&proxies, &[bob.request()], 200);
    let whole = of(alice.clone());
    for spoil in ways {
        let spoilt = spoil(whole.clone());
        namespace.put(&[spoilt]);
        for gateway in &gateways {
            gateway.flips(&alice.request(), 200, 401);
            counts(gateway, whole.kind(), 1);
        }
        if whole.kind() == "Credential" {
            let accepted = namespace.until_condition(&whole, "Accepted", "False");
            assert_eq!(accepted["reason"], "Invalid", "{accepted}");
        }
        namespace.put(from_ref(&whole));
        for gateway in &gateways {
            gateway.flips(&alice.request(), 401, 200);
            counts(gateway, whole.kind(), 0);
        }
        namespace.until_condition(&alice.credential, "Ready", "True");
    }
    bystander.finish();
}

/// One that was good is broken in each way (O-B1).
#[test]
fn a_credential_that_cannot_be_read_is_dead_alone_said_to_be_invalid_and_alive_when_mended() {
    grants_nothing(|alice| alice.credential, &CREDENTIAL);
}

/// The same of a Consumer (O-B1).
#[test]
fn a_consumer_that_cannot_be_read_kills_its_own_keys_alone() {
    grants_nothing(
        // Of an empty spec an API server without a schema keeps nothing.
        |alice| alice.consumer.set("spec.customID", "a-1"),
        &[
            |whole| whole.set("spec.groups", "gold"),
            |whole| whole.set("spec.limits", json!({"perSecond": 5})),
        ],
    );
}

/// Replaces an object by ones that cannot be read, sees what that closes (the route `app`, and another
/// one of its namespace that is open), mends it, and sees both again as they were.
fn closes(whole: &Manifest, cases: &[(Manifest, u16, u16)]) {
    let scene = Scene::on(loose());
    let namespace = scene.namespace();
    scene.put_pepper();
    let alice = Holder::put(scene.namespace(), "alice").request();
    namespace.put(&[http_route("other", "edge", "other.test").backend("echo")]);
    let other = Request::get("/").host("other.test");
    let gateway = scene.gateway().start();
    gateway.becomes(&alice, 200);
    gateway.becomes(&other, 200);
    for (broken, of_app, of_other) in cases {
        namespace.put(from_ref(broken));
        counts(&gateway, whole.kind(), 1);
        // One that finds it so from the start does likewise.
        let late = scene.gateway().start();
        for gateway in [&gateway, &late] {
            gateway.becomes(&alice, *of_app);
            gateway.becomes(&other, *of_other);
        }
        namespace.put(from_ref(whole));
        counts(&gateway, whole.kind(), 0);
        gateway.becomes(&alice, 200);
        gateway.becomes(&other, 200);
    }
}

/// The same of what shapes, unknown values among it (O-B1).
#[test]
fn a_policy_that_cannot_be_read_closes_its_targets_or_its_namespace() {
    let unknown_field = policy().set("spec.colour", "red");
    let unknown_method = policy().set("spec.methods", json!([{"type": "APIKey"}, {"type": "Telepathy"}]));
    let no_targets = policy().set("spec.targetRefs", "app");
    let cases = [
        (unknown_field, 503, 200),
        (unknown_method, 503, 200),
        (no_targets, 503, 503),
    ];
    closes(&policy(), &cases);
}

#[test]
fn a_route_that_cannot_be_read_closes_its_hostnames_or_its_namespace() {
    let no_rules = route().set("spec.rules", "all");
    let no_hostnames = route().set("spec.hostnames", 5);
    closes(&route(), &[(no_rules, 500, 200), (no_hostnames, 500, 500)]);
}

#[test]
fn a_gateway_that_cannot_be_read_closes_its_ports() {
    let whole = gateway("edge", PORT);
    let broken = whole.clone().set("spec.listeners.0.allowedRoutes", "all");
    closes(&whole, &[(broken, 503, 503)]);
}

/// They are there when operator and gateways start (O-B1).
#[test]
fn from_the_start_on_a_bad_one_among_fifty_is_alone_unusable_and_is_read_when_mended() {
    let scene = Scene::on(loose());
    let namespace = scene.namespace();
    let good = Holder::put_many(scene.namespace(), "many", 50);
    let ways = CREDENTIAL;
    let bad: Vec<_> = (0..ways.len())
        .map(|n| Holder::new(&format!("bad-{n}")))
        .collect();
    let spoilt = bad
        .iter()
        .zip(ways)
        .map(|(bad, spoil)| spoil(bad.credential.clone()));
    let spoilt: Vec<_> = spoilt.collect();
    // And one whose Secret lacks what it needs.
    let poor = Holder::new("poor");
    let lacking = credential("poor", "poor").secret_ref("poor");
    for holder in bad.iter().chain([&poor]) {
        namespace.put(from_ref(&holder.consumer));
    }
    namespace.put(&spoilt);
    namespace.put(&[
        lacking.clone(),
        secret("poor", &poor.key).set("stringData", json!({"other": keys::key("other")})),
    ]);

    let operator = scene.operator().start();
    let gateways = scene.two_gateways();
    for gateway in &gateways {
        for holder in &good {
            assert_eq!(gateway.status(&holder.request()), 200);
        }
        for holder in bad.iter().chain([&poor]) {
            assert_eq!(gateway.status(&holder.request()), 401);
        }
        counts(gateway, "Credential", ways.len());
    }
    for spoilt in &spoilt {
        let accepted = namespace.until_condition(spoilt, "Accepted", "False");
        assert_eq!(accepted["reason"], "Invalid", "{accepted}");
    }
    let resolved = namespace.until_condition(&lacking, "ResolvedRefs", "False");
    assert_eq!(resolved["reason"], "SecretKeyMissing", "{resolved}");
    operator.until_metric("latchkey_operator_undecodable_objects", &[], |count| count == 4.0);

    let later = Holder::put(scene.namespace(), "later");
    for gateway in &gateways {
        gateway.becomes(&later.request(), 200);
    }
    for bad in &bad {
        namespace.put(from_ref(&bad.credential));
    }
    namespace.put(&[secret("poor", &poor.key)]);
    for gateway in &gateways {
        for holder in bad.iter().chain([&poor]) {
            gateway.becomes(&holder.request(), 200);
        }
        counts(gateway, "Credential", 0);
    }
    let (broken, rest) = good.split_first().expect("there are fifty");
    namespace.put(&[broken.credential.clone().set("spec.colour", "red")]);
    for gateway in &gateways {
        gateway.flips(&broken.request(), 200, 401);
        for holder in rest {
            assert_eq!(gateway.status(&holder.request()), 200);
        }
    }
}
