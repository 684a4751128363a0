//! One request at a time, against an API server that each test scripts.

use std::{fs, io};

use http::{Request, Response};
use kube::client::Body;
use serde_json::{Value, json};

use super::*;

/// A server that answers everything alike.
fn server(status: u16, headers: &'static [(&'static str, &'static str)], body: impl Into<Vec<u8>>) -> Client {
    let body = body.into();
    let service = tower::service_fn(move |_: Request<Body>| {
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        let response = response.body(Body::from(body.clone()));
        async move { response.map_err(io::Error::other) }
    });
    Client::new(service, "default")
}

async fn failure(client: &Client) -> Failure {
    let answer = send(client, Call::get("/x"), Limits::default()).await.unwrap();
    answer.ok().unwrap_err()
}

fn status(code: u16, details: &Value) -> String {
    let status = json!({
        "kind": "Status", "code": code, "reason": "Reason", "message": "a\nmessage", "details": details,
    });
    status.to_string()
}

#[tokio::test]
async fn an_answer_is_read_as_what_was_asked_for() {
    let client = server(200, &[], r#"{"a":1}"#);
    let answer = send(&client, Call::get("/x"), Limits::default()).await.unwrap();
    assert_eq!(answer.ok().unwrap().json::<Value>().unwrap(), json!({ "a": 1 }));
}

#[tokio::test]
async fn a_call_becomes_the_request_that_its_verb_means() {
    let object = json!({ "a": 1 });
    let calls = [
        (Call::get("/x"), "GET", None),
        (Call::list("/x?limit=1"), "GET", None),
        (Call::create("/x", &object), "POST", Some("application/json")),
        (Call::update("/x", &object), "PUT", Some("application/json")),
        (
            Call::merge_patch("/x", &object),
            "PATCH",
            Some("application/merge-patch+json"),
        ),
        (Call::delete("/x"), "DELETE", None),
    ];
    for (call, method, content_type) in calls {
        let request = call.into_request().unwrap();
        assert_eq!(request.method(), method);
        let header = request.headers().get("content-type");
        assert_eq!(
            header.map(|value| value.to_str().unwrap()),
            content_type,
            "{method}"
        );
        assert_eq!(request.headers()["accept"], "application/json");
        let body = request.into_body().collect_bytes().await.unwrap();
        assert_eq!(body.is_empty(), content_type.is_none(), "{method}");
    }
}

#[tokio::test]
async fn a_refusal_is_read_from_its_status() {
    let details = json!({ "name": "n", "retryAfterSeconds": 3 });
    let client = server(409, &[], status(409, &details));
    let failure = failure(&client).await;
    assert_eq!((failure.code, failure.about.as_deref()), (409, Some("n")));
    assert_eq!(failure.retry_after, Some(Duration::from_secs(3)));
    assert_eq!(failure.to_string(), "409 Reason a message");
}

#[tokio::test]
async fn the_header_says_how_long_to_wait_before_the_body_does() {
    let body = status(429, &json!({ "retryAfterSeconds": 3 }));
    let client = server(429, &[("retry-after", "7")], body.clone());
    assert_eq!(failure(&client).await.retry_after, Some(Duration::from_secs(7)));
    // A date is another way to write it, which API servers do not use.
    let client = server(429, &[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")], body);
    assert_eq!(failure(&client).await.retry_after, Some(Duration::from_secs(3)));
}

#[tokio::test]
async fn values_that_a_validation_quotes_are_not_told() {
    let mut body: Value = serde_json::from_str(&status(422, &json!({}))).unwrap();
    body["message"] = json!("Invalid value: \"top secret\"");
    body["details"]["causes"] =
        json!([{ "reason": "FieldValueInvalid", "field": "data.key", "message": "\"top secret\"" }]);
    let failure = failure(&server(422, &[], body.to_string())).await;
    assert_eq!(failure.message, "data.key (FieldValueInvalid)");
}

#[tokio::test]
async fn bodies_are_never_shown() {
    let secret = r#"{"data":"dG9wIHNlY3JldA=="}"#;
    let client = server(200, &[], secret);
    let answer = send(&client, Call::get("/x"), Limits::default()).await.unwrap();
    assert_eq!(format!("{answer:?}"), "Answer(200 OK, 27 bytes)");
    let error = answer.json::<Vec<u8>>().unwrap_err().to_string();
    assert!(!error.contains("dG9w"), "{error}");
    let failure = failure(&server(500, &[], secret)).await;
    assert!(!format!("{failure:?}").contains("dG9w"));
    let call = Call::create("/x", &json!({ "data": "dG9wIHNlY3JldA==" }));
    assert_eq!(format!("{call:?}"), "Call(create /x)");
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_not_read() {
    let limits = Limits {
        body: 3,
        ..Limits::default()
    };
    let promised: &[_] = &[("content-length", "4")];
    for headers in [promised, &[]] {
        let error = send(&server(200, headers, "four"), Call::get("/x"), limits)
            .await
            .unwrap_err();
        assert!(matches!(error, ApiError::TooLarge(3)), "{error:?}");
    }
    let answer = send(&server(200, &[], "abc"), Call::get("/x"), limits)
        .await
        .unwrap();
    assert_eq!(answer.body, "abc");
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_given_up_in_time_and_the_request_is_counted() {
    let service = tower::service_fn(|_: Request<Body>| std::future::pending::<io::Result<Response<Body>>>());
    let client = Client::new(service, "default");
    let counted = || {
        let calls = calls().snapshot();
        let found = calls
            .iter()
            .find(|(verb, code, _)| (*verb, *code) == (Verb::Delete, None));
        found.map_or(0, |(_, _, count)| *count)
    };
    let before = counted();
    let error = send(&client, Call::delete("/x"), Limits::default())
        .await
        .unwrap_err();
    assert!(matches!(error, ApiError::Timeout(_)), "{error:?}");
    assert_eq!(counted(), before + 1);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_what_to_do() {
    // Bound and closed again: nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kubeconfig");
    fs::write(&file, kubeconfig(&format!("http://127.0.0.1:{port}"))).unwrap();
    let api = ApiArgs {
        kubeconfig: Some(file),
    };
    let client = api.client().await.unwrap();
    assert_eq!(client.default_namespace(), "shop");
    let error = send(&client, Call::get("/x"), Limits::default())
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("onnection refused"), "{error}");
    assert!(error.contains("check that the API server runs"), "{error}");
}

#[tokio::test]
async fn a_kubeconfig_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let broken = folder.path().join("broken");
    fs::write(&broken, "kind: Config\ncurrent-context: none\n").unwrap();
    for file in [missing, broken] {
        let api = ApiArgs {
            kubeconfig: Some(file.clone()),
        };
        let Err(error) = api.client().await else {
            panic!("{} cannot be used", file.display());
        };
        assert!(error.to_string().contains(&file.display().to_string()), "{error}");
        assert!(error.to_string().contains("--kubeconfig"), "{error}");
    }
}

fn kubeconfig(server: &str) -> String {
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{ "name": "k", "cluster": { "server": server } }],
        "users": [{ "name": "u", "user": { "token": "t" } }],
        "contexts": [{ "name": "c", "context": { "cluster": "k", "user": "u", "namespace": "shop" } }],
    });
    config.to_string()
}
