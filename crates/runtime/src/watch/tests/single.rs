//! One object: read by `get`, watched by its name, nothing lost between the two.

use super::*;
use server::Watch;

fn pepper() -> Collection {
    Collection {
        plural: "secrets",
        namespace: Some("latchkey".to_owned()),
        name: Some("pepper".to_owned()),
        ..services()
    }
}

fn absent() -> Value {
    status(404, "NotFound", &json!({ "name": "pepper", "kind": "secrets" }))
}

/// Lets the watch open, and gives back the `get` that follows.
async fn opened(scene: &mut Scene) -> (Watch, server::Asked) {
    let asked = scene.server.asked().await;
    assert_eq!(asked.query("watch"), Some("true"));
    assert_eq!(asked.path, "/api/v1/namespaces/latchkey/secrets");
    assert_eq!(asked.query("fieldSelector"), Some("metadata.name%3Dpepper"));
    assert_eq!(asked.query("resourceVersion"), None);
    let watch = asked.open();
    let get = scene.server.asked().await;
    assert_eq!(get.path, "/api/v1/namespaces/latchkey/secrets/pepper");
    (watch, get)
}

#[tokio::test(start_paused = true)]
async fn the_object_is_the_whole_list_and_the_watch_was_open_before_it_was_read() {
    let mut scene = start(pepper());
    let (watch, get) = opened(&mut scene).await;
    // Deleted between the two: a watch from a version could not tell.
    watch.event("ADDED", &object("pepper", 5));
    watch.event("DELETED", &object("pepper", 6));
    get.json(200, &object("pepper", 5));
    assert_eq!(
        scene.words(5).await,
        [
            "begin",
            "listed pepper",
            "end",
            "applied pepper",
            "deleted pepper"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_not_there_is_an_empty_list_and_comes_by_the_watch() {
    let mut scene = start(pepper());
    let (watch, get) = opened(&mut scene).await;
    get.json(404, &absent());
    assert_eq!(scene.words(2).await, ["begin", "end"]);
    watch.event("ADDED", &object("pepper", 5));
    assert_eq!(scene.words(1).await, ["applied pepper"]);
    drop(watch);
    let next = scene.server.asked().await;
    assert_eq!(next.query("resourceVersion"), Some("5"));
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_has_told_no_version_is_followed_by_another_list() {
    let mut scene = start(pepper());
    let (watch, get) = opened(&mut scene).await;
    get.json(404, &absent());
    assert_eq!(scene.words(2).await, ["begin", "end"]);
    tokio::time::sleep(Duration::from_secs(20)).await;
    drop(watch);
    let (_watch, get) = opened(&mut scene).await;
    get.json(404, &absent());
    assert_eq!(scene.words(2).await, ["begin", "end"]);
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_not_there_is_not_an_object_that_is_not_there() {
    let mut scene = start(pepper());
    scene
        .server
        .asked()
        .await
        .text(404, "text/plain", "404 page not found\n", None);
    assert_eq!(scene.words(1).await, ["missing"]);
    let mut scene = start(pepper());
    let (_watch, get) = opened(&mut scene).await;
    get.json(404, &status(404, "NotFound", &json!({})));
    assert_eq!(scene.words(1).await, ["missing"]);
    // Nor is something else that is not there.
    let mut scene = start(pepper());
    let (_watch, get) = opened(&mut scene).await;
    get.json(
        404,
        &status(
            404,
            "NotFound",
            &json!({ "name": "latchkey", "kind": "namespaces" }),
        ),
    );
    assert_eq!(scene.words(1).await, ["trouble"]);
}

#[tokio::test(start_paused = true)]
async fn a_get_that_is_refused_says_so_and_begins_again() {
    let mut scene = start(pepper());
    let (watch, get) = opened(&mut scene).await;
    get.json(
        403,
        &status(403, "Forbidden", &json!({ "name": "pepper", "kind": "secrets" })),
    );
    let Event::Trouble(reason) = scene.event().await else {
        panic!("the refusal is told");
    };
    assert!(reason.contains("grant `get` on `secrets`"), "{reason}");
    watch.abandoned().await;
    let (_watch, get) = opened(&mut scene).await;
    get.json(200, &object("pepper", 5));
    assert_eq!(scene.words(4).await, ["begin", "listed pepper", "end", "working"]);
}
