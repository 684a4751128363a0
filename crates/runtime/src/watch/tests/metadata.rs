//! Metadata alone: the server cuts the objects, or nothing is taken.

use super::*;

fn secrets() -> Collection {
    Collection {
        plural: "secrets",
        content: Content::Metadata,
        ..services()
    }
}

fn partial(name: &str, version: u64) -> Value {
    let mut partial = object(name, version);
    partial["kind"] = json!("PartialObjectMetadata");
    partial["apiVersion"] = json!("meta.k8s.io/v1");
    partial
}

#[tokio::test(start_paused = true)]
async fn metadata_is_asked_for_without_a_fallback() {
    let mut scene = start(secrets());
    let asked = scene.server.asked().await;
    assert_eq!(
        asked.accept,
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
    );
    let mut page = list(10, &[], "");
    page["kind"] = json!("PartialObjectMetadataList");
    page["items"] = json!([partial("a", 1)]);
    asked.json(200, &page);
    assert_eq!(scene.words(3).await, ["begin", "listed a", "end"]);
    let asked = scene.server.asked().await;
    assert_eq!(
        asked.accept,
        "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
    );
    let watch = asked.open();
    watch.event("BOOKMARK", &json!({ "metadata": { "resourceVersion": "11" } }));
    watch.event("ADDED", &partial("b", 12));
    assert_eq!(scene.event().await, Event::Applied(partial("b", 12)));
}

#[tokio::test(start_paused = true)]
async fn whole_objects_are_not_handed_on() {
    let mut scene = start(secrets());
    let mut page = list(10, &["a"], "");
    page["items"][0]["data"] = json!({ "key": "c2VjcmV0" });
    scene.server.asked().await.json(200, &page);
    assert_eq!(scene.words(1).await, ["begin"]);
    let Event::Trouble(reason) = scene.event().await else {
        panic!("whole objects are refused");
    };
    assert!(!reason.contains("c2VjcmV0"));
}
