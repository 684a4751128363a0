//! Real signals, in a process of its own: they go to all of it.

use std::time::Duration;

use latchkey_runtime::{
    readiness::Readiness,
    shutdown::{Ended, Phase, Signals, Timing, drive, phases},
};
use rustix::process::{Signal, getpid, kill_process};

#[tokio::test]
async fn sigterm_begins_the_end_and_sigint_forces_it() {
    let timing = Timing {
        delay: Duration::from_secs(3600),
        timeout: Duration::from_secs(3600),
    };
    let (sender, mut phase) = phases();
    let readiness = Readiness::default();
    let signals = Signals::install().unwrap();
    let seen = readiness.clone();
    let end =
        tokio::spawn(async move { drive(sender, timing, &seen, signals, std::future::pending()).await });

    kill_process(getpid(), Signal::TERM).unwrap();
    phase.wait_for(|phase| *phase == Phase::Closing).await.unwrap();
    assert_eq!(readiness.pending(), ["draining: SIGTERM"]);

    kill_process(getpid(), Signal::INT).unwrap();
    phase.wait_for(|phase| *phase == Phase::Forced).await.unwrap();
    assert_eq!(end.await.unwrap(), Ended::Forced);
}
