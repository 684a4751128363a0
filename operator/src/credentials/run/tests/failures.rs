//! What fails keeps what counts, says so, and is tried again.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_read_that_fails_keeps_the_key_until_one_succeeds() {
    let api = server();
    put_secret(&api, "s", KEY);
    put_credential(&api, "c", &by_secret("s"));
    let _operator = Operator::start(&api);
    until_ready(&api, "c", "True/Ready").await;
    let before = versions(&api, "c");
    api.fail(&secret_path("s"), Some(500));
    put_secret(&api, "s", NEW_KEY);
    until_ready(&api, "c", "Unknown/SecretUnreadable").await;
    assert_eq!(versions(&api, "c"), before);
    let reads = api.asked(GET_SECRET);
    settle().await;
    let tries = api.asked(GET_SECRET) - reads;
    assert!(
        (2..20).contains(&tries),
        "again and again, but not at once: {tries}"
    );
    assert_eq!(api.asked(PATCH), 2, "that it fails still is nothing new");
    api.fail(&secret_path("s"), None);
    until_ready(&api, "c", "True/Ready").await;
    assert_eq!(versions(&api, "c"), [version_of(&api, &secret_path("s"))]);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_fails_is_tried_again() {
    let api = server();
    put_credential(&api, "c", &inline(KEY));
    let status = format!("{}/status", credential_path("c"));
    api.fail(&status, Some(500));
    let operator = Operator::start(&api);
    until("it was tried", || api.asked(PATCH) >= 3).await;
    assert!(operator.stats.reconciles(credentials::Outcome::Failed) >= 2);
    api.fail(&status, None);
    until_ready(&api, "c", "True/Ready").await;
}

#[tokio::test(start_paused = true)]
async fn one_that_cannot_be_decoded_is_told_so_and_disturbs_nobody() {
    let api = server();
    put_secret(&api, "s", KEY);
    put_credential(&api, "bad", &json!({"sha256": 5}));
    put_credential(&api, "good", &by_secret("s"));
    let operator = Operator::start(&api);
    until_ready(&api, "good", "True/Ready").await;
    until_ready(&api, "bad", "False/Invalid").await;
    assert_eq!(operator.stats.held().undecodable, 1);
    let mut broken = credential("good", 1, &by_secret("s"));
    broken["spec"]["unheard"] = "of".into();
    api.put(&credential_path("good"), broken);
    until_ready(&api, "good", "False/Invalid").await;
    assert!(versions(&api, "good").is_empty(), "its key is withdrawn");
    put_credential(&api, "good", &by_secret("s"));
    put_credential(&api, "bad", &inline(NEW_KEY));
    until_ready(&api, "good", "True/Ready").await;
    until_ready(&api, "bad", "True/Ready").await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_before_all_lists_are_complete() {
    let api = server();
    put_credential(&api, "c", &inline(KEY));
    api.miss(CONSUMERS, true);
    let _operator = Operator::start(&api);
    settle().await;
    assert_eq!(api.asked(PATCH), 0);
    api.miss(CONSUMERS, false);
    until_ready(&api, "c", "True/Ready").await;
    assert_eq!(api.asked(PATCH), 1);
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_deleted_is_withdrawn() {
    let api = server();
    put_secret(&api, "s", KEY);
    put_credential(&api, "c", &by_secret("s"));
    let _operator = Operator::start(&api);
    until_ready(&api, "c", "True/Ready").await;
    api.delete(&secret_path("s"));
    until_ready(&api, "c", "False/SecretNotFound").await;
    assert!(versions(&api, "c").is_empty());
}

#[tokio::test(start_paused = true)]
async fn what_something_in_between_says_proves_nothing() {
    let api = server();
    put_secret(&api, "s", KEY);
    put_credential(&api, "c", &by_secret("s"));
    let _operator = Operator::start(&api);
    until_ready(&api, "c", "True/Ready").await;
    api.fail(&secret_path("s"), Some(404));
    put_secret(&api, "s", NEW_KEY);
    until_ready(&api, "c", "Unknown/SecretUnreadable").await;
    assert_eq!(versions(&api, "c").len(), 1);
}
