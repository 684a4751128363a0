//! Faults that indexes kept up by events are known for: something ends a key, and the key lives on. All are
//! tried on a real API server; those whose subject has a file of its own stand there.
//!
//! | what must hold | where |
//! |---|---|
//! | who loses the last method loses the key at once | here |
//! | an object is who it is by namespace and name, in lists and in events | here |
//! | a change of a Consumer changes what its Credentials answer | `revocation` |
//! | a value that lies in a Secret is as new as the Secret | `secret_references` |
//! | a read that ends late brings nothing back | `late_reads` |
//! | what a list omits is dead in one commit, and the others live | here |
//! | requests read no Secrets | `secret_reads` |
//! | a delete counts whatever is created around it | here |

use std::{
    slice::from_ref,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use latchkey_e2e::{
    client::Request,
    cluster::{
        Cluster, Gateway, Holder, Installation, Namespace, Relay, Scene, Stage,
        relay::{Action, When},
        scene::{of, secret_of},
    },
    during::During,
    manifest::{Manifest, consumer},
    poll::Poll,
    scene::policy,
    steady::Steady,
    wait::eventually,
};
use rustix::process::Signal;
use serde_json::json;

/// The next so many watches of a resource are answered as by an API server that has forgotten the version.
fn forget_version(relay: &Relay, resource: &str, watches: usize) {
    relay.add_times(watches, When::watch(resource), Action::status(410, "Expired"));
}

/// Something that a user does to the Credential of this name.
type Change = fn(&Namespace<'_>, &str);

/// A Consumer loses its last auth method, and stays: the key is dead, and nothing of it is left (O-A1).
#[test]
fn a_consumer_that_loses_its_last_method_leaves_nothing_of_it_in_the_index() {
    let stage = Stage::shared();
    let bystander = stage.consumer("bystander");
    stage.becomes(&bystander, 200);
    let changes: [(&str, Change); 3] = [
        ("no method", |namespace, name| {
            namespace.edit("credential", name, &json!({"spec": {"apiKey": null}}));
        }),
        ("a method of another kind", |namespace, name| {
            let spec = json!({"apiKey": null, "basicAuth": {"username": name, "secretRef": {"name": name}}});
            namespace.edit("credential", name, &json!({ "spec": spec }));
        }),
        ("no Credential", |namespace, name| {
            namespace.delete("credential", name);
        }),
    ];
    for (number, (what, change)) in changes.into_iter().enumerate() {
        let _during = During::new(what);
        let name = format!("alice-{number}");
        let request = stage.consumer(&name);
        stage.becomes(&request, 200);
        let entries = || stage.gateways().each_ref().map(|gateway| gateway.entries());
        let parent = || stage.namespace().read(&consumer(&name));
        let (before, untouched) = (entries(), parent());
        change(stage.namespace(), &name);
        stage.flips(&request, 200, 401);
        assert_eq!(entries(), before.map(|entries| entries - 1));
        assert_eq!(parent(), untouched);
    }
    stage.is(&bystander, 200);
}

/// Two objects share a leaf name: a change of one is a change of that one, whether the index came to know
/// them by a list or by events, and whether it hears of the change by an event or by a list (O-A2).
#[test]
fn objects_of_one_leaf_name_in_two_namespaces_are_two_objects() {
    let other = Namespace::new(Cluster::shared());
    let scene = Scene::of(Installation::in_a_namespace_beside(Cluster::shared(), &[&other]));
    scene.put_pepper();
    let here = scene.namespace();
    here.put(&[policy().set("spec.consumerNamespaces", json!(["*"]))]);

    let relay = Relay::start(scene.cluster());
    let by_events = scene.gateway().through(&relay).start();
    let (alice, bob) = (Holder::of("alice", "laptop"), Holder::of("bob", "laptop"));
    here.put(&alice.manifests());
    other.put(&bob.manifests());
    let by_list = scene.gateway().start();
    let gateways = [&by_events, &by_list];
    let is = |holder: &Holder, username: Option<&str>| {
        for gateway in gateways {
            match username {
                Some(username) => gateway.knows(&holder.request(), username),
                None => drop(gateway.becomes(&holder.request(), 401)),
            }
        }
    };
    is(&alice, Some("alice"));
    is(&bob, Some("bob"));

    // The one that knows them by events hears of what follows by lists alone, the other one by events.
    let unseen = |change: &dyn Fn()| {
        let away = relay.add(When::any(), Action::Cut);
        change();
        forget_version(&relay, "credentials", 2);
        relay.lift(away);
    };
    let rotated = Holder::of("alice", "laptop");
    unseen(&|| here.put(from_ref(&rotated.credential)));
    is(&alice, None);
    is(&rotated, Some("alice"));
    is(&bob, Some("bob"));
    unseen(&|| other.remove(&bob.credential));
    is(&bob, None);
    is(&rotated, Some("alice"));
    assert_eq!(gateways.map(|gateway| gateway.entries()), [1, 1]);
}

/// Waits until one of these keys is dead. Then all of them are: they went in one commit.
fn die_together(gateway: &Gateway, requests: &[Request]) {
    eventually("one of the keys is dead", || {
        let dead = requests.iter().any(|request| gateway.status(request) == 401);
        dead.then_some(()).ok_or("all live".to_owned())
    });
    for request in requests {
        assert_eq!(gateway.status(request), 401, "it outlives one that went with it");
    }
}

/// A list omits Consumers and Credentials of which no deletion was ever heard: they are dead in one commit,
/// and the others answer throughout (O-B3).
#[test]
fn what_a_list_omits_is_dead_in_one_commit_and_the_others_live_throughout() {
    let scene = Scene::shared();
    scene.put_pepper();
    let namespace = scene.namespace();
    let relay = Relay::start(scene.cluster());
    let gateway = scene.gateway().through(&relay).start();
    let holders = |sort: &str| -> Vec<_> {
        let names = (0..8).map(|n| format!("{sort}-{n}"));
        names.map(|name| Holder::put(namespace, &name)).collect()
    };
    let [kept, without_credential, without_consumer, gone] =
        ["kept", "without-credential", "without-consumer", "gone"].map(holders);
    let requests = |holders: &[Holder]| holders.iter().map(Holder::request).collect::<Vec<_>>();
    for request in [&kept, &without_credential, &without_consumer, &gone].map(|sort| requests(sort)) {
        gateway.becomes(request.last().expect("some"), 200);
    }
    let live = Steady::start(&[gateway.proxy()], &requests(&kept), 200);
    let asks = |request: &Request| Poll::start(gateway.proxy(), request);
    let dying: Vec<_> = requests(&gone[..2]).iter().map(asks).collect();

    let away = relay.add(When::any(), Action::Cut);
    for holder in without_credential.iter().chain(&gone) {
        namespace.remove(&holder.credential);
    }
    for holder in without_consumer.iter().chain(&gone) {
        namespace.remove(&holder.consumer);
    }
    for resource in ["credentials", "consumers"] {
        forget_version(&relay, resource, 1);
    }
    relay.lift(away);
    die_together(&gateway, &requests(&without_credential));
    die_together(&gateway, &requests(&without_consumer));
    die_together(&gateway, &requests(&gone));
    for poll in dying {
        poll.becomes(&[200, 401]);
    }
    live.finish();
}

/// The same of Secrets, of which the operator hears: a list that omits one withdraws its key.
#[test]
fn a_secret_that_a_list_omits_is_a_key_no_more_and_the_others_live_throughout() {
    let scene = Scene::shared();
    let relay = Relay::start(scene.cluster());
    let _operator = scene.operator().through(&relay).start();
    let gateway = scene.gateway().start();
    let (alice, bob) = (scene.consumer("alice"), scene.consumer("bob"));
    for request in [&alice, &bob] {
        gateway.becomes(request, 200);
    }
    let live = Steady::start(&[gateway.proxy()], &[bob], 200);
    let away = relay.add(When::any(), Action::Cut);
    scene.namespace().remove(&secret_of("alice"));
    forget_version(&relay, "secrets", 2);
    relay.lift(away);
    gateway.flips(&alice, 200, 401);
    let refs = scene
        .namespace()
        .until_condition(&of("alice"), "ResolvedRefs", "False");
    assert_eq!(refs["reason"], "SecretNotFound");
    live.finish();
}

/// How a gateway hears of several changes.
#[derive(Clone, Copy, Debug)]
enum Hears {
    /// As they come.
    OneByOne,
    /// All in one batch: it stands still meanwhile.
    AtOnce,
    /// By a complete list.
    ByList,
}

/// A delete stands among creates that keep the number equal, or let it rise: the deleted one's key is dead.
#[test]
fn a_delete_among_creates_counts_however_many_are_created_and_however_they_are_heard_of() {
    let scene = Scene::shared();
    scene.put_pepper();
    let relay = Relay::start(scene.cluster());
    let gateway = scene.gateway().through(&relay).start();
    let bystander = Holder::put(scene.namespace(), "bystander");
    gateway.becomes(&bystander.request(), 200);
    let live = Steady::start(&[gateway.proxy()], &[bystander.request()], 200);
    for hears in [Hears::OneByOne, Hears::AtOnce, Hears::ByList] {
        for creates in [1, 6] {
            let _during = During::new(format!("{creates} creates, {hears:?}"));
            churn(&scene, &relay, &gateway, creates, hears);
        }
    }
    live.finish();
}

/// One key that works, a batch of changes with its deletion in the middle, and what the gateway has then.
fn churn(scene: &Scene<'_>, relay: &Relay, gateway: &Gateway, creates: usize, hears: Hears) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let new = |what: &str| Holder::new(&format!("{what}-{}", NEXT.fetch_add(1, Relaxed)));
    let namespace = scene.namespace();
    let doomed = new("doomed");
    namespace.put(&doomed.manifests());
    gateway.becomes(&doomed.request(), 200);
    let before = gateway.entries();
    let created: Vec<_> = (0..creates).map(|_| new("created")).collect();

    let away = match hears {
        Hears::OneByOne => None,
        Hears::AtOnce => {
            gateway.process().signal(Signal::STOP);
            None
        }
        Hears::ByList => Some(relay.add(When::any(), Action::Cut)),
    };
    let (first, second) = created.split_at(creates / 2);
    apply(namespace, first);
    namespace.delete("credential", doomed.credential.name());
    apply(namespace, second);
    if matches!(hears, Hears::AtOnce) {
        gateway.process().signal(Signal::CONT);
    }
    if let Some(away) = away {
        forget_version(relay, "credentials", 1);
        relay.lift(away);
    }

    gateway.flips(&doomed.request(), 200, 401);
    for holder in &created {
        gateway.becomes(&holder.request(), 200);
    }
    assert_eq!(gateway.entries() + 1, before + created.len() as u64);
    assert_eq!(gateway.status(&doomed.request()), 401);
}

/// Consumers and Credentials by one `kubectl apply`.
fn apply(namespace: &Namespace<'_>, holders: &[Holder]) {
    let all: Vec<Manifest> = holders.iter().flat_map(Holder::manifests).collect();
    if !all.is_empty() {
        namespace.apply(&all);
    }
}
