//! Compares one snapshot with the ledger, place by place. Changes neither.

use std::sync::Arc;

use latchkey_snapshot::{
    Entry, Snapshot,
    audit::{Holders, SLOTS_IN_A_LEAF},
};

use super::Differences;
use crate::ledger::Ledger;

/// Where a comparison goes on.
#[derive(Clone, Debug, Default)]
pub(super) enum Place {
    /// The peppers.
    #[default]
    Peppers,
    /// Credentials of the ledger, by the hashes of their names.
    Ledger(u64),
    /// Entries of the snapshot, by the places of their digests; after this one, if it was left there.
    Snapshot(u64, Option<Arc<Entry>>),
    /// Consumers of both, by their slots.
    Slots(u32),
}

/// A comparison that is under way.
pub(super) struct Comparison<'c> {
    ledger: &'c Ledger,
    snapshot: &'c Snapshot,
    /// How much it may still look at.
    pub(super) left: usize,
    pub(super) examined: usize,
    pub(super) found: Differences,
}

impl<'c> Comparison<'c> {
    pub(super) fn new(ledger: &'c Ledger, snapshot: &'c Snapshot, at_most: usize) -> Self {
        Self {
            ledger,
            snapshot,
            left: at_most,
            examined: 0,
            found: Differences::default(),
        }
    }

    /// Compares what stands at a place, and gives the next one; `None` after the last.
    pub(super) fn step(&mut self, place: Place) -> Option<Place> {
        match place {
            Place::Peppers => {
                self.look();
                let same = self.ledger.are_active(self.snapshot.peppers());
                self.found.peppers += usize::from(!same);
                Some(Place::Ledger(0))
            }
            Place::Ledger(place) => Some(self.ledger_leaf(place)),
            Place::Snapshot(place, after) => Some(self.snapshot_leaf(place, after.as_ref())),
            Place::Slots(slot) => self.slots(slot).map(Place::Slots),
        }
    }

    /// Each entry that the ledger puts in is found, and is equal.
    fn ledger_leaf(&mut self, place: u64) -> Place {
        self.look();
        let (ledger, snapshot) = (self.ledger, self.snapshot);
        let (held, beyond) = ledger.entries_at(place);
        for entries in held {
            self.look();
            let is_missing = |entry: &&Arc<Entry>| !snapshot.holds(entry);
            self.found.missing += entries.iter().filter(is_missing).count();
        }
        beyond.map_or(Place::Snapshot(0, None), Place::Ledger)
    }

    /// Each entry of the snapshot is one that the ledger puts in, and stands where it should.
    fn snapshot_leaf(&mut self, place: u64, after: Option<&Arc<Entry>>) -> Place {
        let (lists, beyond) = self.snapshot.holders_at(place);
        let mut lists: Vec<Holders<'_>> = lists.collect();
        // In an order that stays the same if the leaf is left and found again changed.
        lists.sort_unstable_by_key(|list| list.digest().copied());
        let mut last = after;
        for list in lists {
            let (mut entries, mut before) = (list.entries(), None);
            if let (Some(after), Some(digest)) = (after, list.digest()) {
                if digest < after.digest() {
                    continue;
                }
                if digest == after.digest() {
                    let at = entries.partition_point(|entry| entry.precedes(after));
                    // It alone is skipped, if it is still there: never a second one of it.
                    let is_seen = entries.get(at).is_some_and(|entry| entry == after);
                    (entries, before) = (&entries[at + usize::from(is_seen)..], Some(after));
                }
            }
            for entry in entries {
                // A tenant may have made a list of any length.
                if self.left == 0 {
                    return Place::Snapshot(place, last.map(Arc::clone));
                }
                self.look();
                let is_placed = list.are_found()
                    && list.digest() == Some(entry.digest())
                    && before.is_none_or(|before| before.precedes(entry));
                self.found.misplaced += usize::from(!is_placed);
                self.found.foreign += usize::from(!self.ledger.puts_in(entry));
                (before, last) = (Some(entry), Some(entry));
            }
        }
        // Counted last: each step looks at one entry at least.
        self.look();
        beyond.map_or(Place::Slots(0), |beyond| Place::Snapshot(beyond, None))
    }

    /// Each slot holds the Consumer that the ledger says, or none. Gives the next slot to look at.
    fn slots(&mut self, slot: u32) -> Option<u32> {
        self.look();
        let (held, beyond) = self.snapshot.consumers_at(slot);
        let leaf = u32::try_from(SLOTS_IN_A_LEAF).unwrap_or(u32::MAX);
        let first = slot - slot % leaf;
        for (at, slot) in (first..=u32::MAX).take(SLOTS_IN_A_LEAF).enumerate() {
            let held = held.get(at).and_then(Option::as_ref);
            let is_same = match (held, self.ledger.consumer(slot)) {
                (None, None) => continue,
                (Some(held), Some(known)) => Arc::ptr_eq(held, known) || held == known,
                (Some(_), None) | (None, Some(_)) => false,
            };
            self.look();
            self.found.consumers += usize::from(!is_same);
        }
        // What one of both knows to be vacant, the other one may have filled.
        let beyond = [beyond, self.ledger.slot_beyond(slot)];
        beyond.into_iter().flatten().min()
    }

    fn look(&mut self) {
        self.examined += 1;
        self.left = self.left.saturating_sub(1);
    }
}
