use super::*;

fn limits() -> Timeouts {
    Timeouts {
        first_byte: Duration::from_secs(30),
        header_read: Duration::from_secs(8),
        keep_alive: Duration::from_secs(100),
        connect: Duration::from_secs(1),
        response_head: Duration::from_secs(20),
        body_idle: Duration::from_secs(40),
        write_stall: Duration::from_secs(12),
        linger: Duration::from_secs(1),
    }
}

/// Looks as the watchdog would from `from` on, until it finds something; how long that took.
fn run(activity: &Activity, from: Instant, moves: impl Fn(Duration) -> bool) -> (Finding, Duration) {
    let mut now = from;
    loop {
        if moves(now - from) {
            activity.written();
        }
        match activity.look(&limits(), now) {
            Finding::Look(next) => {
                assert!(next > now, "the watchdog must not spin");
                now = next;
            }
            found => return (found, now - from),
        }
        assert!(now - from < Duration::from_secs(1000), "never found");
    }
}

fn in_stage(stage: Stage, now: Instant) -> Activity {
    let activity = Activity::new(now);
    activity.enter(stage, now);
    activity
}

#[test]
fn each_stage_ends_at_its_limit() {
    let now = Instant::now();
    for (stage, found, after) in [
        (Stage::Fresh, Finding::Cut(Limit::FirstByte), 30),
        (Stage::Idle, Finding::Cut(Limit::KeepAlive), 100),
        (Stage::Head, Finding::Cut(Limit::HeaderRead), 8),
        (Stage::Awaiting, Finding::Expire, 20),
        (Stage::Answering, Finding::Cut(Limit::BodyIdle), 40),
    ] {
        let activity = in_stage(stage, now);
        assert_eq!(
            run(&activity, now, |_| false),
            (found, Duration::from_secs(after)),
            "{stage:?}"
        );
    }
}

#[test]
fn a_head_that_begins_between_looks_still_ends_at_its_limit() {
    let now = Instant::now();
    let activity = Activity::new(now);
    // The watchdog looked at 0 s and looks next at 2 s; the head begins at 1.5 s.
    assert_eq!(
        activity.look(&limits(), now),
        Finding::Look(now + Duration::from_secs(2))
    );
    activity.enter(Stage::Head, now + Duration::from_millis(1500));
    let (found, after) = run(&activity, now + Duration::from_secs(2), |_| true);
    assert_eq!(
        (found, after),
        (Finding::Cut(Limit::HeaderRead), Duration::from_millis(7500)),
        "bytes do not prolong a head"
    );
}

#[test]
fn bytes_keep_a_body_alive_and_silence_ends_it() {
    let now = Instant::now();
    let activity = in_stage(Stage::Answering, now);
    let (found, after) = run(&activity, now, |passed| passed < Duration::from_secs(300));
    assert_eq!(found, Finding::Cut(Limit::BodyIdle));
    assert!(
        after >= Duration::from_secs(338) && after <= Duration::from_secs(342),
        "{after:?}"
    );
    assert!(activity.was_cut());
}

#[test]
fn a_client_silent_in_its_body_is_cut_at_the_bodys_limit_rather_than_answered() {
    let now = Instant::now();
    let activity = in_stage(Stage::Awaiting, now);
    activity.upload(Upload::ClientSilent);
    assert_eq!(
        run(&activity, now, |_| false),
        (Finding::Cut(Limit::BodyIdle), Duration::from_secs(40))
    );
}

#[test]
fn a_request_that_does_not_take_its_expiry_is_cut() {
    let now = Instant::now();
    let activity = in_stage(Stage::Awaiting, now);
    assert_eq!(run(&activity, now, |_| false).0, Finding::Expire);
    assert!(activity.expired());
    assert_eq!(
        run(&activity, now + Duration::from_secs(20), |_| false).0,
        Finding::Cut(Limit::Response)
    );
}

/// What the client sends meanwhile is no reason to wait for it to read.
#[test]
fn a_client_that_takes_nothing_is_cut_at_the_limit_on_that() {
    let now = Instant::now();
    let activity = in_stage(Stage::Answering, now);
    activity.stalled();
    let mut at = now;
    let found = loop {
        activity.read();
        match activity.look(&limits(), at) {
            Finding::Look(next) => at = next,
            found => break found,
        }
    };
    assert_eq!(found, Finding::Cut(Limit::WriteStall));
    assert_eq!(at - now, Duration::from_secs(12));
}

#[test]
fn a_client_that_takes_its_answer_again_has_the_bodys_limit() {
    let now = Instant::now();
    let activity = in_stage(Stage::Answering, now);
    activity.stalled();
    activity.written();
    let (found, after) = run(&activity, now, |_| false);
    assert_eq!(
        (found, after),
        (Finding::Cut(Limit::BodyIdle), Duration::from_secs(40))
    );
}

/// An answer that the proxy is done with may still wait for its client.
#[test]
fn the_last_bytes_of_an_answer_have_the_limit_on_stalls() {
    let now = Instant::now();
    let activity = in_stage(Stage::Idle, now);
    activity.stalled();
    assert_eq!(
        run(&activity, now, |_| false),
        (Finding::Cut(Limit::WriteStall), Duration::from_secs(12))
    );
}

#[test]
fn going_down_ends_what_has_no_request_and_nothing_else() {
    let now = Instant::now();
    for (stage, told) in [
        (Stage::Fresh, Drain::At(now + DRAIN_FRESH)),
        (Stage::Idle, Drain::At(now + DRAIN_IDLE)),
        (Stage::Head, Drain::Later),
        (Stage::Working, Drain::Now),
        (Stage::Awaiting, Drain::Now),
        (Stage::Answering, Drain::Now),
    ] {
        let activity = in_stage(stage, now);
        assert_eq!(activity.drain(now), told, "{stage:?}");
        if let Drain::At(end) = told {
            assert_eq!(activity.look(&limits(), now), Finding::Look(end), "{stage:?}");
            assert_eq!(activity.look(&limits(), end), Finding::Leave, "{stage:?}");
            assert!(!activity.was_cut());
        }
    }
}

#[test]
fn a_request_that_comes_while_going_down_has_its_usual_limits() {
    let now = Instant::now();
    let activity = in_stage(Stage::Idle, now);
    activity.drain(now);
    activity.enter(Stage::Head, now);
    assert_eq!(
        run(&activity, now, |_| false),
        (Finding::Cut(Limit::HeaderRead), Duration::from_secs(8))
    );
}

#[test]
fn the_first_byte_begins_a_head() {
    let activity = Activity::new(Instant::now());
    activity.written();
    assert_eq!(activity.stage.get(), Stage::Fresh);
    activity.read();
    assert_eq!(activity.stage.get(), Stage::Head);
    activity.enter(Stage::Idle, Instant::now());
    activity.read();
    assert_eq!(activity.stage.get(), Stage::Head);
    activity.enter(Stage::Awaiting, Instant::now());
    activity.read();
    assert_eq!(activity.stage.get(), Stage::Awaiting);
}
