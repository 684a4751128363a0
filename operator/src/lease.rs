//! Leader election by a Lease: the loop around [`decide`], and who this process is.
//!
//! ```text
//! decide::Elector -> GET | POST | PUT (resourceVersion) -> Elector -> permission (watch) -> writers
//! ```
//!
//! Owns the Lease and the permission. Never writes anything else, and never ends because calls fail.

pub mod decide;
pub mod record;

use std::{
    pin::pin,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use kube::Client;
use latchkey_runtime::api::{self, ApiError, Limits};
use serde_json::Value;
use tokio::{
    sync::watch,
    time::{sleep_until, timeout},
};

use self::{
    decide::{Answer, Call, Elector, Timing},
    record::Record,
};
use crate::{
    leadership::{Leadership, now},
    refusal::told,
};

/// How long giving the Lease back may take in all: if it fails, others wait until it ends by itself.
const RELEASE_LIMIT: Duration = Duration::from_secs(3);
/// Calls to give it back: read, release, and the same again if it changed in between.
const RELEASE_CALLS: usize = 4;

/// How much of another's name is told: it may be as long as an object.
const MAX_NAME_TOLD: usize = 253;

/// This process as a candidate.
#[derive(Debug)]
pub struct Lease {
    calls: Calls,
    elector: Elector,
    granted: watch::Sender<Option<Instant>>,
    /// The trouble that was last told.
    trouble: Option<String>,
    /// Who was last told to hold the Lease instead.
    waits_for: Option<String>,
}

/// What is asked of the API server, and by whom.
struct Calls {
    client: Client,
    namespace: String,
    name: String,
    identity: String,
    duration: Duration,
}

impl Lease {
    /// A candidate for the Lease `namespace/name`, and the permission that it grants while it leads.
    pub fn new(
        client: Client,
        namespace: String,
        name: String,
        identity: String,
        timing: Timing,
    ) -> (Self, Leadership) {
        let (granted, leadership) = Leadership::new();
        let lease = Self {
            elector: Elector::new(identity.clone(), timing),
            calls: Calls {
                client,
                namespace,
                name,
                identity,
                duration: timing.duration,
            },
            granted,
            trouble: None,
            waits_for: None,
        };
        (lease, leadership)
    }

    /// Acquires, renews, loses and acquires again, until `stop`. Then it permits nothing any more, and
    /// gives the Lease back if it holds it: all who write must have ended by then.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let (namespace, name, identity) = (&self.calls.namespace, &self.calls.name, &self.calls.identity);
        tracing::info!(namespace, name, identity, "candidate for the lease");
        loop {
            let step = self.elector.next(now());
            tokio::select! {
                biased;
                () = &mut stop => break,
                () = sleep_until(step.at.into()) => {}
            }
            let sent = now();
            let answer = tokio::select! {
                biased;
                () = &mut stop => {
                    // What was sent may be done all the same.
                    self.elector.answered(step.call, sent, now(), Answer::Failed);
                    break;
                }
                answer = self.calls.send(step.call, self.elector.record(), step.limit) => answer,
            };
            self.take(step.call, sent, answer);
        }
        self.elector.withdraw();
        self.grant();
        if timeout(RELEASE_LIMIT, self.release()).await.is_err() {
            tracing::warn!("the lease could not be given back in time; it ends by itself");
        }
    }

    fn take(&mut self, call: Call, sent: Instant, answer: Result<Value, ApiError>) {
        let answer = match answer {
            Ok(object) => Answer::Lease(Record::read(object)),
            Err(error) => match error.code() {
                Some(409) => Answer::Conflict,
                // What cannot be created for a 404 has no namespace to be in.
                Some(404) if call != Call::Create => Answer::Missing,
                _ => {
                    self.tell(&error);
                    Answer::Failed
                }
            },
        };
        if answer != Answer::Failed && self.trouble.take().is_some() {
            tracing::info!("the lease can be read and written again");
        }
        self.elector.answered(call, sent, now(), answer);
        self.tell_other();
        self.grant();
    }

    /// Says whom this process waits for, once for each.
    fn tell_other(&mut self) {
        let other = self.elector.other();
        if other != self.waits_for.as_deref() {
            if let Some(holder) = other {
                let holder: String = holder.chars().take(MAX_NAME_TOLD).collect();
                let (namespace, name) = (&self.calls.namespace, &self.calls.name);
                tracing::info!(
                    namespace,
                    name,
                    holder,
                    "another holds the lease; waiting for its end"
                );
            }
            self.waits_for = other.map(str::to_owned);
        }
    }

    /// Told once for each reason.
    fn tell(&mut self, error: &ApiError) {
        let trouble = told(error);
        if self.trouble.as_ref() != Some(&trouble) {
            let (namespace, name) = (&self.calls.namespace, &self.calls.name);
            tracing::warn!(namespace, name, "the lease cannot be read or written: {trouble}");
            self.trouble = Some(trouble);
        }
    }

    fn grant(&self) {
        self.granted.send_replace(self.elector.until());
    }

    async fn release(&mut self) {
        for _ in 0..RELEASE_CALLS {
            let Some(call) = self.elector.leave() else {
                return;
            };
            let sent = now();
            let answer = self.calls.send(call, self.elector.record(), RELEASE_LIMIT).await;
            if call == Call::Release && answer.is_ok() {
                tracing::info!("the lease is given back");
            }
            self.take(call, sent, answer);
            self.elector.withdraw();
        }
    }
}

impl Calls {
    async fn send(&self, step: Call, last: Option<&Record>, limit: Duration) -> Result<Value, ApiError> {
        let all = format!(
            "/apis/coordination.k8s.io/v1/namespaces/{}/leases",
            self.namespace
        );
        let one = format!("{all}/{}", self.name);
        let wall = Timestamp::now();
        let fresh = Record::new(&self.namespace, &self.name);
        let last = last.unwrap_or(&fresh);
        let request = match step {
            Call::Read => api::Call::get(one),
            Call::Create => {
                api::Call::create(all, fresh.claimed(&self.identity, self.duration, wall).object())
            }
            Call::Claim => api::Call::update(one, last.claimed(&self.identity, self.duration, wall).object()),
            Call::Release => api::Call::update(one, last.released(wall).object()),
        };
        let limits = Limits {
            timeout: limit,
            ..Limits::default()
        };
        api::send(&self.client, request, limits).await?.ok()?.json()
    }
}

impl std::fmt::Debug for Calls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Calls")
            .field("namespace", &self.namespace)
            .field("name", &self.name)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

/// Who this process is among the candidates: its host (in a pod, the pod's name), and something that no
/// other process has, also not the one that ran here before.
///
/// # Errors
/// The system gives no random numbers.
pub fn identity() -> Result<String, getrandom::Error> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() {
        "unknown"
    } else {
        host.trim()
    };
    Ok(format!("{host}_{:08x}", getrandom::u32()?))
}

#[cfg(test)]
mod tests;
