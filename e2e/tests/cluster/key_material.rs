//! What a Secret's value may be: what no client could send is refused with its reason and a remedy, and the
//! good ones beside it work.

use latchkey_e2e::{
    client::Request,
    cluster::{Stage, scene::of},
    keys,
    manifest::{consumer, secret_of_bytes},
    scene::policy,
};
use serde_json::json;

/// A Consumer whose Secret holds these bytes.
fn with_value(stage: &Stage, name: &str, value: &[u8]) {
    // A Credential before its Secret would say for a moment that there is none.
    let objects = [secret_of_bytes(name, value), consumer(name), of(name)];
    stage.namespace().put(&objects);
}

/// Waits until the Credential says why its key is none, and gives the message.
fn refusal(stage: &Stage, name: &str) -> String {
    let namespace = stage.namespace();
    let refs = namespace.until_condition(&of(name), "ResolvedRefs", "False");
    assert_eq!(refs["reason"], "InvalidKey", "{name}: {refs}");
    let ready = namespace.until_condition(&of(name), "Ready", "False");
    assert_eq!(
        (&ready["reason"], &ready["message"]),
        (&refs["reason"], &refs["message"])
    );
    refs["message"].as_str().unwrap_or_default().to_owned()
}

/// One rule for a final line end: it is cut off (O-A6).
#[test]
fn one_final_line_end_is_no_part_of_a_key() {
    let stage = Stage::shared();
    let (lf, crlf) = (keys::key("lf"), keys::key("crlf"));
    with_value(&stage, "lf", format!("{lf}\n").as_bytes());
    with_value(&stage, "crlf", format!("{crlf}\r\n").as_bytes());
    for key in [lf, crlf] {
        stage.becomes(&Request::get("/").key(&key), 200);
    }
    for name in ["lf", "crlf"] {
        stage.namespace().until_condition(&of(name), "Ready", "True");
    }
}

/// Odd bytes in a Secret (O-A6).
#[test]
fn what_no_client_could_send_is_refused_with_a_remedy_and_harms_nobody() {
    let stage = Stage::shared();
    let good = stage.consumer("good");
    let key = keys::key("odd");
    let blank = "store it without";
    let values: [(&str, Vec<u8>, &str); 9] = [
        ("two-line-ends", format!("{key}\n\n").into_bytes(), blank),
        ("blank-before", format!(" {key}").into_bytes(), blank),
        ("blank-behind", format!("{key} ").into_bytes(), blank),
        (
            "line-end-inside",
            format!("{key}\n{key}").into_bytes(),
            "store one line",
        ),
        ("not-text", [b"\xff\xfe", key.as_bytes()].concat(), "encode it"),
        ("nul-inside", format!("{key}\0{key}").into_bytes(), "NUL byte"),
        ("too-long", "x".repeat(8192).into_bytes(), "use a shorter one"),
        ("not-ascii", "ключ-ключ-ключ-ключ".into(), "encode it"),
        ("too-short", b"fifteen-letters".to_vec(), "use a longer"),
    ];
    for (name, value, _) in &values {
        with_value(&stage, name, value);
    }
    for (name, value, remedy) in &values {
        let message = refusal(&stage, name);
        assert!(message.contains(remedy), "{name}: {message}");
        assert!(
            message.contains(&format!("Secret {name}, data key key")),
            "{message}"
        );
        let value = String::from_utf8_lossy(value);
        assert!(
            !message.contains(&*value) && !message.contains(&key),
            "{name} shows its value"
        );
    }
    stage.becomes(&good, 200);
    for guess in [&key, "fifteen-letters"] {
        stage.is(&Request::get("/").key(guess), 401);
    }
}

/// Absent, empty and blank are no credential, on either side (O-A7).
#[test]
fn an_empty_value_is_never_a_key() {
    let stage = Stage::shared();
    for (name, value) in [("empty", &b""[..]), ("blank", b"  "), ("line-end", b"\n")] {
        with_value(&stage, name, value);
    }
    for name in ["empty", "blank", "line-end"] {
        let message = refusal(&stage, name);
        assert!(message.contains("is empty; store the key itself"), "{message}");
    }
    let places = json!([{"header": {"name": "apikey"}}, {"query": {"name": "apikey"}}]);
    stage.namespace().put(&[policy().places(&places)]);
    let good = keys::key("good");
    with_value(&stage, "good", good.as_bytes());
    stage.becomes(&Request::get(&format!("/?apikey={good}")), 200);
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
        for gateway in stage.gateways() {
            let response = gateway.send(&request);
            assert_eq!(response.status, 401, "{request:?}");
            assert!(response.header("WWW-Authenticate").is_some());
        }
    }
}

#[test]
fn a_key_that_is_mended_works_and_one_that_is_spoilt_does_not() {
    let stage = Stage::shared();
    let key = keys::key("alice");
    let request = Request::get("/").key(&key);
    with_value(&stage, "alice", format!(" {key}").as_bytes());
    refusal(&stage, "alice");
    stage.is(&request, 401);
    with_value(&stage, "alice", key.as_bytes());
    stage.flips(&request, 401, 200);
    with_value(&stage, "alice", b"");
    stage.flips(&request, 200, 401);
    refusal(&stage, "alice");
}
