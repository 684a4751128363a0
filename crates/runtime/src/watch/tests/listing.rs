//! Complete lists, broken ones, and what stands in them.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_list_is_read_page_by_page_as_a_consistent_read() {
    let mut scene = start(services());
    let first = scene.server.asked().await;
    assert_eq!(first.path, "/api/v1/services");
    assert_eq!(first.query("limit"), Some("500"));
    assert_eq!(first.query("resourceVersion"), None);
    assert_eq!(first.query("continue"), None);
    first.json(200, &list(10, &["a"], "token/1"));
    let second = scene.server.asked().await;
    assert_eq!(second.query("continue"), Some("token%2F1"));
    assert_eq!(second.query("resourceVersion"), None);
    second.json(200, &list(10, &["b"], ""));
    assert_eq!(scene.words(4).await, ["begin", "listed a", "listed b", "end"]);
    assert_eq!(scene.server.asked().await.query("resourceVersion"), Some("10"));
    assert_eq!(scene.counts().lists, 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_breaks_is_begun_again_without_an_end() {
    let mut scene = start(services());
    scene
        .server
        .asked()
        .await
        .json(200, &list(10, &["a", "b"], "next"));
    drop(scene.server.asked().await);
    let again = scene.server.asked().await;
    assert_eq!(again.query("continue"), None);
    again.json(200, &list(11, &["a"], ""));
    assert_eq!(
        scene.words(7).await,
        [
            "begin", "listed a", "listed b", "trouble", "begin", "listed a", "end"
        ]
    );
    assert_eq!(scene.event().await, Event::Working);
    assert_eq!(scene.server.asked().await.query("resourceVersion"), Some("11"));
    assert_eq!(scene.counts().list_failures, 1);
}
