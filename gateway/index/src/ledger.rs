//! The ledger: of each object, what it put into the snapshot (not the object).
//!
//! ```text
//! facts -> Contribution (what it puts in, per pepper) -> Draft (out with the old, in with the new)
//! ```

mod contribution;
mod slots;
mod truth;

use latchkey_core::{digest::Pepper, object::ObjectName};
use latchkey_cow::Table;

use crate::{
    draft::Draft,
    identity::Seed,
    object::{ConsumerFacts, CredentialFacts, Kind},
    peppers::Peppers,
    relist::Complete,
};

use contribution::Contribution;
use slots::ConsumerSlots;

/// What every object put in.
#[derive(Debug)]
pub(crate) struct Ledger {
    seed: Seed,
    peppers: Peppers,
    credentials: Table<Contribution>,
    consumers: ConsumerSlots,
    /// Blocks with a wrong tag that were met since this was last asked.
    refused_blocks: usize,
}

/// How much the ledger holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerStats {
    /// Credentials that have a key, under an active pepper or not.
    pub credentials: usize,
    /// Consumers that exist.
    pub consumers: usize,
    /// Slots in use: of Consumers, and of names that Credentials refer to.
    pub slots: usize,
    /// Objects of either kind that exist and cannot be read.
    pub undecodable: usize,
    /// Credentials that hold a key which another one of their namespace owns.
    pub conflicted: usize,
}

impl Ledger {
    pub(crate) fn new(seed: Seed) -> Self {
        Self {
            seed,
            peppers: Peppers::default(),
            credentials: Table::new(),
            consumers: ConsumerSlots::new(seed),
            refused_blocks: 0,
        }
    }

    pub(crate) fn seed(&self) -> Seed {
        self.seed
    }

    pub(crate) fn stats(&self) -> LedgerStats {
        LedgerStats {
            credentials: self.credentials.len(),
            consumers: self.consumers.filled(),
            slots: self.consumers.in_use(),
            ..LedgerStats::default()
        }
    }

    /// Says whether that changed anything.
    pub(crate) fn apply_consumer(&mut self, facts: &ConsumerFacts, epoch: u32, draft: &mut Draft) -> bool {
        self.consumers.fill(facts, epoch, draft)
    }

    /// Says whether that changed anything.
    pub(crate) fn apply_credential(
        &mut self,
        facts: &CredentialFacts,
        epoch: u32,
        draft: &mut Draft,
    ) -> bool {
        let Some(source) = facts.source.as_ref().filter(|source| source.may_grant()) else {
            return self.retract_credential(&facts.name, draft);
        };
        let name = &facts.name;
        let hash = self.seed.name(name);
        let fingerprint = self.seed.fingerprint(facts);
        let held = self.credentials.find_mut(hash, |held| held.is(name));
        if let Some(held) = held
            && held.fingerprint == fingerprint
        {
            held.epoch = epoch;
            return false;
        }
        // Referred to before the old reference is given up: the slot must not change hands between.
        let consumer = ObjectName::new(&*name.namespace, &*facts.consumer);
        let slot = self.consumers.refer(&consumer);
        let mut new = Contribution::new(facts, source, slot, fingerprint, epoch);
        self.refused_blocks += new.prove(&self.peppers);
        if let Some(held) = self.credentials.find(hash, |held| held.is(name)) {
            new.share(held);
        }
        let after = new.live(&self.peppers);
        let replaced = self.credentials.insert(hash, new, |held, _| held.is(name));
        let before = replaced.as_ref().map(|old| old.live(&self.peppers));
        draft.exchange(&before.unwrap_or_default(), &after);
        if let Some(old) = replaced {
            self.consumers.release(old.consumer());
        }
        true
    }

    /// Says whether there was anything to take out.
    pub(crate) fn retract(&mut self, kind: Kind, name: &ObjectName, draft: &mut Draft) -> bool {
        match kind {
            Kind::Consumer => self.consumers.vacate(name, draft),
            Kind::Credential => self.retract_credential(name, draft),
        }
    }

    fn retract_credential(&mut self, name: &ObjectName, draft: &mut Draft) -> bool {
        let hash = self.seed.name(name);
        let removed = self.credentials.remove(hash, |held| held.is(name));
        let Some(old) = removed else { return false };
        draft.exchange(&old.live(&self.peppers), &[]);
        self.consumers.release(old.consumer());
        true
    }

    /// Names of all objects of a kind that a complete list did not name.
    pub(crate) fn unseen(&self, kind: Kind, list: Complete<'_>) -> Vec<ObjectName> {
        match kind {
            Kind::Consumer => self.consumers.unseen(list),
            Kind::Credential => {
                let is_unseen = |held: &&Contribution| list.proves_absence(|| held.namespace(), held.epoch);
                let unseen = self.credentials.iter().filter(is_unseen);
                unseen.map(Contribution::name).collect()
            }
        }
    }

    /// Whether another Credential of its namespace owns a key that this one holds.
    pub(crate) fn is_conflicted(&self, name: &ObjectName, draft: &Draft) -> bool {
        let hash = self.seed.name(name);
        let held = self.credentials.find(hash, |held| held.is(name));
        held.is_some_and(|held| {
            let live = held.live(&self.peppers);
            live.iter().any(|entry| !draft.owns(entry))
        })
    }

    /// How many blocks with a wrong tag were met since this was last asked.
    pub(crate) fn take_refused_blocks(&mut self) -> usize {
        std::mem::take(&mut self.refused_blocks)
    }

    /// Moves every credential to other peppers.
    pub(crate) fn set_peppers(&mut self, peppers: Vec<Pepper>, draft: &mut Draft) {
        let before = self.peppers.clone();
        if !self.peppers.activate(peppers) {
            return;
        }
        let after = &self.peppers;
        draft.set_peppers(after.active().map(|(_, pepper)| pepper.clone()).collect());
        let mut used = Vec::new();
        self.credentials.for_each_mut(|held| {
            let old = held.live(&before);
            self.refused_blocks += held.prove(after);
            draft.exchange(&old, &held.live(after));
            for number in held.peppers() {
                if !used.contains(&number) {
                    used.push(number);
                }
            }
        });
        self.peppers.forget(|number| used.contains(&number));
    }
}
