//! What is known: Credentials, and of Consumers and Secrets that they exist. Never a Secret's bytes.
//!
//! ```text
//! lists and watches -> apply, delete, list_end -> touched Credentials
//! ```
//!
//! References are followed in both directions, and so is the ownership of keys: a change touches the
//! Credentials that it may matter to, and no others.

use std::{collections::BTreeSet, sync::Arc};

use latchkey_core::{
    conditions::{Status, types},
    digest::{Digest, Pepper},
    object::ObjectName,
    referrers::Referrers,
};
use serde_json::Value;

use super::{
    claims::{Claimant, Claims},
    known::{Known, Spec, name_of},
    secret::Seen,
    stats::Readiness,
    store::{Scope, Store},
};

/// The kinds that matter to a Credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Credential,
    Consumer,
    Secret,
}

/// All that is known.
#[derive(Debug, Default)]
pub(super) struct World {
    peppers: Vec<Pepper>,
    credentials: Store<Held>,
    consumers: Store<()>,
    secrets: Store<Seen>,
    by_consumer: Referrers,
    by_secret: Referrers,
    claims: Claims,
    touched: BTreeSet<ObjectName>,
    readiness: Readiness,
    undecodable: u64,
}

/// A Credential, and what it has put into the claims.
#[derive(Debug)]
struct Held {
    known: Arc<Known>,
    digests: Vec<Digest>,
}

impl World {
    /// An object was listed, added or changed.
    pub(super) fn apply(&mut self, kind: Kind, object: Value) {
        match kind {
            Kind::Credential => {
                if let Some(known) = Known::read(object) {
                    self.apply_credential(known);
                }
            }
            Kind::Consumer => {
                let Some(name) = name_of(&object) else { return };
                if self.consumers.insert(name.clone(), ()).is_none() {
                    self.touched.extend(self.by_consumer.of(&name).cloned());
                }
            }
            Kind::Secret => {
                let Some(name) = name_of(&object) else { return };
                let seen = Seen::read(&object);
                if self.secrets.insert(name.clone(), seen.clone()) != Some(seen) {
                    self.touched.extend(self.by_secret.of(&name).cloned());
                }
            }
        }
    }

    /// An object is gone.
    pub(super) fn delete(&mut self, kind: Kind, name: &ObjectName) {
        match kind {
            Kind::Credential => {
                if let Some(held) = self.credentials.remove(name) {
                    self.unlink(&held);
                    self.touched.insert(name.clone());
                }
            }
            Kind::Consumer => {
                if self.consumers.remove(name).is_some() {
                    self.touched.extend(self.by_consumer.of(name).cloned());
                }
            }
            Kind::Secret => {
                if self.secrets.remove(name).is_some() {
                    self.touched.extend(self.by_secret.of(name).cloned());
                }
            }
        }
    }

    /// A complete list of a kind begins.
    pub(super) fn list_begin(&mut self, kind: Kind, scope: &Scope) {
        match kind {
            Kind::Credential => self.credentials.list_begin(scope),
            Kind::Consumer => self.consumers.list_begin(scope),
            Kind::Secret => self.secrets.list_begin(scope),
        }
    }

    /// The list was complete: what it did not name is gone.
    pub(super) fn list_end(&mut self, kind: Kind, scope: &Scope) {
        let gone = match kind {
            Kind::Credential => self.credentials.list_end(scope),
            Kind::Consumer => self.consumers.list_end(scope),
            Kind::Secret => self.secrets.list_end(scope),
        };
        for name in gone {
            self.delete(kind, &name);
        }
    }

    /// These are the active peppers now: under others, other keys may be equal and other blocks count.
    pub(super) fn set_peppers(&mut self, peppers: Vec<Pepper>) {
        self.peppers = peppers;
        let known: Vec<_> = self
            .credentials
            .iter()
            .map(|(_, held)| Arc::clone(&held.known))
            .collect();
        self.claims = Claims::default();
        for known in known {
            let digests = known.digests(&self.peppers);
            self.claims.add(&claimant(&known), &digests, &mut self.touched);
            self.touched.insert(known.name.clone());
            self.credentials
                .update(&known.name, |held| held.digests = digests);
        }
    }

