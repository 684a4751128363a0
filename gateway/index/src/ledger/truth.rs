//! The ledger as the truth about a snapshot: what one must hold, place by place, and all of it at once.

use std::sync::Arc;

use latchkey_core::digest::Pepper;
use latchkey_snapshot::{Consumer, Entry};

use super::Ledger;
use crate::{draft::Draft, peppers::same};

impl Ledger {
    /// Puts all that it holds into a draft that holds nothing.
    pub(crate) fn put_all(&self, draft: &mut Draft) {
        draft.set_peppers(self.peppers.active().map(|(_, pepper)| pepper.clone()).collect());
        for held in &self.credentials {
            draft.exchange(&[], &held.live(&self.peppers));
        }
        self.consumers.put_all(draft);
    }

    /// Whether these are the active peppers, in any order.
    pub(crate) fn are_active(&self, peppers: &[Pepper]) -> bool {
        let of_both = self
            .peppers
            .active()
            .filter(|(_, active)| peppers.iter().any(|pepper| same(pepper, active)));
        of_both.count() == peppers.len() && self.peppers.active().count() == peppers.len()
    }

    /// What the Credentials of one place put in, and the next place; `None` after the last.
    pub(crate) fn entries_at(&self, place: u64) -> (impl Iterator<Item = Vec<Arc<Entry>>>, Option<u64>) {
        let (held, beyond) = self.credentials.leaf_at(place);
        (held.iter().map(|held| held.live(&self.peppers)), beyond)
    }

    /// Whether a Credential puts in exactly this entry.
    pub(crate) fn puts_in(&self, entry: &Entry) -> bool {
        let hash = self.seed.parts(entry.namespace(), entry.name());
        let held = self.credentials.find(hash, |held| held.is_of(entry));
        held.is_some_and(|held| held.is_live(entry, &self.peppers))
    }

    /// The Consumer of a slot; `None` where it is to be vacant.
    pub(crate) fn consumer(&self, slot: u32) -> Option<&Arc<Consumer>> {
        self.consumers.consumer(slot)
    }

    /// The first slot beyond the leaf of this one that may be in use; `None` after the last.
    pub(crate) fn slot_beyond(&self, slot: u32) -> Option<u32> {
        self.consumers.beyond(slot)
    }
}
