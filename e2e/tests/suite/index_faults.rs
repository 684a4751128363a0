//! Faults that indexes kept up by events are known for: something ends a key, and the key lives on. Here a
//! folder says what there is; no delete is ever announced.

use std::fs;

use latchkey_e2e::{
    client::Request,
    during::During,
    gateway::Gateway,
    keys,
    manifest::{Manifest, consumer, credential, secret},
    scene::{Scene, policy},
    steady::Steady,
    wait::eventually,
};
use serde_json::json;

/// Somebody's name, and a key that a hash in their Credential stands for.
#[derive(Clone)]
struct Holder {
    name: String,
    key: String,
}

impl Holder {
    fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        let key = keys::key(&name);
        Self { name, key }
    }

    fn request(&self) -> Request {
        Request::get("/").key(&self.key)
    }

    fn manifests(&self) -> [Manifest; 2] {
        let credential = credential(&self.name, &self.name).sha256(&self.key);
        [consumer(&self.name), credential]
    }
}

fn manifests(holders: &[Holder]) -> Vec<Manifest> {
    holders.iter().flat_map(Holder::manifests).collect()
}

/// A Consumer loses its last auth method, and stays: the key is dead, and nothing of it is left (O-A1).
#[test]
fn a_consumer_that_loses_its_last_method_leaves_nothing_of_it_in_the_index() {
    let (scene, _echo) = Scene::with_echo();
    let bystander = Request::get("/").key(&scene.consumer("bystander"));
    let gateway = scene.gateway().start();
    let bare = || credential("alice", "alice");
    let basic = bare().set("spec.basicAuth", json!({"secretRef": {"name": "alice"}}));
    for (what, then) in [
        ("no method", Some(bare())),
        ("a method of another kind", Some(basic)),
        ("no Credential", None),
    ] {
        let _during = During::new(what);
        let alice = Request::get("/").key(&scene.consumer_with_secret("alice"));
        gateway.flips(&alice, 401, 200);
        let before = gateway.entries();
        match then {
            Some(credential) => scene.folder.write("credential-alice.yaml", &[credential]),
            None => scene.folder.delete("credential-alice.yaml"),
        }
        gateway.flips(&alice, 200, 401);
        assert_eq!(gateway.entries(), before - 1);
    }
    gateway.still(&bystander, 200);
}

/// Two objects share a leaf name: a change of one is a change of that one, whether both were there from the
/// start or came later (O-A2).
#[test]
fn objects_of_one_leaf_name_in_two_namespaces_are_two_objects() {
    for later in [false, true] {
        let _during = During::new(if later {
            "they came later"
        } else {
            "they were there"
        });
        let (scene, _echo) = Scene::with_echo();
        let everybody = policy().set("spec.consumerNamespaces", json!(["*"]));
        scene.folder.write("policy.yaml", &[everybody]);
        let [first, second, third] = ["first", "second", "third"].map(keys::key);
        let both = || {
            (
                scene.tenant("one", "alice", &first),
                scene.tenant("two", "bob", &second),
            )
        };
        let early = (!later).then(both);
        let gateway = scene.gateway().start();
        let (alice, bob) = early.unwrap_or_else(both);
        gateway.knows(&alice, "alice");
        gateway.knows(&bob, "bob");

        let rotated = scene.tenant("one", "alice", &third);
        gateway.knows(&rotated, "alice");
        gateway.still(&alice, 401);
        gateway.knows(&bob, "bob");
        scene.folder.delete("two.yaml");
        gateway.flips(&bob, 200, 401);
        gateway.still(&alice, 401);
        gateway.knows(&rotated, "alice");
        assert_eq!(gateway.entries(), 1);
    }
}

/// Waits until one of these keys is dead. Then all of them are: they went in one commit.
fn die_together(gateway: &Gateway<'_>, holders: &[Holder]) {
    let status = |holder: &Holder| gateway.status(&holder.request());
    eventually("one of the keys is dead", || {
        let dead = holders.iter().any(|holder| status(holder) == 401);
        dead.then_some(()).ok_or("all live".to_owned())
    });
    for holder in holders {
        assert_eq!(status(holder), 401, "{} outlives another", holder.name);
    }
}

