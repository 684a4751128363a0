use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
};

use serde_json::json;
use tokio::{sync::oneshot, task::JoinHandle, time::sleep};

use super::*;
use crate::testing::{Api, Do, Seen};

const PATH: &str = "/apis/coordination.k8s.io/v1/namespaces/n/leases/l";

struct Candidate {
    leadership: Leadership,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Candidate {
    fn start(identity: &str, client: Client) -> Self {
        let timing = Timing::of(Duration::from_secs(15));
        let (lease, leadership) = Lease::new(client, "n".into(), "l".into(), identity.into(), timing);
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(lease.run(async { drop(stopped.await) }));
        Self {
            leadership,
            stop: Some(stop),
            task,
        }
    }

    fn leads(&self) -> bool {
        self.leadership.remaining(now()).is_some()
    }

    async fn leading(&self) {
        wait(|| self.leads()).await;
    }

    async fn leave(mut self) {
        drop(self.stop.take());
        self.task.await.unwrap();
    }
}

async fn wait(condition: impl Fn() -> bool) {
    let deadline = now() + Duration::from_secs(60);
    while !condition() {
        assert!(now() < deadline, "it never came");
        sleep(Duration::from_millis(50)).await;
    }
}

/// Looks at both again and again; never may both lead. Gives back for how long each led.
async fn watch_both(a: &Candidate, b: &Candidate, lasting: Duration) -> [Duration; 2] {
    let (mut led, end, look) = ([Duration::ZERO; 2], now() + lasting, Duration::from_millis(50));
    while now() < end {
        let leads = [a.leads(), b.leads()];
        assert_ne!(leads, [true, true], "both lead");
        for (led, leads) in led.iter_mut().zip(leads) {
            *led += if leads { look } else { Duration::ZERO };
        }
        sleep(look).await;
    }
    led
}

fn spec(api: &Api) -> Value {
    api.get(PATH).unwrap()["spec"].clone()
}

/// A script that is on from some moment.
fn switch(on: Do) -> (Arc<AtomicBool>, impl Fn(&Seen) -> Do + Send + Sync + 'static) {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&flag);
    (
        flag,
        move |_: &Seen| if seen.load(SeqCst) { on.clone() } else { Do::Answer },
    )
}

#[tokio::test(start_paused = true)]
async fn of_two_that_start_together_one_leads_and_renews() {
    let api = Api::default();
    let (a, b) = (
        Candidate::start("a", api.prompt()),
        Candidate::start("b", api.prompt()),
    );
    let led = watch_both(&a, &b, Duration::from_secs(60)).await;
    assert!(led.iter().any(Duration::is_zero), "{led:?}");
    assert!(led.iter().any(|led| *led >= Duration::from_secs(59)), "{led:?}");
    assert_eq!(spec(&api)["leaseTransitions"], 0);
}

#[tokio::test(start_paused = true)]
async fn when_the_leader_dies_the_other_leads_once_the_lease_is_over_and_not_before() {
    let api = Api::default();
    let a = Candidate::start("a", api.prompt());
    a.leading().await;
    let b = Candidate::start("b", api.prompt());
    sleep(Duration::from_secs(7)).await;
    a.task.abort();
    let died = now();
    b.leading().await;
    let took = now() - died;
    assert!(
        took > Duration::from_secs(12) && took < Duration::from_secs(18),
        "{took:?}"
    );
    assert_eq!(
        (&spec(&api)["holderIdentity"], &spec(&api)["leaseTransitions"]),
        (&json!("b"), &json!(1))
    );
}

#[tokio::test(start_paused = true)]
async fn calls_of_three_seconds_interrupt_nothing() {
    let api = Api::default();
    let slow = || api.client(|_| Do::Late(Duration::from_secs(3)));
    let (a, b) = (Candidate::start("a", slow()), Candidate::start("b", slow()));
    wait(|| a.leads() || b.leads()).await;
    let led = watch_both(&a, &b, Duration::from_secs(120)).await;
    assert!(led.iter().any(|led| *led >= Duration::from_secs(120)), "{led:?}");
}

#[tokio::test(start_paused = true)]
async fn calls_of_nearly_the_renew_deadline_never_make_two_leaders_nor_change_the_leader() {
    let api = Api::default();
    let (slow, script) = switch(Do::Late(Duration::from_millis(9500)));
    let a = Candidate::start("a", api.client(script));
    a.leading().await;
    let b = Candidate::start("b", api.client(|_| Do::Late(Duration::from_millis(9500))));
    slow.store(true, SeqCst);
    watch_both(&a, &b, Duration::from_secs(120)).await;
    assert_eq!(spec(&api)["leaseTransitions"], 0);
    slow.store(false, SeqCst);
    a.leading().await;
}

#[tokio::test(start_paused = true)]
async fn one_call_that_hangs_or_fails_or_loses_its_answer_interrupts_nothing() {
    for fault in [Do::Hang, Do::Refuse(500, "no"), Do::LoseAnswer] {
        let api = Api::default();
        let calls = Arc::new(AtomicUsize::new(0));
        let (seen, once) = (Arc::clone(&calls), fault.clone());
        let a = Candidate::start(
            "a",
            api.client(move |_| match seen.fetch_add(1, SeqCst) {
                5 => once.clone(),
                _ => Do::Answer,
            }),
        );
        let b = Candidate::start("b", api.prompt());
        a.leading().await;
        let led = watch_both(&a, &b, Duration::from_secs(60)).await;
        assert_eq!(led, [Duration::from_secs(60), Duration::ZERO], "{fault:?}");
        assert!(calls.load(SeqCst) > 20);
        assert_eq!(spec(&api)["leaseTransitions"], 0, "{fault:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_gets_errors_stops_before_the_other_begins_and_is_a_candidate_again() {
    let api = Api::default();
    let (broken, script) = switch(Do::Refuse(500, "etcd is away"));
    let a = Candidate::start("a", api.client(script));
    a.leading().await;
    let b = Candidate::start("b", api.prompt());
    sleep(Duration::from_secs(5)).await;
    broken.store(true, SeqCst);
    let led = watch_both(&a, &b, Duration::from_secs(30)).await;
    assert!(
        led[0] <= Duration::from_secs(10) && led[1] > Duration::from_secs(10),
        "{led:?}"
    );
    broken.store(false, SeqCst);
    let led = watch_both(&a, &b, Duration::from_secs(30)).await;
    assert_eq!(led, [Duration::ZERO, Duration::from_secs(30)]);
    b.task.abort();
    a.leading().await;
}

#[tokio::test(start_paused = true)]
async fn errors_for_all_stop_writing_and_the_same_one_goes_on_after_them() {
    let api = Api::default();
    let (broken, script) = switch(Do::Refuse(500, "etcd is away"));
    let script = Arc::new(script);
    let client = || {
        let script = Arc::clone(&script);
        api.client(move |seen| script(seen))
    };
    let a = Candidate::start("a", client());
    a.leading().await;
    let b = Candidate::start("b", client());
    sleep(Duration::from_secs(5)).await;
    broken.store(true, SeqCst);
    let led = watch_both(&a, &b, Duration::from_secs(30)).await;
    assert!(led[0] <= Duration::from_secs(10), "{led:?}");
    broken.store(false, SeqCst);
    wait(|| a.leads() || b.leads()).await;
    watch_both(&a, &b, Duration::from_secs(30)).await;
}

#[tokio::test(start_paused = true)]
async fn who_leaves_gives_the_lease_back_and_the_next_leads_at_once() {
    let api = Api::default();
    let a = Candidate::start("a", api.prompt());
    a.leading().await;
    let b = Candidate::start("b", api.prompt());
    sleep(Duration::from_secs(5)).await;
    let leadership = a.leadership.clone();
    a.leave().await;
    assert_eq!(leadership.remaining(now()), None);
    assert_eq!(spec(&api)["holderIdentity"], "");
    let left = now();
    b.leading().await;
    assert!(now() - left <= Duration::from_millis(2100));
}

#[tokio::test(start_paused = true)]
async fn who_leaves_without_holding_the_lease_writes_nothing() {
    let api = Api::default();
    let a = Candidate::start("a", api.prompt());
    a.leading().await;
    let b = Candidate::start("b", api.prompt());
    sleep(Duration::from_secs(5)).await;
    b.leave().await;
    assert_eq!(spec(&api)["holderIdentity"], "a");
    assert!(
        api.seen()
            .iter()
            .all(|seen| seen.body["spec"]["holderIdentity"] != "b")
    );
}

#[tokio::test(start_paused = true)]
async fn a_claim_in_flight_when_leaving_is_given_back_if_it_was_done() {
    let api = Api::default();
    let a = Candidate::start(
        "a",
        api.client(|seen| {
            if seen.method == "POST" {
                Do::LoseAnswer
            } else {
                Do::Answer
            }
        }),
    );
    wait(|| api.get(PATH).is_some()).await;
    a.leave().await;
    assert_eq!(spec(&api)["holderIdentity"], "");
}

#[tokio::test(start_paused = true)]
async fn leaving_takes_no_longer_than_its_limit_when_nobody_answers() {
    let api = Api::default();
    let (deaf, script) = switch(Do::Hang);
    let a = Candidate::start("a", api.client(script));
    a.leading().await;
    deaf.store(true, SeqCst);
    let began = now();
    a.leave().await;
    assert!(now() - began <= RELEASE_LIMIT + Duration::from_millis(10));
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_deleted_or_edited_is_held_again() {
    let api = Api::default();
    let a = Candidate::start("a", api.prompt());
    a.leading().await;
    api.delete(PATH);
    wait(|| api.get(PATH).is_some()).await;
    sleep(Duration::from_millis(10)).await;
    assert!(a.leads());
    let mut edited = api.get(PATH).unwrap();
    edited["metadata"]["labels"] = json!({"a": "b"});
    api.put(PATH, edited);
    let led = watch_both(&a, &a_standby(), Duration::from_secs(30)).await;
    assert_eq!(led[0], Duration::from_secs(30));
    assert_eq!(api.get(PATH).unwrap()["metadata"]["labels"], json!({"a": "b"}));
}

/// One that never leads.
fn a_standby() -> Candidate {
    Candidate::start("b", Api::default().client(|_| Do::Hang))
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_another_was_given_is_not_written_any_more() {
    let api = Api::default();
    let a = Candidate::start("a", api.prompt());
    a.leading().await;
    let mut given = api.get(PATH).unwrap();
    given["spec"]["holderIdentity"] = "b".into();
    api.put(PATH, given);
    wait(|| !a.leads()).await;
    let writes = |api: &Api| api.seen().iter().filter(|seen| seen.method != "GET").count();
    let before = writes(&api);
    sleep(Duration::from_secs(10)).await;
    assert_eq!(writes(&api), before);
}

#[tokio::test(start_paused = true)]
async fn a_holder_without_faults_writes_once_in_each_retry_period_and_reads_nothing() {
    let api = Api::default();
    let a = Candidate::start("a", api.prompt());
    a.leading().await;
    let before = api.seen().len();
    sleep(Duration::from_secs(60)).await;
    let seen = &api.seen()[before..];
    assert!((29..=31).contains(&seen.len()), "{}", seen.len());
    assert!(seen.iter().all(|seen| seen.method == "PUT"));
    assert!(
        seen.windows(2)
            .all(|pair| pair[1].at - pair[0].at >= Duration::from_secs(2))
    );
}

#[test]
fn no_two_processes_have_one_identity() {
    assert_ne!(identity().unwrap(), identity().unwrap());
}
