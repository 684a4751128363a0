//! Late results never win.

use super::*;
use crate::status::Outcome;

#[tokio::test(start_paused = true)]
async fn an_older_read_that_ends_late_does_not_restore_a_key() {
    let api = server();
    put_secret(&api, "s", KEY);
    put_credential(&api, "c", &by_secret("s"));
    let slow = Operator::start(&api);
    until_ready(&api, "c", "True/Ready").await;
    // One operator reads the second key and is held up; the third comes; another operator publishes it.
    let gate = api.hold(&secret_path("s"));
    put_secret(&api, "s", "a-second-key-of-enough");
    until("it is read", || slow.stats.secret_reads() == 2).await;
    put_secret(&api, "s", NEW_KEY);
    let quick = Operator::start(&api);
    let newest = version_of(&api, &secret_path("s"));
    until("the third is published", || {
        versions(&api, "c") == [newest.clone()]
    })
    .await;
    let stands = api.object(&credential_path("c"));
    gate.notify_one();
    settle().await;
    assert_eq!(api.object(&credential_path("c")), stands);
    assert_eq!(quick.stats.writes(Outcome::Done), 1);
}

#[tokio::test(start_paused = true)]
async fn a_read_that_ends_after_its_credential_changed_is_not_used() {
    let api = server();
    put_secret(&api, "s", KEY);
    put_secret(&api, "t", NEW_KEY);
    let gate = api.hold(&secret_path("s"));
    put_credential(&api, "c", &by_secret("s"));
    let operator = Operator::start(&api);
    until("it is read", || operator.stats.secret_reads() == 1).await;
    put_credential(&api, "c", &by_secret("t"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(api.asked(PATCH), 0, "one at a time");
    gate.notify_one();
    let version = version_of(&api, &secret_path("t"));
    until("the other is published", || {
        versions(&api, "c") == [version.clone()]
    })
    .await;
    settle().await;
    assert_eq!(api.asked(PATCH), 1);
    assert_eq!(operator.stats.writes(Outcome::Conflict), 0);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_computed_again_from_a_live_read_if_the_watch_lags() {
    let api = server();
    put_secret(&api, "s", KEY);
    put_credential(&api, "c", &by_secret("s"));
    let operator = Operator::start(&api);
    until_ready(&api, "c", "True/Ready").await;
    settle().await;
    api.lag(CREDENTIALS, true);
    let mut labelled = api.object(&credential_path("c"));
    labelled["metadata"]["labels"]["a"] = "b".into();
    api.put(&credential_path("c"), labelled);
    put_secret(&api, "s", NEW_KEY);
    let version = version_of(&api, &secret_path("s"));
    until("the new key is published", || {
        versions(&api, "c") == [version.clone()]
    })
    .await;
    assert_eq!(operator.stats.writes(Outcome::Conflict), 1);
    api.lag(CREDENTIALS, false);
    settle().await;
    assert_eq!(versions(&api, "c"), [version]);
}

#[tokio::test(start_paused = true)]
async fn blocks_that_a_stranger_wrote_are_replaced_and_counted() {
    let api = server();
    for name in ["c", "n"] {
        put_secret(&api, name, &format!("{KEY}-of-{name}"));
        put_credential(&api, name, &by_secret(name));
    }
    let operator = Operator::start(&api);
    until_ready(&api, "c", "True/Ready").await;
    until_ready(&api, "n", "True/Ready").await;
    let old = api.object(&credential_path("c"))["status"]["published"].clone();
    put_secret(&api, "c", NEW_KEY);
    let version = version_of(&api, &secret_path("c"));
    until("the new key is published", || {
        versions(&api, "c") == [version.clone()]
    })
    .await;
    settle().await;
    let right = api.object(&credential_path("c"));
    let copied = api.object(&credential_path("n"))["status"]["published"].clone();
    let mut forged = right["status"]["published"].clone();
    forged[0]["digest"] = "0".repeat(64).into();
    for (count, strange) in (1..).zip([old, copied, forged]) {
        let mut object = right.clone();
        object["status"]["published"] = strange;
        api.put(&credential_path("c"), object);
        until("it is replaced", || {
            api.object(&credential_path("c"))["status"] == right["status"]
        })
        .await;
        settle().await;
        assert_eq!(operator.stats.blocks_refused(), count);
    }
}
