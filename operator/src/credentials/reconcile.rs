//! How one Credential is reconciled, step by step, without doing any of it.
//!
//! ```text
//! begin -> (read its Secret) -> plan -> (write its status) -> end
//! ```
//!
//! Late results never win: the Credential is taken as it is known, then its Secret is read live, then its
//! status is written with that version of the Credential. If it changed meanwhile the write fails, and all
//! is computed again. So neither an older read that ends late nor a second operator restores a key.

mod memory;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use latchkey_core::{object::ObjectName, publish::Subject};
use serde_json::Value;

use super::{
    known::{Known, Spec},
    plan::{Circumstances, Resolution, plan},
    queue::After,
    secret::{Read, Secret, Seen, judge},
    stats::Outcome,
    world::World,
};
use crate::status::{Target, Written};

use memory::Memory;

/// How long the watch may take to bring a version that is known to exist. Then it is read live.
const CATCH_UP: Duration = Duration::from_secs(2);

/// Reconciles Credentials of a [`World`].
#[derive(Debug)]
pub(super) struct Reconciler {
    pub(super) world: World,
    memory: Memory,
    min_key_length: usize,
    secret_selector: Option<String>,
}

/// A Credential that is worked on, in the version that was taken.
#[derive(Clone, Debug)]
pub(super) struct Attempt {
    known: Arc<Known>,
    /// It was read live, since the watch lags behind.
    live: bool,
    /// Its Secret as the metadata showed it before it was read.
    seen: Option<Seen>,
    /// Its Secret could not be read.
    read_failed: bool,
    /// Blocks that stand and that nobody but a stranger can have put there.
    refused: u64,
}

/// What to do next.
#[derive(Debug)]
pub(super) enum Step {
    /// Read a Secret live: its name and data key.
    ReadSecret(Attempt, ObjectName, String),
    /// Read the Credential live.
    ReadCredential(ObjectName),
    /// Write its status.
    Write(Attempt, Target, Value),
    /// Nothing more now.
    End(Outcome, After),
}

impl Attempt {
    /// Whose status it is.
    pub(super) fn name(&self) -> &ObjectName {
        &self.known.name
    }

    /// How many blocks a write removes that a stranger has put there.
    pub(super) fn refused(&self) -> u64 {
        self.refused
    }

    /// Why it cannot be decoded.
    pub(super) fn undecodable(&self) -> Option<&str> {
        match &self.known.spec {
            Spec::Undecodable(why) => Some(why),
            Spec::Decoded { .. } => None,
        }
    }
}

impl Reconciler {
    pub(super) fn new(min_key_length: usize, secret_selector: Option<String>) -> Self {
        Self {
            world: World::default(),
            memory: Memory::default(),
            min_key_length,
            secret_selector,
        }
    }

    /// Forgets what was found: somebody else may write from now on.
    pub(super) fn pause(&mut self) {
        self.memory = Memory::default();
    }

    /// Takes a Credential.
    pub(super) fn begin(&mut self, name: &ObjectName, now: Instant, time: &Time) -> Step {
        // One that is being deleted grants nothing, whatever its status says, and soon has none.
        let known = self.world.credential(name).filter(|known| !known.terminating);
        let Some(known) = known.map(Arc::clone) else {
            self.memory.forget(name);
            return Step::End(Outcome::Gone, After::Nothing);
        };
        match self.memory.superseded(&known) {
            None => {}
            Some(since) => match CATCH_UP.checked_sub(now.saturating_duration_since(since)) {
                Some(rest) if !rest.is_zero() => {
                    return Step::End(Outcome::Superseded, After::Wait(rest));
                }
                _ => return Step::ReadCredential(name.clone()),
            },
        }
        self.resolve(Self::attempt(known, false), time)
    }

    /// The Credential was read live; `None`: it is gone, or could not be read.
    pub(super) fn credential_read(&mut self, read: Result<Option<Value>, ()>, time: &Time) -> Step {
        let known = match read {
            Ok(object) => object.and_then(Known::read),
            Err(()) => return Step::End(Outcome::Failed, After::Retry),
        };
        match known.filter(|known| !known.terminating) {
            // The watch will say so too.
            None => Step::End(Outcome::Gone, After::Nothing),
            Some(known) => self.resolve(Self::attempt(Arc::new(known), true), time),
        }
    }

    /// Its Secret was read.
    pub(super) fn secret_read(&mut self, mut attempt: Attempt, read: Read, time: &Time) -> Step {
        if self.has_changed(&attempt) {
            return Step::End(Outcome::Superseded, After::Again);
        }
        let secret = match read {
            Read::Found(secret) => Some(secret),
            Read::NotFound => None,
            Read::Failed(_) => {
                attempt.read_failed = true;
                let resolution = Resolution::read_failed(&attempt.known, self.world.peppers());
                return self.finish(attempt, &resolution, time);
            }
        };
        if self.is_outdated(&attempt, secret.as_ref()) {
            return Step::End(Outcome::Superseded, After::Again);
        }
        let resolution = self.judge(&mut attempt, secret.as_ref());
        self.finish(attempt, &resolution, time)
    }

