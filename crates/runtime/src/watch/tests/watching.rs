//! What a watch tells, how it ends, and where the next one begins.

use super::*;

/// It took so many seconds, and not one more.
fn assert_took(begun: Instant, seconds: u64) {
    assert_eq!(begun.elapsed().as_secs(), seconds);
}

#[tokio::test(start_paused = true)]
async fn a_watch_goes_on_from_the_list_and_tells_what_changes() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let asked = scene.server.asked().await;
    assert_eq!(asked.query("watch"), Some("true"));
    assert_eq!(asked.query("resourceVersion"), Some("10"));
    assert_eq!(asked.query("timeoutSeconds"), Some("20"));
    assert_eq!(asked.query("allowWatchBookmarks"), Some("true"));
    let watch = asked.open();
    watch.event("ADDED", &object("a", 11));
    watch.event("MODIFIED", &object("a", 12));
    watch.event("DELETED", &object("a", 13));
    assert_eq!(scene.words(3).await, ["applied a", "applied a", "deleted a"]);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_is_resumed_at_once_from_the_last_version() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let watch = scene.server.asked().await.open();
    watch.event("ADDED", &object("a", 11));
    watch.event("BOOKMARK", &json!({ "metadata": { "resourceVersion": "15" } }));
    assert_eq!(scene.words(1).await, ["applied a"]);
    tokio::time::sleep(Duration::from_secs(20)).await;
    let ended = Instant::now();
    drop(watch);
    let asked = scene.server.asked().await;
    assert_eq!(ended.elapsed(), Duration::ZERO);
    assert_eq!(asked.query("resourceVersion"), Some("15"));
    assert_eq!(scene.restarts(Cause::Ended), 1);
    assert_eq!(scene.counts().revision, 15);
}