/// The whole state is replaced by one that omits some: those are dead in one commit, and the others answer
/// throughout.
#[test]
fn what_a_new_state_omits_is_dead_in_one_commit_and_the_others_live_throughout() {
    let (scene, _echo) = Scene::with_echo();
    let holders = |sort: &str| -> Vec<_> { (0..8).map(|n| Holder::new(format!("{sort}-{n}"))).collect() };
    let [kept, first, second] = ["kept", "first", "second"].map(holders);
    let all = [kept.clone(), first.clone(), second.clone()].concat();
    scene.folder.write("all.yaml", &manifests(&all));
    let gateway = scene.gateway().start();
    for holder in &all {
        assert_eq!(gateway.status(&holder.request()), 200);
    }
    let requests: Vec<_> = kept.iter().map(Holder::request).collect();
    let live = Steady::start(&[gateway.proxy()], &requests, 200);

    scene
        .folder
        .write("all.yaml", &manifests(&[kept.clone(), second.clone()].concat()));
    die_together(&gateway, &first);

    // Another folder in its place.
    let (path, away) = (scene.folder.path(), scene.folder.path().with_extension("away"));
    let next = path.with_extension("next");
    fs::create_dir(&next).expect("a folder can be made");
    for entry in fs::read_dir(path).expect("the folder is readable") {
        let entry = entry.expect("its entries are, too");
        fs::copy(entry.path(), next.join(entry.file_name())).expect("a file can be copied");
    }
    let documents: Vec<_> = manifests(&kept).iter().map(Manifest::yaml).collect();
    fs::write(next.join("all.yaml"), documents.join("---\n")).expect("the folder is writable");
    fs::rename(path, &away).expect("a folder moves");
    fs::rename(&next, path).expect("a folder moves");
    die_together(&gateway, &second);
    live.finish();
    fs::remove_dir_all(&away).expect("it was ours");
}

/// A delete stands among creates that keep the number equal, or let it rise: the deleted one's key is dead.
#[test]
fn a_delete_among_creates_counts_however_many_are_created() {
    let (scene, _echo) = Scene::with_echo();
    let bystander = Request::get("/").key(&scene.consumer("bystander"));
    let mut present: Vec<_> = (0..4).map(|n| Holder::new(format!("old-{n}"))).collect();
    scene.folder.write("all.yaml", &manifests(&present));
    let gateway = scene.gateway().start();
    let live = Steady::start(&[gateway.proxy()], &[bystander], 200);
    for creates in [1, 6] {
        let _during = During::new(format!("{creates} creates"));
        let before = gateway.entries();
        let middle = present.len() / 2;
        let doomed = present.remove(middle);
        let created: Vec<_> = (0..creates)
            .map(|n| Holder::new(format!("new-{creates}-{n}")))
            .collect();
        present.splice(middle..middle, created.iter().cloned());
        scene.folder.write("all.yaml", &manifests(&present));
        gateway.flips(&doomed.request(), 200, 401);
        for holder in &present {
            assert_eq!(gateway.status(&holder.request()), 200, "{}", holder.name);
        }
        assert_eq!(gateway.entries() + 1, before + creates);
        gateway.still(&doomed.request(), 401);
    }
    live.finish();
}

/// What the value of a Secret is now is the key, of every Credential that names it, each time it changes.
#[test]
fn a_value_that_lies_in_a_secret_is_as_new_as_the_secret() {
    let (scene, _echo) = Scene::with_echo();
    let mut old = Request::get("/").key(&scene.consumer_with_secret("alice"));
    let gateway = scene.gateway().start();
    for number in 0..3 {
        let key = keys::key(&format!("alice-{number}"));
        scene.folder.write("secret-alice.yaml", &[secret("alice", &key)]);
        let new = Request::get("/").key(&key);
        gateway.flips(&new, 401, 200);
        assert_eq!(gateway.status(&old), 401);
        old = new;
    }
}