    /// The active peppers.
    pub(super) fn peppers(&self) -> &[Pepper] {
        &self.peppers
    }

    /// Takes the names of the Credentials that something may have changed for.
    pub(super) fn take_touched(&mut self) -> BTreeSet<ObjectName> {
        std::mem::take(&mut self.touched)
    }

    /// The names of all Credentials.
    pub(super) fn credentials(&self) -> impl Iterator<Item = &ObjectName> {
        self.credentials.iter().map(|(name, _)| name)
    }

    /// A Credential as it is known.
    pub(super) fn credential(&self, name: &ObjectName) -> Option<&Arc<Known>> {
        self.credentials.get(name).map(|held| &held.known)
    }

    /// Whether a Consumer exists.
    pub(super) fn has_consumer(&self, name: &ObjectName) -> bool {
        self.consumers.get(name).is_some()
    }

    /// A Secret as its metadata shows it.
    pub(super) fn secret(&self, name: &ObjectName) -> Option<&Seen> {
        self.secrets.get(name)
    }

    /// The Credential of the namespace that owns one of these digests, if that is another one than this.
    pub(super) fn owner(&self, known: &Known, digests: &[Digest]) -> Option<&str> {
        self.claims.owner_before(&claimant(known), digests)
    }

    /// Credentials by what their status says of `Ready`.
    pub(super) fn readiness(&self) -> Readiness {
        self.readiness
    }

    /// How many Credentials cannot be decoded.
    pub(super) fn undecodable(&self) -> u64 {
        self.undecodable
    }

    fn apply_credential(&mut self, known: Known) {
        let name = known.name.clone();
        let digests = known.digests(&self.peppers);
        let new = Held {
            known: Arc::new(known),
            digests,
        };
        let (known, digests) = (Arc::clone(&new.known), new.digests.clone());
        match self.credentials.insert(name.clone(), new) {
            Some(old) if old.known == known => return,
            // Most changes are those of its own status: they move no claim.
            Some(old) => {
                let same_claims = old.digests == digests && old.known.created == known.created;
                if same_claims {
                    self.unlink_references(&old.known);
                } else {
                    self.unlink(&old);
                    self.claims.add(&claimant(&known), &digests, &mut self.touched);
                }
            }
            None => self.claims.add(&claimant(&known), &digests, &mut self.touched),
        }
        self.link_references(&known);
        self.touched.insert(name);
    }

    fn unlink(&mut self, old: &Held) {
        self.claims
            .remove(&claimant(&old.known), &old.digests, &mut self.touched);
        self.unlink_references(&old.known);
    }

    fn link_references(&mut self, known: &Known) {
        if let Some(consumer) = known.consumer() {
            self.by_consumer.add(consumer, &known.name);
        }
        if let Some(secret) = known.secret() {
            self.by_secret.add(secret, &known.name);
        }
        *self.readiness_of(known) += 1;
        self.undecodable += u64::from(is_undecodable(known));
    }

    fn unlink_references(&mut self, known: &Known) {
        if let Some(consumer) = known.consumer() {
            self.by_consumer.remove(&consumer, &known.name);
        }
        if let Some(secret) = known.secret() {
            self.by_secret.remove(&secret, &known.name);
        }
        *self.readiness_of(known) -= 1;
        self.undecodable -= u64::from(is_undecodable(known));
    }

    fn readiness_of(&mut self, known: &Known) -> &mut u64 {
        let says = known.standing.condition(types::READY).map(|ready| &*ready.status);
        let readiness = &mut self.readiness;
        match says {
            Some(status) if status == Status::True.as_str() => &mut readiness.ready,
            Some(status) if status == Status::False.as_str() => &mut readiness.not_ready,
            Some(_) => &mut readiness.unknown,
            None => &mut readiness.unsaid,
        }
    }
}

fn claimant(known: &Known) -> Claimant {
    Claimant {
        created: known.created,
        name: known.name.clone(),
    }
}

fn is_undecodable(known: &Known) -> bool {
    matches!(known.spec, Spec::Undecodable(_))
}

#[cfg(test)]
mod tests;
