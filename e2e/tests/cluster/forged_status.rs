//! Blocks in a Credential's status that the operator did not publish: forged, copied, or put back. Whoever
//! may write a status opens no door by it, and the operator makes it right at once.

use latchkey_e2e::{
    client::Request,
    cluster::{Gateway, Operator, Scene, scene::of},
    echo::Seen,
    keys,
    manifest::{Manifest, consumer},
    poll::Poll,
};
use serde_json::{Value, json};

/// A gateway that renders its counters often.
fn gateway(scene: &Scene<'_>) -> Gateway {
    let starter = scene.gateway();
    starter.args(&["--metrics-refresh-interval", "100ms"]).start()
}

/// The one block that stands in a Credential's status.
fn block(scene: &Scene<'_>, name: &str) -> Value {
    let credential = scene.namespace().read(&of(name)).unwrap_or_default();
    credential["status"]["published"][0].clone()
}

/// Puts a block into the place of all that stands.
fn write(scene: &Scene<'_>, credential: &Manifest, block: &Value) {
    let status = json!({"status": {"published": [block]}});
    scene.namespace().patch_status(credential, &status).must();
}

fn until_block_is(scene: &Scene<'_>, name: &str, wanted: &Value) {
    scene
        .namespace()
        .until(&of(name), "the true block stands", |object| {
            object["status"]["published"] == json!([wanted])
        });
}

fn until_refused(gateway: &Gateway) {
    gateway.until_metric("latchkey_published_blocks_refused_total", &[], |refused| {
        refused > 0.0
    });
}

/// Waits until an operator has counted one block that it replaced.
fn until_replaced(operator: &Operator) {
    operator.until_metric(
        "latchkey_operator_published_blocks_refused_total",
        &[],
        |refused| refused == 1.0,
    );
}

fn whose(gateway: &Gateway, request: &Request) -> Option<String> {
    Seen::of(&gateway.send(request)).header("X-Consumer-Username")
}

/// A stranger who knows a key makes a block out of alice's, bob's and that key's hash, and puts it into
/// alice's status. While no operator runs it opens nothing; when one does, it is replaced.
fn a_stranger_writes(forge: impl FnOnce(Value, Value, &str) -> Value) {
    let scene = Scene::shared();
    let operator = scene.operator().start();
    let gateway = gateway(&scene);
    let [alice, bob] = ["alice", "bob"].map(|name| scene.consumer(name));
    gateway.becomes(&alice, 200);
    gateway.becomes(&bob, 200);
    let (true_block, neighbours) = (block(&scene, "alice"), block(&scene, "bob"));
    drop(operator);
    let key = keys::key("mallory");
    let mallory = Poll::start(gateway.proxy(), &Request::get("/").key(&key));

    let forged = forge(true_block.clone(), neighbours, &keys::sha256(&key));
    write(&scene, &of("alice"), &forged);
    until_refused(&gateway);
    assert_eq!(whose(&gateway, &bob).as_deref(), Some("bob"));
    assert_eq!(gateway.status(&alice), 401, "her own block is gone");

    let operator = scene.operator().start();
    until_block_is(&scene, "alice", &true_block);
    gateway.becomes(&alice, 200);
    assert_eq!(whose(&gateway, &alice).as_deref(), Some("alice"));
    assert_eq!(whose(&gateway, &bob).as_deref(), Some("bob"));
    operator.says(&["a stranger wrote", "alice"]);
    until_replaced(&operator);
    mallory.is(&[401]);
}

#[test]
fn a_block_of_a_neighbour_counts_for_nothing_and_is_replaced() {
    a_stranger_writes(|_, neighbours, _| neighbours);
}

#[test]
fn a_neighbours_digest_under_the_own_tag_counts_for_nothing_and_is_replaced() {
    a_stranger_writes(|mut own, neighbours, _| {
        own["digest"] = neighbours["digest"].clone();
        own
    });
}

#[test]
fn a_forged_digest_and_tag_count_for_nothing_and_are_replaced() {
    a_stranger_writes(|mut own, _, hash| {
        own["digest"] = hash.into();
        own["tag"] = "5a".repeat(32).into();
        own
    });
}

#[test]
fn who_may_write_a_status_cannot_mint_a_key() {
    let scene = Scene::shared();
    let operator = scene.operator().start();
    let gateway = gateway(&scene);
    let alice = scene.consumer("alice");
    gateway.becomes(&alice, 200);
    let mut minted = block(&scene, "alice");
    drop(operator);

    let namespace = scene.namespace();
    namespace.put(&[consumer("mallory"), of("mallory")]);
    let key = keys::key("mallory");
    let mallory = Poll::start(gateway.proxy(), &Request::get("/").key(&key));
    minted["digest"] = keys::sha256(&key).into();
    minted["source"]["name"] = "mallory".into();
    write(&scene, &of("mallory"), &minted);
    until_refused(&gateway);
    mallory.is(&[401]);

    let _operator = scene.operator().start();
    let refs = namespace.until_condition(&of("mallory"), "ResolvedRefs", "False");
    assert_eq!(refs["reason"], "SecretNotFound");
    namespace.until(&of("mallory"), "nothing is published", |object| {
        object["status"]["published"].is_null()
    });
    mallory.is(&[401]);
}

#[test]
fn an_older_block_that_is_put_back_is_replaced_at_once() {
    let scene = Scene::shared();
    let operator = scene.operator().start();
    let gateway = gateway(&scene);
    let old = scene.consumer("alice");
    gateway.becomes(&old, 200);
    let older = block(&scene, "alice");
    let new = scene.rotate("alice");
    gateway.flips(&new, 401, 200);
    gateway.becomes(&old, 401);
    let newer = block(&scene, "alice");
    assert_ne!(older, newer);
    operator.wait_settled(2.0);

    let is_made_right = || {
        until_block_is(&scene, "alice", &newer);
        scene.catches_up(&gateway);
        assert_eq!((gateway.status(&old), gateway.status(&new)), (401, 200));
    };
    write(&scene, &of("alice"), &older);
    is_made_right();
    until_replaced(&operator);

    // An operator that starts later knows nothing of what stood before, and finds out all the same.
    drop(operator);
    write(&scene, &of("alice"), &older);
    let _operator = scene.operator().start();
    is_made_right();
}
