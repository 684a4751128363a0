//! How the writer compares a snapshot with what it should hold: place by place, and always as a look-up
//! would find it.

use std::sync::Arc;

use latchkey_core::digest::{Digest, Pepper};
pub use latchkey_cow::slots::LEAF as SLOTS_IN_A_LEAF;

use crate::{Consumer, Entry, Snapshot, entry::Entries};

/// All entries of one digest.
#[derive(Clone, Copy)]
pub struct Holders<'s> {
    entries: &'s Entries,
    /// Whether a look-up finds this list.
    found: bool,
}

impl Snapshot {
    /// The active peppers.
    pub fn peppers(&self) -> &[Pepper] {
        &self.peppers
    }

    /// Whether it holds an entry equal to this one, where a look-up finds it.
    pub fn holds(&self, entry: &Arc<Entry>) -> bool {
        let list = self.under(entry.digest());
        list.and_then(|list| list.find(entry))
            .is_some_and(|held| Arc::ptr_eq(held, entry) || held == entry)
    }

    /// The digests of one place, each with its entries, and the next place; `None` after the last. A walk
    /// from 0 on passes each digest that the snapshot's later versions hold too.
    pub fn holders_at(&self, place: u64) -> (impl ExactSizeIterator<Item = Holders<'_>>, Option<u64>) {
        let (lists, beyond) = self.entries.leaf_at(place);
        let holders = lists.iter().map(|entries| Holders {
            entries,
            found: entries
                .as_slice()
                .first()
                .and_then(|first| self.under(first.digest()))
                .is_some_and(|found| std::ptr::eq(found, entries)),
        });
        (holders, beyond)
    }

    /// The Consumers in the [`SLOTS_IN_A_LEAF`] slots around this one, the first of which has a number that
    /// is a multiple of that; nothing where all of them are vacant. And the next slot; `None` after the last.
    pub fn consumers_at(&self, slot: u32) -> (&[Option<Arc<Consumer>>], Option<u32>) {
        self.consumers.leaf_at(slot)
    }

    /// Whether this is the very version that the other one is, without a look at what they hold.
    pub fn is_version(&self, other: &Self) -> bool {
        self.entries.is_version(&other.entries)
            && self.consumers.is_version(&other.consumers)
            && Arc::ptr_eq(&self.peppers, &other.peppers)
    }
}

impl<'s> Holders<'s> {
    /// Which; `None` of a list without entries, which none should be.
    pub fn digest(self) -> Option<&'s Digest> {
        self.entries().first().map(|entry| entry.digest())
    }

    /// In the order in which look-ups search them.
    pub fn entries(self) -> &'s [Arc<Entry>] {
        self.entries.as_slice()
    }

    /// Whether a look-up of the digest finds these.
    pub fn are_found(self) -> bool {
        self.found
    }
}
