//! The version in the making: the working snapshot, whether it differs from what readers have, and
//! whose ownership of a key may have changed hands.

use std::{mem, sync::Arc};

use latchkey_core::{digest::Pepper, object::ObjectName};
use latchkey_snapshot::{Consumer, Entry, Snapshot};

use crate::identity::Seed;

/// The next version.
#[derive(Debug)]
pub(crate) struct Draft {
    snapshot: Snapshot,
    changed: bool,
    /// Credentials that may have become or ceased to be owners of a key.
    touched: Vec<ObjectName>,
}

impl Draft {
    pub(crate) fn new(snapshot: Snapshot) -> Self {
        Self {
            snapshot,
            changed: false,
            touched: Vec::new(),
        }
    }

    /// Takes out what a Credential put in before, and puts in what it puts in now. What is equal in
    /// both stays untouched.
    pub(crate) fn exchange(&mut self, old: &[Arc<Entry>], new: &[Arc<Entry>]) {
        // All out first: one credential stands under a digest once.
        for entry in old.iter().filter(|entry| !new.contains(entry)) {
            self.take(entry);
        }
        for entry in new.iter().filter(|entry| !old.contains(entry)) {
            self.put(entry);
        }
    }

    pub(crate) fn set_consumer(&mut self, slot: u32, consumer: Arc<Consumer>) {
        self.changed = true;
        self.snapshot.set_consumer(slot, consumer);
    }

    pub(crate) fn clear_consumer(&mut self, slot: u32) {
        self.changed = true;
        self.snapshot.clear_consumer(slot);
    }

    pub(crate) fn set_peppers(&mut self, peppers: Arc<[Pepper]>) {
        self.changed = true;
        self.snapshot.set_peppers(peppers);
    }

    /// Whether an entry is the first of its namespace under its digest.
    pub(crate) fn owns(&self, entry: &Entry) -> bool {
        let claimants = self.snapshot.claimants(entry.digest(), entry.namespace());
        claimants.first().is_some_and(|owner| **owner == *entry)
    }

    /// The version as it was committed; `None` while changes wait for that.
    pub(crate) fn committed(&self) -> Option<&Snapshot> {
        (!self.changed).then_some(&self.snapshot)
    }

    /// The working snapshot, to be changed behind everybody's back.
    #[cfg(test)]
    pub(crate) fn snapshot_mut(&mut self) -> &mut Snapshot {
        &mut self.snapshot
    }

    /// Begins anew: it holds nothing, and differs from what readers have.
    pub(crate) fn restart(&mut self, seed: Seed) {
        self.changed = true;
        self.snapshot = self.snapshot.emptied(seed.0);
    }

    /// The ownership of what these Credentials hold may have changed.
    pub(crate) fn touch<'n>(&mut self, credentials: impl Iterator<Item = &'n ObjectName>) {
        self.touched.extend(credentials.cloned());
    }

    /// Credentials whose ownership of a key may have changed since this was last asked, each once.
    pub(crate) fn take_touched(&mut self) -> Vec<ObjectName> {
        let mut touched = mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// The next version for readers and the pages written for it, if it differs from the last.
    pub(crate) fn seal(&mut self) -> Option<(Arc<Snapshot>, usize)> {
        if !mem::take(&mut self.changed) {
            return None;
        }
        let written = self.snapshot.take_written();
        Some((self.snapshot.seal(), written))
    }

    fn put(&mut self, entry: &Arc<Entry>) {
        self.changed = true;
        if self.snapshot.insert(Arc::clone(entry)) {
            let claimants = self.snapshot.claimants(entry.digest(), entry.namespace());
            // If it came first, the second owned the key until now.
            let second = claimants.get(1).map(|held| name_of(held));
            self.touched
                .extend([Some(name_of(entry)), second].into_iter().flatten());
        }
    }

    fn take(&mut self, entry: &Entry) {
        self.changed = true;
        if self.snapshot.remove(entry) {
            let claimants = self.snapshot.claimants(entry.digest(), entry.namespace());
            // If it was the first, this one owns the key from now on.
            let first = claimants.first().map(|held| name_of(held));
            self.touched
                .extend([Some(name_of(entry)), first].into_iter().flatten());
        }
    }
}

fn name_of(entry: &Entry) -> ObjectName {
    ObjectName::new(entry.namespace(), entry.name())
}
