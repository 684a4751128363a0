//! The contact: how fresh the session is, and a store that was put back.

use super::*;
use server::{Asked, Watch};
use std::time::SystemTime;

/// Endpoints stand for the contact, so that its requests are told from the watch's.
fn asks_contact(asked: &Asked) -> bool {
    asked.path == "/api/v1/endpoints"
}

fn start_contact(scene: &Scene) -> JoinHandle<()> {
    let session = scene.session.clone();
    tokio::spawn(async move {
        let endpoints = Collection {
            plural: "endpoints",
            ..services()
        };
        session.contact(&endpoints).await;
    })
}

async fn contact_asked(scene: &mut Scene) -> Asked {
    let asked = scene.server.asked().await;
    assert!(asks_contact(&asked), "{}", asked.path);
    assert_eq!(asked.query("limit"), Some("1"));
    assert_eq!(asked.query("resourceVersion"), None);
    asked
}

/// A watch at version 100 that was told one event, and an answered contact at that version.
async fn settled() -> (Scene, Watch) {
    let mut scene = start(services());
    scene.empty_list(90).await;
    let watch = scene.server.asked().await.open();
    watch.event("ADDED", &object("a", 100));
    scene.words(1).await;
    start_contact(&scene);
    contact_asked(&mut scene).await.json(200, &list(100, &[], ""));
    (scene, watch)
}

#[tokio::test(start_paused = true)]
async fn the_contact_is_asked_at_once_and_again_and_its_age_is_known() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let _watch = scene.server.asked().await.open();
    assert_eq!(scene.session.contact_age(), None);
    let begun = Instant::now();
    start_contact(&scene);
    let asked = contact_asked(&mut scene).await;
    assert_eq!(begun.elapsed(), Duration::ZERO);
    asked.json(200, &list(10, &[], ""));
    let again = contact_asked(&mut scene).await;
    let age = scene.session.contact_age().unwrap();
    assert!((8.0..12.5).contains(&age.as_secs_f64()), "{age:?}");
    again.json(200, &list(10, &[], ""));
    assert_eq!(scene.session.counts().contacts, 1);
}

#[tokio::test(start_paused = true)]
async fn a_contact_that_fails_does_not_count_and_is_tried_again_soon() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let _watch = scene.server.asked().await.open();
    start_contact(&scene);
    drop(contact_asked(&mut scene).await);
    let begun = Instant::now();
    let silent = contact_asked(&mut scene).await;
    assert!(begun.elapsed() < Duration::from_millis(401));
    let next = contact_asked(&mut scene).await;
    assert!(!silent.is_wanted(), "its time-out is its own");
    assert!(begun.elapsed() < Duration::from_secs(12));
    assert_eq!(scene.session.contact_age(), None);
    assert_eq!(scene.session.counts().contact_failures, 2);
    next.json(200, &list(10, &[], ""));
    contact_asked(&mut scene).await;
    assert!(scene.session.contact_age().is_some());
}

