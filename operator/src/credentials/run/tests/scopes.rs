//! Namespaces and Secrets that are left out.

use super::*;

#[tokio::test(start_paused = true)]
async fn a_secret_that_does_not_fit_the_selector_is_not_found_until_it_is_labelled() {
    let api = server();
    put_secret(&api, "s", KEY);
    put_credential(&api, "c", &by_secret("s"));
    let selective = Config {
        secret_selector: Some("app=shop".to_owned()),
        ..config()
    };
    let operator = Operator::standby(&api, selective);
    operator.lead(true);
    until_ready(&api, "c", "False/SecretNotFound").await;
    let status = api.object(&credential_path("c"))["status"].to_string();
    assert!(status.contains("--secret-selector app=shop"), "{status}");
    let mut labelled = secret("s", "", KEY.as_bytes());
    labelled["metadata"]["labels"]["app"] = "shop".into();
    api.put(&secret_path("s"), labelled);
    until_ready(&api, "c", "True/Ready").await;
    assert_eq!(api.asked(GET_SECRET), 0, "it is asked for by its labels too");
}

#[tokio::test(start_paused = true)]
async fn one_namespace_works_while_another_is_closed() {
    let api = server();
    put_credential(&api, "c", &inline(KEY));
    api.fail(
        "/apis/latchkey.dev/v1alpha1/namespaces/closed/credentials",
        Some(403),
    );
    let some = Config {
        namespaces: vec!["shop".to_owned(), "closed".to_owned()],
        ..config()
    };
    let operator = Operator::standby(&api, some);
    operator.lead(true);
    until_ready(&api, "c", "True/Ready").await;
    let lists = api.lists();
    assert!(
        lists.iter().all(|list| list.contains("/namespaces/")),
        "{lists:?}"
    );
}
