//! All credentials under one digest. Nearly always one, so that one costs no list.

use std::{slice, sync::Arc};

use latchkey_core::digest::Digest;

use super::Entry;

/// One or more entries of one digest, by namespace and inside one by claim: each namespace's owner
/// comes first of its own. Lists are searched, never scanned: a tenant who makes a long one must
/// not slow down anybody's look-up.
#[derive(Clone)]
pub(crate) enum Entries {
    One(Arc<Entry>),
    /// Two or more.
    Many(Arc<Vec<Arc<Entry>>>),
}

impl Entries {
    pub(crate) fn as_slice(&self) -> &[Arc<Entry>] {
        match self {
            Self::One(entry) => slice::from_ref(entry),
            Self::Many(entries) => entries,
        }
    }

    pub(crate) fn is_under(&self, digest: &Digest) -> bool {
        self.as_slice()
            .first()
            .is_some_and(|entry| entry.digest() == digest)
    }

    /// The entry that stands where this one would.
    pub(crate) fn find(&self, entry: &Entry) -> Option<&Arc<Entry>> {
        let all = self.as_slice();
        all.get(all.partition_point(|held| held.precedes(entry)))
    }

    /// One namespace's entries, its owner first.
    pub(crate) fn of(&self, namespace: &str) -> &[Arc<Entry>] {
        let tenant = namespace.as_bytes();
        match self {
            Self::One(entry) if entry.tenant() == tenant => slice::from_ref(entry),
            Self::One(_) => &[],
            Self::Many(all) => {
                let start = all.partition_point(|entry| entry.tenant() < tenant);
                let of_and_after = &all[start..];
                &of_and_after[..of_and_after.partition_point(|entry| entry.tenant() == tenant)]
            }
        }
    }

    /// Each namespace's owner.
    pub(crate) fn owners(&self) -> impl Iterator<Item = &Entry> {
        let mut left = self.as_slice();
        std::iter::from_fn(move || {
            let (owner, rest) = left.split_first()?;
            let others = rest.partition_point(|entry| entry.tenant() == owner.tenant());
            left = &rest[others..];
            Some(&**owner)
        })
    }

    pub(crate) fn add(&mut self, entry: Arc<Entry>) {
        match self {
            Self::One(held) => {
                let mut both = vec![Arc::clone(held), entry];
                both.sort_by(|a, b| a.order(b));
                *self = Self::Many(Arc::new(both));
            }
            Self::Many(entries) => {
                let at = entries.partition_point(|held| held.order(&entry).is_lt());
                Arc::make_mut(entries).insert(at, entry);
            }
        }
    }

    /// Takes out an entry of a list of two or more; a single one is for the table to remove.
    pub(crate) fn take(&mut self, entry: &Entry) {
        let Self::Many(entries) = self else { return };
        let at = entries.partition_point(|held| held.order(entry).is_lt());
        if entries.get(at).is_some_and(|held| held.order(entry).is_eq()) {
            Arc::make_mut(entries).remove(at);
        }
        if let [last] = entries.as_slice() {
            *self = Self::One(Arc::clone(last));
        }
    }
}
