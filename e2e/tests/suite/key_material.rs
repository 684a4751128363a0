//! What a Secret's value may be: what no client could send is refused with its reason, and the
//! good ones beside it work.

use base64::{Engine, engine::general_purpose::STANDARD};
use latchkey_e2e::{
    client::Request,
    keys,
    manifest::{consumer, credential, secret_of_bytes},
    scene::{Scene, policy},
};
use serde_json::json;

/// A Consumer whose Secret holds these bytes.
fn with_value(scene: &Scene, name: &str, value: &[u8]) {
    scene.folder.write(
        &format!("{name}.yaml"),
        &[
            consumer(name),
            credential(name, name).secret_ref(name),
            secret_of_bytes(name, value),
        ],
    );
}

/// One rule for a final line end: it is cut off (O-A6).
#[test]
fn one_final_line_end_is_no_part_of_a_key() {
    let (scene, _echo) = Scene::with_echo();
    let (lf, crlf) = (keys::key("lf"), keys::key("crlf"));
    with_value(&scene, "lf", format!("{lf}\n").as_bytes());
    with_value(&scene, "crlf", format!("{crlf}\r\n").as_bytes());
    let gateway = scene.gateway().start();
    for key in [lf, crlf] {
        assert_eq!(gateway.status(&Request::get("/").key(&key)), 200);
    }
}

/// Odd bytes in a Secret (O-A6).
#[test]
fn what_no_client_could_send_is_refused_with_a_reason_and_harms_nobody() {
    let (scene, _echo) = Scene::with_echo();
    let good = scene.consumer_with_secret("good");
    let key = keys::key("odd");
    let values: [(&str, Vec<u8>); 9] = [
        ("two-line-ends", format!("{key}\n\n").into_bytes()),
        ("blank-before", format!(" {key}").into_bytes()),
        ("blank-behind", format!("{key} ").into_bytes()),
        ("line-end-inside", format!("{key}\n{key}").into_bytes()),
        ("not-text", [b"\xff\xfe", key.as_bytes()].concat()),
        ("nul-inside", format!("{key}\0{key}").into_bytes()),
        ("too-long", "x".repeat(8192).into_bytes()),
        ("not-ascii", "ключ-ключ-ключ-ключ".into()),
        ("too-short", b"fifteen-letters".to_vec()),
    ];
    for (name, value) in &values {
        with_value(&scene, name, value);
    }
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&Request::get("/").key(&good)), 200);
    assert_eq!(gateway.status(&Request::get("/").key(&key)), 401);
    assert_eq!(gateway.status(&Request::get("/").key("fifteen-letters")), 401);
    for (name, _) in values {
        let line = gateway.says(&[&format!("{name}.yaml")]);
        assert!(line.contains("Secret") || line.contains("Credential"), "{line}");
    }
}

/// Absent, empty and blank are no credential (O-A7).
#[test]
fn an_empty_value_is_never_a_key() {
    let (scene, _echo) = Scene::with_echo();
    for (name, value) in [("empty", &b""[..]), ("blank", b"  "), ("line-end", b"\n")] {
        with_value(&scene, name, value);
    }
    let places = json!([{"header": {"name": "apikey"}}, {"query": {"name": "apikey"}}]);
    scene.folder.write("policy.yaml", &[policy().places(&places)]);
    let gateway = scene.gateway().args(&["--min-key-length", "1"]).start();
    for request in [
        Request::get("/"),
        Request::get("/").header("apikey", ""),
        Request::get("/").header("apikey", "  "),
        Request::get("/?apikey="),
        Request::get("/?apikey"),
        Request::get("/?apikey=%20%20"),
        Request::get("/").header("Authorization", "Bearer"),
        Request::get("/").header("Authorization", "Basic Og=="),
    ] {
        let response = gateway.send(&request);
        assert_eq!(response.status, 401, "{request:?}");
        assert!(response.header("WWW-Authenticate").is_some());
    }
    gateway.says(&["empty.yaml"]);
    gateway.says(&["blank.yaml"]);
}

#[test]
fn the_shortest_key_that_is_taken_can_be_set() {
    let (scene, _echo) = Scene::with_echo();
    with_value(&scene, "short", b"short-one");
    let request = Request::get("/").key("short-one");
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&request), 401);
    drop(gateway);
    let gateway = scene.gateway().args(&["--min-key-length", "8"]).start();
    assert_eq!(gateway.status(&request), 200);
}

/// A Secret that is missing, and then created (O-A5).
#[test]
fn a_secret_that_is_not_there_is_no_key_and_neither_is_its_name() {
    let (scene, _echo) = Scene::with_echo();
    scene.folder.write(
        "alice.yaml",
        &[
            consumer("alice"),
            credential("alice", "alice").secret_ref("later"),
        ],
    );
    let gateway = scene.gateway().start();
    for guess in [
        "",
        "later",
        "later/key",
        "key",
        "default/later",
        "{\"name\":\"later\",\"key\":\"key\"}",
    ] {
        assert_eq!(gateway.status(&Request::get("/").key(guess)), 401, "{guess}");
    }
    gateway.says(&["alice.yaml", "later"]);
    let key = keys::key("later");
    scene
        .folder
        .write("later.yaml", &[secret_of_bytes("later", key.as_bytes())]);
    gateway.flips(&Request::get("/").key(&key), 401, 200);
}

#[test]
fn a_missing_data_key_is_no_key() {
    let (scene, _echo) = Scene::with_echo();
    let key = scene.consumer_with_secret("alice");
    let other = secret_of_bytes("alice", b"").set("data", json!({"other": STANDARD.encode(&key)}));
    scene.folder.write("secret-alice.yaml", &[other]);
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&Request::get("/").key(&key)), 401);
    gateway.says(&["alice", "key"]);
}

#[test]
fn a_hash_that_is_none_is_refused() {
    let (scene, _echo) = Scene::with_echo();
    let key = keys::key("alice");
    let cut = keys::sha256(&key)[..62].to_owned();
    scene.folder.write(
        "alice.yaml",
        &[
            consumer("alice"),
            credential("alice", "alice").set("spec.apiKey", json!({"sha256": cut})),
        ],
    );
    let gateway = scene.gateway().start();
    assert_eq!(gateway.status(&Request::get("/").key(&key)), 401);
    gateway.says(&["alice.yaml", "sha256"]);
}
