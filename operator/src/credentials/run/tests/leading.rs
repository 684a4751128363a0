//! Only a leader writes, and a new one writes only what is not said already.

use super::*;

#[tokio::test(start_paused = true)]
async fn nothing_is_read_or_written_while_not_leading() {
    let api = server();
    put_secret(&api, "s", KEY);
    let operator = Operator::standby(&api, config());
    settle().await;
    put_credential(&api, "c", &by_secret("s"));
    settle().await;
    assert_eq!((api.asked(PATCH), api.asked(GET_SECRET)), (0, 0));
    assert_eq!(operator.stats.held().credentials.unsaid, 1, "but it keeps up");
    operator.lead(true);
    until_ready(&api, "c", "True/Ready").await;
    operator.lead(false);
    put_secret(&api, "s", NEW_KEY);
    settle().await;
    assert_eq!(api.asked(PATCH), 1);
    operator.lead(true);
    let version = version_of(&api, &secret_path("s"));
    until("what was missed is published", || {
        versions(&api, "c") == [version.clone()]
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_written_before_a_pepper_is_known() {
    let api = server();
    put_credential(&api, "c", &inline(KEY));
    let operator = Operator::standby(&api, config());
    operator.peppers.send_replace(Vec::new());
    operator.lead(true);
    settle().await;
    assert_eq!(api.asked(PATCH), 0);
    operator.peppers.send_replace(vec![pepper(1)]);
    until_ready(&api, "c", "True/Ready").await;
}

#[tokio::test(start_paused = true)]
async fn a_new_leader_writes_nothing_where_all_is_said() {
    let api = server();
    for n in 0..10 {
        put_credential(&api, &format!("c{n}"), &by_secret(&format!("s{n}")));
        if n % 2 == 0 {
            put_secret(&api, &format!("s{n}"), &format!("{KEY}-{n}"));
        }
    }
    let first = Operator::start(&api);
    let second = Operator::standby(&api, config());
    until("all have a status", || api.asked(PATCH) == 10).await;
    settle().await;
    first.lead(false);
    second.lead(true);
    settle().await;
    assert_eq!(api.asked(PATCH), 10);
    assert_eq!(second.stats.reconciles(credentials::Outcome::Unchanged), 10);
    put_secret(&api, "s0", NEW_KEY);
    let version = version_of(&api, &secret_path("s0"));
    until("the second works", || versions(&api, "c0") == [version.clone()]).await;
    settle().await;
    assert_eq!(api.asked(PATCH), 11);
}
