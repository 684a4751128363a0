//! Servers that refuse: what is told, once, and when they are asked again.

use super::*;

/// Asks until the watch is asked for again, and tells how long that took.
async fn waited(scene: &mut Scene) -> (server::Asked, Duration) {
    let begun = Instant::now();
    let asked = scene.server.asked().await;
    (asked, begun.elapsed())
}

async fn trouble(scene: &mut Scene) -> String {
    match scene.event().await {
        Event::Trouble(reason) => reason,
        other => panic!("a trouble, not {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn failures_are_waited_for_longer_and_longer_up_to_a_limit() {
    let mut scene = start(services());
    drop(scene.server.asked().await);
    let mut waits = Vec::new();
    for _ in 0..8 {
        let (asked, wait) = waited(&mut scene).await;
        drop(asked);
        waits.push(wait);
    }
    let (shortest, longest) = (Duration::from_millis(200), Duration::from_millis(3001));
    assert!(
        waits.iter().all(|wait| (shortest..longest).contains(wait)),
        "{waits:?}"
    );
    assert!(
        waits[0] < Duration::from_millis(401) && waits[7] >= Duration::from_millis(1500),
        "{waits:?}"
    );
    // A success starts it again.
    scene.server.asked().await.json(200, &list(10, &[], ""));
    scene
        .server
        .asked()
        .await
        .json(410, &status(410, "Expired", &json!({})));
    drop(scene.server.asked().await);
    let (_, wait) = waited(&mut scene).await;
    assert!(wait < Duration::from_millis(401), "{wait:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_names_a_wait_is_left_alone_for_so_long() {
    let too_many = |details| status(429, "TooManyRequests", &details);
    let mut scene = start(services());
    scene
        .server
        .asked()
        .await
        .retry_after(429, 7, &too_many(json!({})));
    let (asked, wait) = waited(&mut scene).await;
    assert!((7.0..8.5).contains(&wait.as_secs_f64()), "{wait:?}");
    asked.json(503, &too_many(json!({ "retryAfterSeconds": 9 })));
    let (asked, wait) = waited(&mut scene).await;
    assert!((9.0..11.0).contains(&wait.as_secs_f64()), "{wait:?}");
    // Nobody is left alone for ever.
    asked.retry_after(429, 1_000_000, &too_many(json!({})));
    let (asked, wait) = waited(&mut scene).await;
    assert!((30.0..36.5).contains(&wait.as_secs_f64()), "{wait:?}");
    // A watch that is sent away waits too.
    asked.json(200, &list(10, &[], ""));
    scene.words(4).await;
    scene
        .server
        .asked()
        .await
        .retry_after(429, 7, &too_many(json!({})));
    let (asked, wait) = waited(&mut scene).await;
    assert!((7.0..8.5).contains(&wait.as_secs_f64()), "{wait:?}");
    assert_eq!(asked.query("resourceVersion"), Some("10"));
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_not_there_is_told_once_and_found_when_it_comes() {
    let mut scene = start(services());
    for _ in 0..5 {
        let (asked, wait) = waited(&mut scene).await;
        assert!(wait < Duration::from_millis(3001), "{wait:?}");
        asked.text(404, "text/plain; charset=utf-8", "404 page not found\n", None);
    }
    assert_eq!(scene.words(1).await, ["missing"]);
    scene.server.asked().await.json(200, &list(10, &[], ""));
    assert_eq!(scene.words(3).await, ["begin", "end", "working"]);
    // It goes again, and its watch says so first.
    scene
        .server
        .asked()
        .await
        .json(404, &status(404, "NotFound", &json!({})));
    scene
        .server
        .asked()
        .await
        .json(404, &status(404, "NotFound", &json!({})));
    assert_eq!(scene.words(1).await, ["missing"]);
    assert_eq!(scene.counts().working, 0);
}

#[tokio::test(start_paused = true)]
async fn a_404_of_something_else_than_the_api_server_removes_nothing() {
    let mut scene = start(services());
    scene
        .server
        .asked()
        .await
        .text(404, "text/html", "<h1>Not Found</h1>", None);
    assert_eq!(scene.words(1).await, ["trouble"]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_says_what_to_grant_and_is_told_once() {
    let mut scene = start(services());
    for _ in 0..5 {
        scene
            .server
            .asked()
            .await
            .json(403, &status(403, "Forbidden", &json!({})));
    }
    let reason = trouble(&mut scene).await;
    assert!(
        reason.contains("grant `list` on `services`") && reason.contains("RBAC"),
        "{reason}"
    );
    scene
        .server
        .asked()
        .await
        .json(401, &status(401, "Unauthorized", &json!({})));
    let reason = trouble(&mut scene).await;
    assert!(reason.contains("token"), "{reason}");
    scene.server.asked().await.json(200, &list(10, &[], ""));
    assert_eq!(scene.words(3).await, ["begin", "end", "working"]);
    assert_eq!(scene.counts().working, 1);
    scene
        .server
        .asked()
        .await
        .json(403, &status(403, "Forbidden", &json!({})));
    let reason = trouble(&mut scene).await;
    assert!(reason.contains("grant `watch` on `services`"), "{reason}");
    assert_eq!(scene.counts().working, 0);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_list_is_a_trouble() {
    for body in [
        "",
        "null",
        "[]",
        "{}",
        r#"{"items":[]}"#,
        r#"{"metadata":{},"items":[]}"#,
    ] {
        let mut scene = start(services());
        scene
            .server
            .asked()
            .await
            .text(200, "application/json", body, None);
        assert_eq!(scene.words(1).await, ["trouble"], "{body}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_over_is_not_counted_as_running() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    scene.server.asked().await;
    assert_eq!((scene.counts().watches, scene.counts().working), (1, 1));
    let Scene {
        session,
        events,
        watch,
        ..
    } = scene;
    drop(events);
    watch.await.unwrap();
    let counts = session.counts().collections["services"].clone();
    assert_eq!((counts.watches, counts.working, counts.lists), (0, 0, 1));
}
