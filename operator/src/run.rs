//! Wiring: every task is started here, and told to stop here.
//!
//! ```text
//! lease -> leadership -.
//! watches (session) ---+-> pepper -> credentials, routing -> status
//! signals -> phases: those who write end -> the lease is given back -> the process ends
//! ```
//!
//! All tasks share one thread. They wait for the API server nearly always, and what it permits one core
//! computes; the lease needs no thread of its own, as a permission that could not be renewed in time ends
//! by itself. The admin server has its own, so that probes and scrapes wait for nothing.

mod error;
mod ready;
mod sources;
mod tasks;

use std::{sync::Arc, time::Duration};

use kube::Client;
use latchkey_runtime::{
    admin::Admin,
    readiness::Readiness,
    shutdown::{Ended, Phase, PhaseWatch, Signals, Timing, drive, phases},
    telemetry,
    watch::{Collection, Content, Session, Tuning},
};
use tokio::sync::oneshot;

pub use error::RunError;

use self::{sources::Sources, tasks::Tasks};
use crate::{
    args::Args,
    credentials,
    leadership::{self, Leadership},
    lease::{self, Lease, decide},
    pepper::Keeper,
    routing,
};

/// How long the end may take: tasks stop at once, and then the lease is given back.
const SHUTDOWN: Duration = Duration::from_secs(8);
/// Why it is not ready any more: what ends with the process must not look ready by it.
const FAILED: &str = "ended by an error";

/// Runs the operator until its end.
///
/// # Errors
/// It cannot start, something that it needs ended, or it had to be cut short.
pub fn run(args: &Args) -> Result<(), RunError> {
    // Dropped last, when all has been said.
    let log = telemetry::init(args.process.log_format)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let signals = Signals::install()?;
        let readiness = Readiness::default();
        let (operator, sources) = Operator::start(args, &readiness, log.drop_counter()).await?;
        Admin::new(readiness.clone())
            .route("/metrics", move || sources.answer())
            .start(args.process.admin)
            .inspect_err(|_| readiness.drain(FAILED))?;
        operator.until_told(&readiness, signals).await
    })
}

/// What runs.
struct Operator {
    /// They write, or serve those who do.
    tasks: Tasks,
    election: Option<Election>,
}

/// The candidate, which outlives those who write.
struct Election {
    task: tokio::task::JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl Operator {
    async fn start(
        args: &Args,
        readiness: &Readiness,
        log_dropped: impl Fn() -> u64 + Send + Sync + 'static,
    ) -> Result<(Self, Sources), RunError> {
        let client = args.api.client().await?;
        let namespace = match &args.objects.namespace {
            Some(namespace) => namespace.clone(),
            None => client.default_namespace().to_owned(),
        };
        let (leadership, election) = election(args, &client, &namespace)?;
        let tuning = Tuning {
            relist_interval: args.watches.relist_interval,
            contact_interval: args.watches.contact_interval,
            ..Tuning::default()
        };
        let session = Session::new(client.clone(), tuning, getrandom::u64()?);
        let (keeper, pepper) = Keeper::new(
            client.clone(),
            leadership.clone(),
            namespace,
            args.objects.pepper_secret.clone(),
        );
        let credential_stats = Arc::new(credentials::Stats::default());
        let routing_stats = Arc::new(routing::Stats::default());
        let sources = Sources::new(
            leadership.clone(),
            session.clone(),
            pepper.peppers.clone(),
            Arc::clone(&credential_stats),
            Arc::clone(&routing_stats),
            log_dropped,
        );

        let mut tasks = Tasks::default();
        let objects = readiness.guard("objects");
        let peppers = readiness.guard("pepper");
        tasks.start("readiness", {
            let (session, leadership, pepper) = (session.clone(), leadership.clone(), pepper.clone());
            async move { ready::watch(&session, leadership, pepper, &objects, &peppers).await }
        });
        tasks.start("leadership", leadership::tell(leadership.clone()));
        tasks.start("pepper", keeper.run(session.clone()));
        tasks.start("contact", {
            let (session, collection) = (session.clone(), contact(&args.objects.watch_namespaces));
            async move { session.contact(&collection).await }
        });
        tasks.start("routing", {
            let config = routing::Config {
                gateway_class: args.objects.gateway_class.clone(),
                namespaces: args.objects.watch_namespaces.clone(),
                concurrency: args.objects.concurrency,
            };
            routing::run(
                client.clone(),
                session.clone(),
                leadership.clone(),
                config,
                routing_stats,
            )
        });
        tasks.start("credentials", {
            let config = credentials::Config {
                namespaces: args.objects.watch_namespaces.clone(),
                secret_selector: args.objects.secret_selector.clone(),
                min_key_length: args.objects.min_key_length,
                concurrency: args.objects.concurrency,
            };
            credentials::run(
                client,
                session,
                leadership,
                pepper.peppers,
                config,
                credential_stats,
            )
        });
        Ok((Self { tasks, election }, sources))
    }

    /// Until a signal, or until something ends that must not.
    async fn until_told(self, readiness: &Readiness, signals: Signals) -> Result<(), RunError> {
        let (phases, phase) = phases();
        let timing = Timing {
            delay: Duration::ZERO,
            timeout: SHUTDOWN,
        };
        let mut outcome = Ok(());
        let finished = async { outcome = self.finish(phase, readiness).await };
        match drive(phases, timing, readiness, signals, finished).await {
            Ended::Forced => Err(RunError::Forced),
            Ended::Finished | Ended::Early => outcome,
        }
    }

    /// Ends what writes when told to, or when one of the tasks ended; then the election, which gives the
    /// lease back.
    async fn finish(mut self, mut phase: PhaseWatch, readiness: &Readiness) -> Result<(), RunError> {
        let ended = tokio::select! {
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => None,
            name = self.tasks.ended() => Some(name),
            () = ended(self.election.as_mut()) => Some("lease"),
        };
        if ended.is_some() {
            readiness.drain(FAILED);
        }
        self.tasks.stop().await;
        if let Some(election) = self.election {
            // It ended by itself: that is told below.
            let _ = election.stop.send(());
            if ended != Some("lease") {
                let _ = election.task.await;
            }
        }
        match ended {
            None => Ok(()),
            Some(name) => Err(RunError::Task(name)),
        }
    }
}

/// Completes when the election ends by itself, which only a panic makes it.
async fn ended(election: Option<&mut Election>) {
    match election {
        Some(election) => drop((&mut election.task).await),
        None => std::future::pending().await,
    }
}

fn election(
    args: &Args,
    client: &Client,
    namespace: &str,
) -> Result<(Leadership, Option<Election>), RunError> {
    if !args.leader.leader_elect {
        return Ok((Leadership::always(), None));
    }
    let (lease, leadership) = Lease::new(
        client.clone(),
        namespace.to_owned(),
        args.leader.lease_name.clone(),
        lease::identity()?,
        decide::Timing::of(args.leader.lease_duration),
    );
    let (stop, stopped) = oneshot::channel();
    // Whoever could tell it to stop is gone: that is told as well.
    let task = tokio::spawn(lease.run(async { drop(stopped.await) }));
    Ok((leadership, Some(Election { task, stop })))
}

/// What contact is kept by: it must be a collection that this process may list.
fn contact(namespaces: &[String]) -> Collection {
    Collection {
        api_version: "latchkey.dev/v1alpha1",
        plural: "credentials",
        namespace: namespaces.first().cloned(),
        labels: None,
        name: None,
        content: Content::Metadata,
    }
}

#[cfg(test)]
mod tests;
