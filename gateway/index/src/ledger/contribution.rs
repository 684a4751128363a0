//! What one Credential put in, and what it would put in under other peppers.

use std::{fmt, iter, sync::Arc};

use latchkey_core::{
    digest::{Digest, KeyHash, Pepper},
    object::ObjectName,
    publish::{FORMAT, Subject, accept},
};
use latchkey_crds::credential::{PublishedKey, SecretKeyRef};
use latchkey_snapshot::{Entry, EntryParts};

use crate::{
    object::{CredentialFacts, KeySource},
    peppers::{NO_PEPPER, Peppers},
};

/// What one Credential put in. Small: there may be a million.
#[derive(Clone)]
pub(crate) struct Contribution {
    /// Its first entry, which also remembers its name, times and Consumer. Under [`NO_PEPPER`]
    /// while it has no digest.
    first: Arc<Entry>,
    more: Option<Box<More>>,
    /// Of an inline `sha256`, whose digest can be computed under any pepper.
    key_hash: Option<KeyHash>,
    pub(super) fingerprint: u64,
    pub(super) epoch: u32,
}

/// What few Credentials have, and these while a rotation runs.
#[derive(Clone)]
struct More {
    /// Entries under further peppers. Only those of active ones are in the snapshot.
    entries: Vec<Arc<Entry>>,
    unproven: Option<Unproven>,
}

/// Blocks that no active pepper has proven yet, and what is needed to try again.
#[derive(Clone)]
struct Unproven {
    credential_uid: String,
    source: SecretKeyRef,
    blocks: Vec<PublishedKey>,
}

impl KeySource {
    /// Whether it can ever hold a digest, without another change of the object.
    pub(super) fn may_grant(&self) -> bool {
        match self {
            Self::Sha256(_) => true,
            Self::Published(_, blocks) => !blocks.is_empty(),
        }
    }
}

impl Contribution {
    /// What these facts put in. Nothing, before [`Contribution::prove`] was called.
    pub(super) fn new(
        facts: &CredentialFacts,
        source: &KeySource,
        consumer: u32,
        fingerprint: u64,
        epoch: u32,
    ) -> Self {
        let parts = EntryParts {
            namespace: &facts.name.namespace,
            name: &facts.name.name,
            consumer,
            created: facts.created,
            not_before: facts.not_before,
            expires: facts.expires,
            disabled: facts.disabled,
            terminating: facts.terminating,
        };
        let (key_hash, more) = match source {
            KeySource::Sha256(hash) => (Some(*hash), None),
            KeySource::Published(source, blocks) => {
                let unproven = Unproven {
                    credential_uid: facts.uid.clone(),
                    source: source.clone(),
                    blocks: blocks.clone(),
                };
                (None, More::boxed(Vec::new(), Some(unproven)))
            }
        };
        Self {
            first: Arc::new(Entry::new(&parts, NO_PEPPER, Digest([0; 32]))),
            more,
            key_hash,
            fingerprint,
            epoch,
        }
    }

    /// Finds its digests under the active peppers. Those under others are kept, in case one becomes
    /// active again. Says how many blocks have a wrong tag.
    pub(super) fn prove(&mut self, peppers: &Peppers) -> usize {
        let held = self.entries().filter(|entry| entry.pepper() != NO_PEPPER);
        let mut entries: Vec<Arc<Entry>> = held.map(Arc::clone).collect();
        let mut unproven = self.more.take().and_then(|more| more.unproven);
        if let Some(hash) = &self.key_hash {
            let digest = |(number, pepper): (u16, &Pepper)| {
                let held = entries.iter().find(|entry| entry.pepper() == number);
                let made = || Arc::new(self.first.under(number, pepper.digest(hash)));
                held.map_or_else(made, Arc::clone)
            };
            entries = peppers.active().map(digest).collect();
        } else if let Some(unproven) = &mut unproven {
            let proven = unproven.take_proven(peppers);
            entries.extend(proven.map(|(number, digest)| Arc::new(self.first.under(number, digest))));
        }
        let mut entries = entries.into_iter();
        self.first = entries
            .next()
            .unwrap_or_else(|| Arc::new(self.first.under(NO_PEPPER, Digest([0; 32]))));
        self.more = More::boxed(
            entries.collect(),
            unproven.filter(|unproven| !unproven.blocks.is_empty()),
        );
        let unproven = self.more.as_ref().and_then(|more| more.unproven.as_ref());
        unproven.map_or(0, |unproven| unproven.refused(peppers))
    }

