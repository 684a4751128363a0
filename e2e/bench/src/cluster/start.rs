//! An operator that starts: on Credentials that nobody ever looked at, and on the same ones resolved.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    io,
    time::{Duration, Instant},
};

use latchkey_e2e::{
    cluster::{Cluster, Installation, Operator, Watch},
    metrics::Scrape,
    wait::eventually_within,
};
use rustix::process::Signal;

use super::propagation::LONGEST;
use crate::{
    load::{self, Keys, Pace},
    progress,
};

/// How fast objects are made.
const PACE: Pace = Pace {
    at_once: 10,
    a_second: 0,
};
/// How long an operator may take.
const START: Duration = Duration::from_secs(1_800);

/// One start.
#[derive(Debug)]
pub(crate) struct Start {
    /// From the process's start until every Credential was Ready, and nothing was left to do.
    pub(crate) seconds: f64,
    /// Requests that ended, by verb.
    pub(crate) calls: BTreeMap<String, u64>,
    pub(crate) secret_reads: u64,
    pub(crate) status_writes: u64,
    pub(crate) peak_memory_kib: u64,
    /// CPU of the process.
    pub(crate) cpu: Duration,
}

/// Both starts.
#[derive(Debug)]
pub(crate) struct Starts {
    pub(crate) credentials: u32,
    /// How long it took to create all objects, for comparison.
    pub(crate) filled: Duration,
    pub(crate) from_nothing: Start,
    pub(crate) again: Start,
}

/// Creates the objects, and starts an operator on them, twice.
pub(crate) fn measure(credentials: u32) -> io::Result<Starts> {
    progress(&format!(
        "creating {credentials} Consumers, Secrets and Credentials"
    ))?;
    let cluster = Cluster::own();
    let installation = Installation::cluster_wide(&cluster);
    let namespace = installation.namespace();
    let filled = load::fill(cluster.api(), namespace.name(), credentials, Keys::Secrets, PACE)?.took;

    progress("starting the operator from nothing")?;
    let kind = ("latchkey.dev/v1alpha1", "Credential");
    let watch = Watch::start(cluster.api(), kind.0, kind.1, namespace.name());
    let begun = Instant::now();
    let mut operator = installation.operator().measured().start_unready();
    let last = all_ready(&watch, credentials)?;
    settled(&mut operator, credentials);
    let from_nothing = Start::of(&operator, last.saturating_duration_since(begun));
    drop(watch);
    installation.guard_pepper();

    progress("and again")?;
    // It gives its lease back, as in a rollout.
    operator.process().signal(Signal::TERM);
    operator.process_mut().wait();
    let begun = Instant::now();
    let mut operator = installation.operator().measured().start_unready();
    settled(&mut operator, credentials);
    let again = Start::of(&operator, begun.elapsed());
    Ok(Starts {
        credentials,
        filled,
        from_nothing,
        again,
    })
}

/// Waits until every Credential was said to be Ready, and tells when the last was.
fn all_ready(watch: &Watch, credentials: u32) -> io::Result<Instant> {
    let mut ready = HashSet::new();
    let mut last = Instant::now();
    while ready.len() < usize::try_from(credentials).unwrap_or(usize::MAX) {
        let event = watch
            .next(LONGEST, |event| event.condition("Ready") == "True")
            .unwrap_or_else(|| panic!("nothing more became Ready: {} of {credentials}", ready.len()));
        last = event.at;
        if ready.insert(event.name().to_owned()) && ready.len().is_multiple_of(1_000) {
            progress(&format!("{} of {credentials} are Ready", ready.len()))?;
        }
    }
    Ok(last)
}

/// Waits until it has looked at all, they are Ready, and nothing waits.
pub(super) fn settled(operator: &mut Operator, credentials: u32) {
    let all = f64::from(credentials);
    eventually_within(START, "the operator has nothing left to do", || {
        operator.ready()?;
        let metrics = operator.metrics();
        let sum = |name: &str, labels: &[(&str, &str)]| metrics.sum(name, labels).unwrap_or_default();
        let looked = sum("latchkey_operator_reconciles_total", &[("kind", "Credential")]);
        let ready = sum("latchkey_operator_credentials", &[("ready", "true")]);
        let waiting = sum("latchkey_operator_queue_depth", &[]);
        if looked >= all && ready >= all && waiting == 0.0 {
            Ok(())
        } else {
            Err(format!(
                "{looked} were looked at, {ready} are Ready, {waiting} wait"
            ))
        }
    });
}

impl Start {
    fn of(operator: &Operator, time: Duration) -> Self {
        let metrics = operator.metrics();
        let sum = |name: &str, labels: &[(&str, &str)]| whole(metrics.sum(name, labels));
        Self {
            seconds: time.as_secs_f64(),
            calls: calls(&metrics),
            secret_reads: sum("latchkey_operator_secret_reads_total", &[]),
            status_writes: sum("latchkey_operator_status_writes_total", &[("outcome", "done")]),
            peak_memory_kib: operator.process().peak_memory_kib(),
            cpu: operator.process().cpu(|_| true),
        }
    }
}

fn calls(metrics: &Scrape) -> BTreeMap<String, u64> {
    let name = "latchkey_api_requests_total";
    let verbs: BTreeSet<_> = metrics.label_values(name, "verb").into_iter().collect();
    verbs
        .into_iter()
        .map(|verb| {
            let calls = whole(metrics.sum(name, &[("verb", verb)]));
            (verb.to_owned(), calls)
        })
        .collect()
}

/// A counter, which the format writes as any number; none: nothing was counted.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a counter is whole and not negative"
)]
fn whole(counter: Option<f64>) -> u64 {
    counter.unwrap_or_default() as u64
}