    /// Its status was written, or not.
    pub(super) fn written(&mut self, attempt: &Attempt, written: &Written, now: Instant) -> Step {
        let (outcome, after) = match written {
            Written::Done(version) => {
                if *version != attempt.known.resource_version {
                    self.memory.supersede(&attempt.known, now);
                }
                return self.stands(attempt, Outcome::Written);
            }
            Written::Conflict => {
                self.memory.supersede(&attempt.known, now);
                (Outcome::Superseded, After::Wait(CATCH_UP))
            }
            Written::Gone => (Outcome::Gone, After::Nothing),
            // Whoever leads next looks at everything.
            Written::NotLeading => (Outcome::Superseded, After::Retry),
            Written::Failed(_) => (Outcome::Failed, After::Retry),
        };
        Step::End(outcome, after)
    }

    fn attempt(known: Arc<Known>, live: bool) -> Attempt {
        Attempt {
            known,
            live,
            seen: None,
            read_failed: false,
            refused: 0,
        }
    }

    fn resolve(&mut self, mut attempt: Attempt, time: &Time) -> Step {
        let known = Arc::clone(&attempt.known);
        let (Some(secret), Some(source)) = (known.secret(), known.secret_source()) else {
            let resolution = Resolution::without_secret(&known, self.world.peppers());
            return self.finish(attempt, &resolution, time);
        };
        attempt.seen = self.world.secret(&secret).cloned();
        let peppers = self.world.peppers();
        match self.memory.verdict(&known, attempt.seen.as_ref(), peppers) {
            Some(verdict) => {
                attempt.refused = self.memory.strangers(&known, &verdict, peppers);
                let resolution = Resolution::standing(&known, peppers, verdict.clone());
                self.memory.judged(&known, attempt.seen.as_ref(), verdict);
                self.finish(attempt, &resolution, time)
            }
            None => Step::ReadSecret(attempt, secret, source.key.clone()),
        }
    }

    fn judge(&mut self, attempt: &mut Attempt, secret: Option<&Secret>) -> Resolution {
        let known = &attempt.known;
        let peppers = self.world.peppers();
        let Some(source) = known.secret_source() else {
            return Resolution::without_secret(known, peppers);
        };
        let subject = Subject {
            credential_uid: &known.uid,
            source,
        };
        let (verdict, published) = judge(secret, subject, peppers, self.min_key_length);
        attempt.refused = self.memory.strangers(known, &verdict, peppers);
        self.memory.judged(known, attempt.seen.as_ref(), verdict.clone());
        Resolution::read(verdict, published)
    }

    fn finish(&mut self, attempt: Attempt, resolution: &Resolution, time: &Time) -> Step {
        let known = &attempt.known;
        let around = Circumstances {
            consumer_exists: known
                .consumer()
                .is_some_and(|consumer| self.world.has_consumer(&consumer)),
            owner: self.world.owner(known, resolution.digests()),
            secret_selector: self.secret_selector.as_deref(),
            now: time,
        };
        match plan(known, resolution, around) {
            Some(status) => {
                let target = target(known);
                Step::Write(attempt, target, status)
            }
            None => self.stands(&attempt, Outcome::Unchanged),
        }
    }

    /// Its status says what it must. If its Secret could not be read that must not be the end.
    fn stands(&mut self, attempt: &Attempt, outcome: Outcome) -> Step {
        if attempt.read_failed {
            return Step::End(Outcome::Failed, After::Retry);
        }
        self.memory.stands(&attempt.known);
        Step::End(outcome, After::Nothing)
    }

    /// Whether the Credential is known in another version than the one that was taken.
    fn has_changed(&self, attempt: &Attempt) -> bool {
        let now = self.world.credential(&attempt.known.name);
        !attempt.live && now != Some(&attempt.known)
    }

    /// Whether the watch told of the Secret while it was read, and of something else than the read brought.
    /// Which of both is older cannot be seen, and what was revoked must not open even until the next look.
    fn is_outdated(&self, attempt: &Attempt, read: Option<&Secret>) -> bool {
        let name = attempt.known.secret();
        let seen = name.and_then(|name| self.world.secret(&name));
        seen != attempt.seen.as_ref() && seen != read.map(Secret::seen)
    }
}

fn target(known: &Known) -> Target {
    let ObjectName { namespace, name } = &known.name;
    Target {
        path: path(namespace, name),
        uid: known.uid.clone(),
        resource_version: known.resource_version.clone(),
    }
}

/// The URL path of a Credential.
pub(super) fn path(namespace: &str, name: &str) -> String {
    format!(
        "/apis/{}/{}/namespaces/{namespace}/credentials/{name}",
        latchkey_crds::GROUP,
        latchkey_crds::VERSION
    )
}

#[cfg(test)]
mod tests;
