use std::{
    io,
    sync::{Arc, Mutex},
};

use http::{Request, Response};
use kube::client::Body;
use latchkey_routing::object::Kind;
use serde_json::{Value, json};

use super::*;

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// An API server that answers every request alike, and the paths that it is asked for.
fn server(status: u16, content_type: &'static str, body: String) -> (Client, Arc<Mutex<Vec<String>>>) {
    let paths = Arc::new(Mutex::new(Vec::new()));
    let seen = paths.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        seen.lock().unwrap().push(request.uri().path().to_owned());
        let response = Response::builder()
            .status(status)
            .header("content-type", content_type)
            .body(Body::from(body.clone().into_bytes()));
        async move { response.map_err(io::Error::other) }
    });
    (Client::new(service, "default"), paths)
}

fn list(resources: &Value) -> String {
    json!({"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "g/v", "resources": resources})
        .to_string()
}

fn refusal(code: u16) -> String {
    json!({"kind": "Status", "code": code, "reason": "Why", "message": "so"}).to_string()
}

async fn stand(status: u16, content_type: &'static str, body: String) -> Option<bool> {
    let policies = Kind::AuthPolicy.resource();
    let (client, _) = server(status, content_type, body);
    let standing = standing(&client, BTreeSet::from([policies])).await;
    standing.ok().map(|standing| standing.contains(&policies))
}

#[tokio::test]
async fn a_kind_stands_while_its_objects_can_be_created() {
    let all = [
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "create",
        "update",
        "watch",
    ];
    let terminating = ["delete", "deletecollection", "get", "list", "watch"];
    let other = json!({"name": "consumers", "verbs": all});
    let status = json!({"name": "authpolicies/status", "verbs": all});
    for (resources, stands) in [
        (
            json!([other, {"name": "authpolicies", "verbs": all}, status]),
            true,
        ),
        (
            json!([other, {"name": "authpolicies", "verbs": terminating}, status]),
            false,
        ),
        (json!([other, status]), false),
        (json!([]), false),
    ] {
        assert_eq!(
            stand(200, JSON, list(&resources)).await,
            Some(stands),
            "{resources}"
        );
    }
}

#[tokio::test]
async fn a_version_that_the_api_server_does_not_know_has_no_kinds() {
    for (content_type, body) in [(TEXT, "404 page not found\n".to_owned()), (JSON, refusal(404))] {
        assert_eq!(
            stand(404, content_type, body).await,
            Some(false),
            "{content_type}"
        );
    }
}

#[tokio::test]
async fn whatever_is_no_answer_to_the_question_says_nothing() {
    for (status, content_type, body) in [
        (404, "text/html", "<h1>404 Not Found</h1>".to_owned()),
        (404, TEXT, "no such host".to_owned()),
        (403, JSON, refusal(403)),
        (429, JSON, refusal(429)),
        (503, TEXT, "service unavailable".to_owned()),
        (200, "text/html", "<h1>Welcome</h1>".to_owned()),
        (200, JSON, json!({"kind": "APIResourceList"}).to_string()),
        (200, JSON, json!({"kind": "Status", "resources": []}).to_string()),
        (200, JSON, list(&json!([{"name": "authpolicies"}]))),
    ] {
        assert_eq!(
            stand(status, content_type, body.clone()).await,
            None,
            "{status} {body}"
        );
    }
}

#[tokio::test]
async fn each_version_is_asked_once_and_decides_about_its_own_kinds() {
    let creatable = |name| json!({"name": name, "verbs": ["create"]});
    // Of another group, a kind of that name is another kind.
    let resources = json!([
        creatable("gateways"),
        creatable("httproutes"),
        creatable("authpolicies")
    ]);
    let (client, paths) = server(200, JSON, list(&resources));
    let kinds = [Kind::Gateway, Kind::HttpRoute, Kind::AuthPolicy].map(Kind::resource);
    let asked = BTreeSet::from(kinds);
    assert_eq!(standing(&client, asked.clone()).await.unwrap(), asked);
    let paths = paths.lock().unwrap().clone();
    let group = "/apis/gateway.networking.k8s.io/v1";
    assert_eq!(paths, [group, "/apis/latchkey.dev/v1alpha1"]);
}
