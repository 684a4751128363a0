//! A complete list, once.

use tokio::time::advance;

use super::*;
use crate::api::ApiError;

const PAGE: Duration = Duration::from_secs(5);
const ALL: Duration = Duration::from_secs(12);

fn policies() -> Collection {
    Collection {
        content: Content::Metadata,
        ..services()
    }
}

fn page(items: &[(&str, u64)], next: &str) -> Value {
    let mut page = list(10, &[], next);
    page["kind"] = json!("PartialObjectMetadataList");
    let partial = |(name, version): &(&str, u64)| {
        let mut partial = object(name, *version);
        partial["kind"] = json!("PartialObjectMetadata");
        partial
    };
    page["items"] = items.iter().map(partial).collect();
    page
}

/// A list that is under way.
fn ask() -> (Server, JoinHandle<Result<Vec<Value>, ApiError>>) {
    let (server, client) = Server::new();
    let listing = tokio::spawn(async move { list_once(&client, &policies(), PAGE, ALL).await });
    (server, listing)
}

#[tokio::test(start_paused = true)]
async fn it_is_all_pages_of_a_consistent_read() {
    let (mut server, listing) = ask();
    let first = server.asked().await;
    assert_eq!(first.query("resourceVersion"), None);
    assert!(first.accept.contains("PartialObjectMetadataList"));
    first.json(200, &page(&[("a", 1), ("b", 2)], "more"));
    let second = server.asked().await;
    assert_eq!(second.query("continue"), Some("more"));
    second.json(200, &page(&[("c", 3)], ""));
    let listed = listing.await.unwrap().unwrap();
    let names: Vec<_> = listed.iter().map(|object| &object["metadata"]["name"]).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_known_where_it_is_not_complete() {
    let (mut server, listing) = ask();
    server.asked().await.json(200, &page(&[("a", 1)], "more"));
    let refusal = json!({ "kind": "Status", "code": 410, "reason": "Expired" });
    server.asked().await.json(410, &refusal);
    assert_eq!(listing.await.unwrap().unwrap_err().code(), Some(410));

    let (mut server, listing) = ask();
    let begun = Instant::now();
    server.asked().await.json(200, &page(&[("a", 1)], "more"));
    let _unanswered = server.asked().await;
    assert!(matches!(listing.await.unwrap(), Err(ApiError::Timeout(PAGE))));
    assert_eq!(begun.elapsed(), PAGE);

    let (mut server, mut listing) = ask();
    let begun = Instant::now();
    let timed_out = loop {
        tokio::select! {
            // Whoever has timed out asks no more.
            biased;
            listed = &mut listing => break listed.unwrap(),
            asked = server.asked() => {
                // In time for the page, and not for all of them.
                advance(Duration::from_secs(4)).await;
                asked.json(200, &page(&[("a", 1)], "more"));
            }
        }
    };
    assert!(matches!(timed_out, Err(ApiError::Timeout(ALL))));
    assert_eq!(begun.elapsed(), ALL);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_list_is_not_an_empty_one() {
    let empty = || page(&[], "");
    let mut without_version = empty();
    without_version["metadata"] = json!({});
    let mut other_kind = empty();
    other_kind["kind"] = json!("Status");
    for (body, is_list) in [
        (empty(), true),
        (without_version, false),
        (other_kind, false),
        (json!({}), false),
    ] {
        let (mut server, listing) = ask();
        server.asked().await.json(200, &body);
        assert_eq!(listing.await.unwrap().is_ok(), is_list, "{body}");
    }
}
