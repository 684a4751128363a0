//! How much it costs to get there, and that nothing is done once it is.

use super::*;

const HOUR: Duration = Duration::from_secs(3600);

#[tokio::test(start_paused = true)]
async fn objects_that_come_together_cost_one_read_and_one_write() {
    let api = server();
    let _operator = Operator::start(&api);
    settle().await;
    put_credential(&api, "c", &by_secret("s"));
    put_secret(&api, "s", KEY);
    until_ready(&api, "c", "True/Ready").await;
    settle().await;
    assert_eq!((api.asked(GET_SECRET), api.asked(PATCH)), (1, 1));
    assert_eq!(versions(&api, "c"), [version_of(&api, &secret_path("s"))]);
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_comes_later_makes_its_credential_ready() {
    let api = server();
    let _operator = Operator::start(&api);
    put_credential(&api, "c", &by_secret("s"));
    until_ready(&api, "c", "False/SecretNotFound").await;
    put_secret(&api, "s", KEY);
    until_ready(&api, "c", "True/Ready").await;
    settle().await;
    assert_eq!(api.asked(PATCH), 2);
}

#[tokio::test(start_paused = true)]
async fn another_source_takes_the_place_of_the_first() {
    let api = server();
    let _operator = Operator::start(&api);
    put_secret(&api, "s", KEY);
    put_secret(&api, "t", NEW_KEY);
    put_credential(&api, "c", &by_secret("s"));
    until_ready(&api, "c", "True/Ready").await;
    put_credential(&api, "c", &by_secret("t"));
    let version = version_of(&api, &secret_path("t"));
    until("the other one is published", || {
        versions(&api, "c") == [version.clone()]
    })
    .await;
    put_credential(&api, "c", &inline(KEY));
    until("nothing is published", || versions(&api, "c").is_empty()).await;
    settle().await;
    assert_eq!(
        api.object(&credential_path("c"))["status"]["observedGeneration"],
        3
    );
    assert_eq!(api.asked(PATCH), 3);
}

/// 20 Credentials, half of them for ever wrong.
fn many(api: &Api) {
    for n in 0..20 {
        put_credential(api, &format!("c{n}"), &by_secret(&format!("s{n}")));
        if n % 2 == 0 {
            put_secret(api, &format!("s{n}"), &format!("{KEY}-{n}"));
        }
    }
}

async fn until_all_are_said(api: &Api) {
    until("all have a status", || {
        (0..20).all(|n| !ready(api, &format!("c{n}")).is_empty())
    })
    .await;
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_read_or_written_while_nothing_changes() {
    let api = server();
    many(&api);
    let operator = Operator::start(&api);
    until_all_are_said(&api).await;
    assert_eq!((api.asked(PATCH), api.asked(GET_SECRET)), (20, 20));
    // Over an hour watches end and begin, and all is listed again.
    tokio::time::sleep(2 * HOUR).await;
    assert_eq!((api.asked(PATCH), api.asked(GET_SECRET)), (20, 20));
    let mut labelled = api.object(&credential_path("c0"));
    labelled["metadata"]["labels"]["a"] = "b".into();
    api.put(&credential_path("c0"), labelled);
    settle().await;
    assert_eq!(api.asked(PATCH), 20, "a label says nothing new");
    let held = operator.stats.held();
    assert_eq!((held.credentials.ready, held.credentials.not_ready), (10, 10));
    assert_eq!(
        (held.queue_fresh, held.queue_backlog, held.queue_delayed),
        (0, 0, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn a_restart_writes_nothing_and_reads_only_what_does_not_resolve() {
    let api = server();
    many(&api);
    let operator = Operator::start(&api);
    until_all_are_said(&api).await;
    drop(operator);
    let reads = api.asked(GET_SECRET);
    let _operator = Operator::start(&api);
    settle().await;
    assert_eq!(api.asked(PATCH), 20);
    assert_eq!(api.asked(GET_SECRET) - reads, 10);
}

#[tokio::test(start_paused = true)]
async fn a_second_pepper_is_published_beside_the_first() {
    let api = server();
    put_secret(&api, "s", KEY);
    put_credential(&api, "c", &by_secret("s"));
    let operator = Operator::start(&api);
    until_ready(&api, "c", "True/Ready").await;
    operator.peppers.send_replace(vec![pepper(1), pepper(2)]);
    until("both are published", || versions(&api, "c").len() == 2).await;
    operator.peppers.send_replace(vec![pepper(2)]);
    until("the second alone is published", || versions(&api, "c").len() == 1).await;
    assert_eq!((api.asked(PATCH), api.asked(GET_SECRET)), (3, 2));
}
