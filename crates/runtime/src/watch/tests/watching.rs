//! What a watch tells, how it ends, and where the next one begins.

use super::*;

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