#[tokio::test(start_paused = true)]
async fn watches_that_end_at_once_are_slowed_down_and_lose_nothing() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let begun = Instant::now();
    for version in 11..41 {
        let asked = scene.server.asked().await;
        assert_eq!(
            asked.query("resourceVersion"),
            Some((version - 1).to_string().as_str())
        );
        asked.open().event("ADDED", &object("a", version));
        assert_eq!(scene.words(1).await, ["applied a"]);
    }
    assert!(begun.elapsed() > Duration::from_secs(30));
    assert_eq!(scene.counts().lists, 1);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_never_answers_is_given_up_and_opened_again() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let begun = Instant::now();
    let silent = scene.server.asked().await;
    let next = scene.server.asked().await;
    assert_took(begun, 25);
    assert!(!silent.is_wanted());
    assert_eq!(next.query("resourceVersion"), Some("10"));
    assert_eq!(scene.words(1).await, ["trouble"]);
    let _watch = next.open();
    assert_eq!(scene.event().await, Event::Working);
    assert_eq!(scene.restarts(Cause::Timeout), 1);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_falls_silent_is_given_up_and_resumed() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let watch = scene.server.asked().await.open();
    watch.event("ADDED", &object("a", 11));
    assert_eq!(scene.words(1).await, ["applied a"]);
    let begun = Instant::now();
    let next = scene.server.asked().await;
    assert_took(begun, 25);
    assert_eq!(next.query("resourceVersion"), Some("11"));
    watch.abandoned().await;
    assert_eq!(scene.restarts(Cause::Timeout), 1);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_moves_is_not_dead_but_one_that_does_not_end_is_resumed() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let watch = scene.server.asked().await.open();
    watch.event("ADDED", &object("a", 11));
    assert_eq!(scene.words(1).await, ["applied a"]);
    let begun = Instant::now();
    let drip = tokio::spawn(async move {
        loop {
            watch.raw("{");
            // The slow server itself, in paused time; nothing waits for it.
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    let next = scene.server.asked().await;
    assert_took(begun, 45);
    drip.abort();
    assert_eq!(next.query("resourceVersion"), Some("11"));
    assert_eq!(scene.words(1).await, ["trouble"]);
    assert_eq!(scene.restarts(Cause::Timeout), 1);
}

#[tokio::test(start_paused = true)]
async fn a_watch_whose_connection_breaks_is_resumed_and_a_cut_line_comes_again() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let watch = scene.server.asked().await.open();
    watch.event("ADDED", &object("a", 11));
    watch.raw(r#"{"type":"ADDED","object":{"metadata":{"na"#);
    watch.cut();
    assert_eq!(scene.words(2).await, ["applied a", "trouble"]);
    let next = scene.server.asked().await;
    assert_eq!(next.query("resourceVersion"), Some("11"));
    let watch = next.open();
    watch.event("ADDED", &object("b", 12));
    assert_eq!(scene.words(2).await, ["working", "applied b"]);
    assert_eq!(scene.restarts(Cause::Transport), 1);
}

#[tokio::test(start_paused = true)]
async fn lines_come_in_any_pieces() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let watch = scene.server.asked().await.open();
    let line = json!({ "type": "ADDED", "object": object("a", 11) }).to_string();
    for byte in line.chars() {
        watch.raw(&byte.to_string());
    }
    watch.raw(&format!("\n\n{line}\n{line}\n"));
    assert_eq!(scene.words(3).await, ["applied a", "applied a", "applied a"]);
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_forgotten_leads_to_a_list_whichever_way_it_is_said() {
    let expired = status(410, "Expired", &json!({}));
    for by_event in [false, true] {
        let mut scene = start(services());
        scene.empty_list(10).await;
        let asked = scene.server.asked().await;
        if by_event {
            asked.open().event("ERROR", &expired);
        } else {
            asked.json(410, &expired);
        }
        let again = scene.server.asked().await;
        assert_eq!(again.query("watch"), None);
        again.json(200, &list(20, &[], ""));
        assert_eq!(scene.words(2).await, ["begin", "end"]);
        assert_eq!(scene.server.asked().await.query("resourceVersion"), Some("20"));
        assert_eq!(scene.restarts(Cause::Gone), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn versions_that_are_always_forgotten_do_not_make_a_hot_loop() {
    let mut scene = start(services());
    let begun = Instant::now();
    for version in 0..10 {
        scene.empty_list(version).await;
        scene
            .server
            .asked()
            .await
            .json(410, &status(410, "Expired", &json!({})));
    }
    assert!(begun.elapsed() > Duration::from_secs(9));
}

#[tokio::test(start_paused = true)]
async fn an_error_in_a_watch_is_resumed_from_and_a_lasting_one_leads_to_a_list() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    for _ in 0..3 {
        let asked = scene.server.asked().await;
        assert_eq!(asked.query("resourceVersion"), Some("10"));
        asked
            .open()
            .event("ERROR", &status(500, "InternalError", &json!({})));
    }
    let again = scene.server.asked().await;
    assert_eq!(again.query("watch"), None);
    assert_eq!(scene.restarts(Cause::Refused), 3);
}

#[tokio::test(start_paused = true)]
async fn a_line_that_cannot_be_understood_leads_to_a_list() {
    let nameless = json!({ "type": "ADDED", "object": { "metadata": { "resourceVersion": "11" } } });
    let versionless = json!({ "type": "ADDED", "object": { "metadata": { "name": "a" } } });
    let strange = json!({ "type": "MOVED", "object": object("a", 11) });
    for line in [
        "{",
        "no",
        "[]",
        &nameless.to_string(),
        &versionless.to_string(),
        &strange.to_string(),
    ] {
        let mut scene = start(services());
        scene.empty_list(10).await;
        let watch = scene.server.asked().await.open();
        watch.raw(line);
        watch.raw("\n");
        let again = scene.server.asked().await;
        assert_eq!(again.query("watch"), None, "{line}");
        assert_eq!(scene.restarts(Cause::Unreadable), 1, "{line}");
        watch.abandoned().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_line_without_an_end_is_given_up_and_leads_to_a_list() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let watch = scene.server.asked().await.open();
    for _ in 0..9 {
        watch.raw(&" ".repeat(1 << 20));
    }
    assert_eq!(scene.server.asked().await.query("watch"), None);
    assert_eq!(scene.restarts(Cause::Unreadable), 1);
    watch.abandoned().await;
}

#[tokio::test(start_paused = true)]
async fn an_odd_object_in_an_event_is_told_by_its_identity() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let watch = scene.server.asked().await.open();
    watch.raw(
        r#"{"type":"MODIFIED","object":{"metadata":{"name":"a","resourceVersion":"11"},"spec":-1e999}}"#,
    );
    watch.raw("\n");
    assert_eq!(scene.event().await, Event::Applied(object("a", 11)));
    drop(watch);
    assert_eq!(scene.server.asked().await.query("resourceVersion"), Some("11"));
}
