//! How the writer makes the next version. A snapshot behind an `Arc` cannot be reached from here.

use std::sync::Arc;

use latchkey_core::digest::{Digest, Pepper};

use crate::{Consumer, Entry, Snapshot, entry::Entries};

impl Snapshot {
    /// An empty one. `seed` is a per-process random number that places digests in the table.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            ..Self::default()
        }
    }

    /// One that holds nothing, to come after this one.
    #[must_use]
    pub fn emptied(&self, seed: u64) -> Self {
        Self {
            revision: self.revision,
            ..Self::new(seed)
        }
    }

    /// Replaces the active peppers. Entries stay: they are the caller's to move.
    pub fn set_peppers(&mut self, peppers: Arc<[Pepper]>) {
        self.peppers = peppers;
    }

    /// Puts an entry in, and says whether others of its namespace hold its digest too. The caller
    /// puts in each credential once under a digest.
    pub fn insert(&mut self, entry: Arc<Entry>) -> bool {
        let (place, digest) = (self.place(entry.digest()), *entry.digest());
        self.entry_count += 1;
        match self.entries.find_mut(place, |held| held.is_under(&digest)) {
            Some(entries) => {
                let contested = !entries.of(entry.namespace()).is_empty();
                entries.add(entry);
                contested
            }
            None => {
                let same = |held: &Entries, _: &Entries| held.is_under(&digest);
                self.entries.insert(place, Entries::One(entry), same);
                false
            }
        }
    }

    /// Takes an entry out, and says whether others of its namespace hold its digest.
    pub fn remove(&mut self, entry: &Entry) -> bool {
        let (place, digest) = (self.place(entry.digest()), entry.digest());
        let Some(entries) = self.entries.find(place, |held| held.is_under(digest)) else {
            return false;
        };
        if !entries.of(entry.namespace()).iter().any(|held| **held == *entry) {
            return false;
        }
        self.entry_count -= 1;
        if let Entries::One(_) = entries {
            self.entries.remove(place, |held| held.is_under(digest));
            return false;
        }
        let Some(entries) = self.entries.find_mut(place, |held| held.is_under(digest)) else {
            return false;
        };
        entries.take(entry);
        !entries.of(entry.namespace()).is_empty()
    }

    /// All of one namespace's entries under a digest, the owner first.
    pub fn claimants(&self, digest: &Digest, namespace: &str) -> &[Arc<Entry>] {
        self.under(digest).map_or(&[], |entries| entries.of(namespace))
    }

    /// Fills a Consumer's slot.
    pub fn set_consumer(&mut self, slot: u32, consumer: Arc<Consumer>) {
        self.consumers.set(slot, consumer);
    }

    /// Leaves a Consumer's slot vacant.
    pub fn clear_consumer(&mut self, slot: u32) {
        self.consumers.clear(slot);
    }

    /// Ends a version: what readers get, at the cost of a few pointers. Changes after this copy the
    /// pages that they touch.
    #[must_use]
    pub fn seal(&mut self) -> Arc<Snapshot> {
        self.revision += 1;
        Arc::new(self.clone())
    }

    /// How many pages this version copied or made since it was last asked.
    pub fn take_written(&mut self) -> usize {
        self.entries.take_written() + self.consumers.take_written()
    }
}
