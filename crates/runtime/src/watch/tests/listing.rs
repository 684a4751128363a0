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

#[tokio::test(start_paused = true)]
async fn a_version_that_a_list_was_read_at_expires_and_the_list_is_begun_again() {
    let mut scene = start(services());
    scene.server.asked().await.json(200, &list(10, &["a"], "next"));
    let expired = status(410, "Expired", &json!({}));
    scene.server.asked().await.json(410, &expired);
    let again = scene.server.asked().await;
    assert_eq!(again.query("continue"), None);
    again.json(200, &list(12, &[], ""));
    assert_eq!(
        scene.words(5).await,
        ["begin", "listed a", "trouble", "begin", "end"]
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_silent_in_a_page_is_asked_again() {
    let mut scene = start(services());
    let begun = Instant::now();
    let page = scene.server.asked().await.open();
    page.raw("{\"metadata\":");
    let again = scene.server.asked().await;
    let took = begun.elapsed();
    assert!(
        took >= Duration::from_secs(25) && took < Duration::from_secs(26),
        "{took:?}"
    );
    again.json(200, &list(10, &[], ""));
    assert_eq!(scene.words(4).await, ["trouble", "begin", "end", "working"]);
    page.abandoned().await;
}

#[tokio::test(start_paused = true)]
async fn an_odd_object_fails_neither_its_page_nor_the_others() {
    let mut scene = start(services());
    // Numbers like this are JSON and fit into nothing.
    let odd = r#"{"metadata":{"name":"odd","namespace":"n","resourceVersion":"4"},"spec":1e999}"#;
    let page = list(10, &["a", "b"], "").to_string();
    let page = page.replace(r#"{"metadata":{"name":"b","resourceVersion":"1"}}"#, odd);
    scene
        .server
        .asked()
        .await
        .text(200, "application/json", &page, None);
    assert_eq!(scene.words(2).await, ["begin", "listed a"]);
    let Event::Listed(cut) = scene.event().await else {
        panic!("the odd one is listed");
    };
    assert_eq!(
        cut,
        json!({
            "kind": "Service", "apiVersion": "v1",
            "metadata": { "name": "odd", "namespace": "n", "resourceVersion": "4" },
        })
    );
    assert_eq!(scene.words(1).await, ["end"]);
}

#[tokio::test(start_paused = true)]
async fn an_object_without_a_name_fails_the_list() {
    let mut scene = start(services());
    let mut page = list(10, &["a"], "");
    page["items"][0]["metadata"] = json!({ "generateName": "a-" });
    scene.server.asked().await.json(200, &page);
    assert_eq!(scene.words(1).await, ["begin"]);
    let Event::Trouble(reason) = scene.event().await else {
        panic!("the list fails");
    };
    assert!(reason.contains("metadata.name"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn items_get_the_lists_kind_and_lose_their_managed_fields() {
    let mut scene = start(services());
    let mut page = list(10, &["a", "b"], "");
    page["items"][0]["metadata"]["managedFields"] = json!([{ "manager": "kubectl" }]);
    page["items"][1]["kind"] = json!("Other");
    scene.server.asked().await.json(200, &page);
    scene.event().await;
    let mut expected = object("a", 1);
    expected["kind"] = json!("Service");
    expected["apiVersion"] = json!("v1");
    assert_eq!(scene.event().await, Event::Listed(expected));
    let Event::Listed(own) = scene.event().await else {
        panic!("both are listed");
    };
    assert_eq!(own["kind"], "Other");
}

#[tokio::test(start_paused = true)]
async fn a_page_that_is_too_large_is_asked_for_by_halves() {
    let mut scene = start(services());
    let huge = " ".repeat((32 << 20) + 1);
    let first = scene.server.asked().await;
    assert_eq!(first.query("limit"), Some("500"));
    first.text(200, "application/json", &huge, None);
    let half = scene.server.asked().await;
    assert_eq!(half.query("limit"), Some("250"));
    half.json(200, &list(10, &["a"], ""));
    assert_eq!(scene.words(3).await, ["begin", "listed a", "end"]);
}

#[tokio::test(start_paused = true)]
async fn one_object_that_is_too_large_is_a_trouble_and_not_a_hot_loop() {
    let one = Tuning {
        page_size: 1,
        ..Tuning::default()
    };
    let mut scene = start_with(services(), one);
    let begun = Instant::now();
    for _ in 0..10 {
        let huge = " ".repeat((32 << 20) + 1);
        scene
            .server
            .asked()
            .await
            .text(200, "application/json", &huge, None);
    }
    assert_eq!(scene.words(1).await, ["trouble"]);
    scene.server.asked().await;
    assert!(begun.elapsed() > Duration::from_secs(9));
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_is_gone_ends_the_watch_wherever_it_is() {
    // Waiting for an answer.
    let mut scene = start(services());
    let asked = scene.server.asked().await;
    drop(scene.events);
    scene.watch.await.unwrap();
    assert!(!asked.is_wanted());
    // Waiting for the receiver to take an event.
    let mut scene = start_into(4, services(), Tuning::default());
    scene
        .server
        .asked()
        .await
        .json(200, &list(10, &["a", "b", "c", "d", "e", "f"], ""));
    assert_eq!(scene.words(1).await, ["begin"]);
    drop(scene.events);
    scene.watch.await.unwrap();
    // Waiting to try again.
    let mut scene = start(services());
    drop(scene.server.asked().await);
    assert_eq!(scene.words(1).await, ["trouble"]);
    drop(scene.events);
    scene.watch.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_receiver_that_is_slow_slows_the_reading() {
    let mut scene = start_into(4, services(), Tuning::default());
    let page = list(10, &["a", "b", "c", "d", "e", "f", "g", "h"], "next");
    scene.server.asked().await.json(200, &page);
    tokio::time::sleep(LONG).await;
    assert!(scene.server.is_quiet(), "the next page waits for room");
    scene.words(9).await;
    assert_eq!(scene.server.asked().await.query("continue"), Some("next"));
}

#[tokio::test(start_paused = true)]
async fn a_collection_is_asked_for_by_group_namespace_and_labels() {
    let credentials = Collection {
        api_version: "latchkey.dev/v1alpha1",
        plural: "credentials",
        namespace: Some("shop".to_owned()),
        labels: Some("team in (a,b)".to_owned()),
        ..services()
    };
    let mut scene = start(credentials);
    let asked = scene.server.asked().await;
    assert_eq!(
        asked.path,
        "/apis/latchkey.dev/v1alpha1/namespaces/shop/credentials"
    );
    assert_eq!(asked.query("labelSelector"), Some("team%20in%20%28a%2Cb%29"));
    asked.json(200, &list(10, &[], ""));
    let watch = scene.server.asked().await;
    assert_eq!(watch.query("labelSelector"), Some("team%20in%20%28a%2Cb%29"));
}

#[tokio::test(start_paused = true)]
async fn everything_is_listed_again_when_the_interval_is_over() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let begun = Instant::now();
    let mut last = 10;
    let again = loop {
        let asked = scene.server.asked().await;
        if asked.query("watch").is_none() {
            break asked;
        }
        let watch = asked.open();
        last += 1;
        watch.event(
            "BOOKMARK",
            &json!({ "metadata": { "resourceVersion": last.to_string() } }),
        );
        tokio::time::sleep(Duration::from_secs(20)).await;
    };
    let due = begun.elapsed();
    assert!(
        due > Duration::from_secs(2880) - Duration::from_secs(25),
        "{due:?}"
    );
    assert!(
        due < Duration::from_secs(4320) + Duration::from_secs(25),
        "{due:?}"
    );
    again.json(200, &list(last, &[], ""));
    assert_eq!(scene.words(2).await, ["begin", "end"]);
    assert_eq!(scene.restarts(Cause::Interval), 1);
}
