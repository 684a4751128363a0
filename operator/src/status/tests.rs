use super::*;
use crate::testing::{Api, Do};

const PATH: &str = "/apis/latchkey.dev/v1alpha1/namespaces/n/credentials/c";

fn api_with_object() -> (Api, Target) {
    let api = Api::default();
    let resource_version = api.put(PATH, json!({"metadata": {"name": "c", "uid": "u"}}));
    let target = Target {
        path: PATH.to_owned(),
        uid: "u".to_owned(),
        resource_version,
    };
    (api, target)
}

#[tokio::test(start_paused = true)]
async fn it_is_a_merge_patch_of_the_status_with_version_and_uid() {
    let (api, target) = api_with_object();
    let status = json!({"published": null, "conditions": []});
    let written = write(&api.prompt(), &Leadership::always(), &target, &status).await;
    assert_eq!(written, Written::Done("2".to_owned()));
    let [seen] = &api.seen()[..] else {
        panic!("{:?}", api.seen())
    };
    assert_eq!(
        (seen.method.as_str(), &seen.path),
        ("PATCH", &format!("{PATH}/status"))
    );
    assert_eq!(seen.content_type, "application/merge-patch+json");
    let wanted = json!({"metadata": {"resourceVersion": "1", "uid": "u"}, "status": status});
    assert_eq!(seen.body, wanted);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_changed_or_went_is_not_written() {
    let (api, target) = api_with_object();
    let (client, leadership) = (api.prompt(), Leadership::always());
    api.put(PATH, api.get(PATH).unwrap());
    assert_eq!(
        write(&client, &leadership, &target, &json!({})).await,
        Written::Conflict
    );
    api.delete(PATH);
    assert_eq!(
        write(&client, &leadership, &target, &json!({})).await,
        Written::Gone
    );
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_without_permission() {
    let (api, target) = api_with_object();
    let (granted, leadership) = Leadership::new();
    let client = api.prompt();
    assert_eq!(
        write(&client, &leadership, &target, &json!({})).await,
        Written::NotLeading
    );
    granted.send_replace(Some(now()));
    assert_eq!(
        write(&client, &leadership, &target, &json!({})).await,
        Written::NotLeading
    );
    assert!(api.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_waited_for_as_long_as_the_permission_lasts_and_never_longer_than_the_limit() {
    let (api, target) = api_with_object();
    let client = api.client(|_| Do::Hang);
    for (leads_for, waited) in [(3, 3), (60, 10)] {
        let (granted, leadership) = Leadership::new();
        let began = now();
        granted.send_replace(Some(began + Duration::from_secs(leads_for)));
        let written = write(&client, &leadership, &target, &json!({})).await;
        assert!(matches!(written, Written::Failed(_)), "{written:?}");
        let took = now() - began;
        assert!(
            took >= Duration::from_secs(waited) && took < Duration::from_millis(waited * 1000 + 10),
            "{took:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_fails_once_with_what_the_server_said() {
    let (api, target) = api_with_object();
    const FORBIDDEN: &str = r#"User "o" cannot patch resource "credentials/status""#;
    for (code, message) in [
        (403, FORBIDDEN),
        (500, "etcd is down"),
        (429, "slow down"),
        (503, "going down"),
    ] {
        let before = api.seen().len();
        let client = api.client(move |_| Do::Refuse(code, message));
        let written = write(&client, &Leadership::always(), &target, &json!({})).await;
        let Written::Failed(why) = &written else {
            panic!("{code}: {written:?}")
        };
        assert!(why.contains(message) && why.contains(&code.to_string()), "{why}");
        assert_eq!(api.seen().len(), before + 1, "{code} is not sent twice");
    }
}

#[test]
fn each_end_of_a_write_is_counted_as_itself_alone() {
    let ends = [
        (Written::Done("2".to_owned()), "done"),
        (Written::Conflict, "conflict"),
        (Written::Gone, "gone"),
        (Written::NotLeading, "not_leading"),
        (Written::Failed("why".to_owned()), "failed"),
    ];
    assert_eq!(ends.len(), Outcome::ALL.len());
    for (written, text) in ends {
        let writes = Writes::default();
        writes.end(&written);
        for outcome in Outcome::ALL {
            let expected = u64::from(outcome.as_str() == text);
            assert_eq!(writes.ended(outcome), expected, "{written:?}: {outcome:?}");
        }
    }
}