#[tokio::test(start_paused = true)]
async fn a_store_that_was_put_back_makes_every_watch_list_again() {
    let (mut scene, watch) = settled().await;
    contact_asked(&mut scene).await.json(200, &list(99, &[], ""));
    let again = scene.server.asked().await;
    assert_eq!(
        (again.path.as_str(), again.query("watch")),
        ("/api/v1/services", None)
    );
    watch.abandoned().await;
    again.json(200, &list(99, &[], ""));
    assert_eq!(scene.words(2).await, ["begin", "end"]);
    assert_eq!(scene.session.counts().rollbacks, 1);
    assert_eq!(scene.restarts(Cause::Rollback), 1);
    assert_eq!(scene.server.asked().await.query("resourceVersion"), Some("99"));
    // What is held now stems from after it: no second alarm.
    contact_asked(&mut scene).await.json(200, &list(99, &[], ""));
    let next = scene.server.asked().await;
    assert!(asks_contact(&next) || next.query("watch").is_some());
    assert_eq!(scene.session.counts().rollbacks, 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_was_going_on_when_the_store_was_put_back_is_begun_again() {
    let (mut scene, watch) = settled().await;
    watch.event("ERROR", &status(410, "Expired", &json!({})));
    scene.server.asked().await.json(200, &list(101, &["a"], "next"));
    assert_eq!(scene.words(2).await, ["begin", "listed a"]);
    let page = scene.server.asked().await;
    assert_eq!(page.query("continue"), Some("next"));
    contact_asked(&mut scene).await.json(200, &list(50, &[], ""));
    let again = scene.server.asked().await;
    assert_eq!(
        (again.path.as_str(), again.query("continue")),
        ("/api/v1/services", None)
    );
    assert!(!page.is_wanted());
    again.json(200, &list(50, &[], ""));
    assert_eq!(scene.words(2).await, ["begin", "end"]);
}

#[tokio::test(start_paused = true)]
async fn what_a_watch_sees_while_the_contact_is_under_way_is_rightly_newer() {
    let (mut scene, watch) = settled().await;
    let asked = contact_asked(&mut scene).await;
    watch.event("ADDED", &object("b", 105));
    scene.words(1).await;
    asked.json(200, &list(103, &[], ""));
    contact_asked(&mut scene).await.json(200, &list(105, &[], ""));
    contact_asked(&mut scene).await;
    assert_eq!(scene.session.counts().rollbacks, 0);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_loses_its_connection_calls_for_a_contact() {
    let (mut scene, watch) = settled().await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let begun = Instant::now();
    watch.cut();
    contact_asked(&mut scene).await;
    assert!(begun.elapsed() < Duration::from_millis(1));
}

#[tokio::test(start_paused = true)]
async fn a_contact_with_one_object_proves_that_the_server_is_there() {
    let mut scene = start(services());
    scene.empty_list(90).await;
    let _watch = scene.server.asked().await.open();
    let session = scene.session.clone();
    tokio::spawn(async move {
        let one = Collection {
            plural: "secrets",
            namespace: Some("n".to_owned()),
            name: Some("pepper".to_owned()),
            ..services()
        };
        session.contact(&one).await;
    });
    let asked = scene.server.asked().await;
    assert_eq!(asked.path, "/api/v1/namespaces/n/secrets/pepper");
    asked.json(200, &object("pepper", 3));
    let asked = scene.server.asked().await;
    assert!(scene.session.contact_age().is_some());
    asked.json(404, &status(404, "NotFound", &json!({ "name": "pepper" })));
    scene.server.asked().await;
    assert_eq!(
        (scene.session.counts().contacts, scene.session.counts().rollbacks),
        (2, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn all_watches_of_a_session_list_again_together() {
    let (mut scene, _watch) = settled().await;
    let session = scene.session.clone();
    let (sender, mut events) = mpsc::channel(64);
    tokio::spawn(async move {
        let pods = Collection {
            plural: "pods",
            ..services()
        };
        session.watch(pods, (), sender).await;
    });
    scene.server.asked().await.json(200, &list(95, &["p"], ""));
    let _second = scene.server.asked().await.open();
    contact_asked(&mut scene).await.json(200, &list(60, &[], ""));
    let mut listed = Vec::new();
    for _ in 0..2 {
        let asked = scene.server.asked().await;
        assert_eq!(asked.query("watch"), None);
        listed.push(asked.path.clone());
        asked.json(200, &list(60, &[], ""));
    }
    listed.sort();
    assert_eq!(listed, ["/api/v1/pods", "/api/v1/services"]);
    let mut words = Vec::new();
    for _ in 0..5 {
        words.push(word(&events.recv().await.unwrap().1));
    }
    assert_eq!(words, ["begin", "listed p", "end", "begin", "end"]);
}

#[tokio::test(start_paused = true)]
async fn a_contact_tells_how_far_the_clocks_are_apart() {
    let mut scene = start(services());
    scene.empty_list(10).await;
    let _watch = scene.server.asked().await.open();
    start_contact(&scene);
    let asked = contact_asked(&mut scene).await;
    assert_eq!(scene.session.clock_skew(), None);
    let behind = SystemTime::now() - Duration::from_secs(100);
    asked.dated(behind, &list(10, &[], ""));
    contact_asked(&mut scene).await;
    let skew = scene.session.clock_skew();
    // A slow machine takes some of it away.
    assert!(
        skew.is_some_and(|skew| (90.0..=101.0).contains(&skew)),
        "{skew:?}"
    );
}