    /// Shares with the contribution that this one replaces what is equal in both: the snapshot
    /// holds the old one's.
    pub(super) fn share(&mut self, old: &Self) {
        let more = self.more.iter_mut().flat_map(|more| &mut more.entries);
        for entry in iter::once(&mut self.first).chain(more) {
            if let Some(held) = old.entries().find(|held| *held == entry) {
                *entry = Arc::clone(held);
            }
        }
    }

    /// What is in the snapshot while these peppers are known: one entry a digest.
    pub(super) fn live(&self, peppers: &Peppers) -> Vec<Arc<Entry>> {
        let mut live: Vec<Arc<Entry>> = Vec::new();
        for entry in self.entries().filter(|entry| peppers.is_active(entry.pepper())) {
            // Two controllers may publish one digest, and two peppers may by mistake be equal.
            if live.iter().all(|held| held.digest() != entry.digest()) {
                live.push(Arc::clone(entry));
            }
        }
        live
    }

    /// Whether this entry is one of those.
    pub(super) fn is_live(&self, entry: &Entry, peppers: &Peppers) -> bool {
        let mut live = self.entries().filter(|held| peppers.is_active(held.pepper()));
        live.find(|held| held.digest() == entry.digest())
            .is_some_and(|held| **held == *entry)
    }

    /// The numbers of all peppers that it holds digests under.
    pub(super) fn peppers(&self) -> impl Iterator<Item = u16> {
        self.entries().map(|entry| entry.pepper())
    }

    /// The slot of its Consumer.
    pub(super) fn consumer(&self) -> u32 {
        self.first.consumer()
    }

    pub(super) fn is(&self, name: &ObjectName) -> bool {
        self.first.is(&name.namespace, &name.name)
    }

    /// Whether it is that of the Credential that this entry names.
    pub(super) fn is_of(&self, entry: &Entry) -> bool {
        self.first.is(entry.namespace(), entry.name())
    }

    pub(super) fn namespace(&self) -> &str {
        self.first.namespace()
    }

    pub(super) fn name(&self) -> ObjectName {
        ObjectName::new(self.first.namespace(), self.first.name())
    }

    fn entries(&self) -> impl Iterator<Item = &Arc<Entry>> {
        iter::once(&self.first).chain(self.more.iter().flat_map(|more| &more.entries))
    }
}

impl More {
    /// Nothing takes no memory.
    fn boxed(entries: Vec<Arc<Entry>>, unproven: Option<Unproven>) -> Option<Box<Self>> {
        let needed = !entries.is_empty() || unproven.is_some();
        needed.then(|| Box::new(Self { entries, unproven }))
    }
}

impl Unproven {
    /// How many of the blocks nobody can have published for this Credential. One under a pepper that is not
    /// held, or of the source that spec named before, is no more than early or late.
    fn refused(&self, peppers: &Peppers) -> usize {
        let is_refused = |block: &&PublishedKey| {
            let subject = Subject {
                credential_uid: &self.credential_uid,
                source: &block.source,
            };
            let mut active = peppers.active().map(|(_, pepper)| pepper);
            let pepper = active.find(|pepper| pepper.id() == block.pepper_id);
            let disproves = |pepper: &Pepper| accept(block, subject, pepper).is_none();
            block.format == FORMAT && pepper.is_some_and(disproves)
        };
        self.blocks.iter().filter(is_refused).count()
    }

    /// Takes out what an active pepper proves now.
    fn take_proven(&mut self, peppers: &Peppers) -> impl Iterator<Item = (u16, Digest)> + use<> {
        let subject = Subject {
            credential_uid: &self.credential_uid,
            source: &self.source,
        };
        let mut proven = Vec::new();
        self.blocks.retain(|block| {
            let mut accepted = peppers
                .active()
                .filter_map(|(number, pepper)| Some((number, accept(block, subject, pepper)?)));
            let found = accepted.next();
            proven.extend(found);
            found.is_none()
        });
        proven.into_iter()
    }
}

/// Names the Credential, and nothing that could be tried as a key.
impl fmt::Debug for Contribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Contribution").field(&self.first).finish()
    }
}
