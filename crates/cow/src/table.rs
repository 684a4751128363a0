//! A persistent hash table of values that know their own key.
//!
//! ```text
//! root [64] -> shard [64] -> page: leaf of <= 32 values, or split [16] -> page ...
//!  bits 63..58    57..52           51..48, 47..44, ...
//! ```
//!
//! The two upper levels are fixed, so that a small table reads as fast as a flat one; pages split as
//! they grow and merge as they shrink, so that a change copies about as much at a million values as
//! at a thousand.

mod iter;
mod page;
#[cfg(test)]
mod tests;

use std::{array, fmt, sync::Arc};

pub use iter::Iter;
use page::{Page, REST_BITS};

use crate::own;

const FANOUT: usize = 64;
const FANOUT_MASK: u64 = FANOUT as u64 - 1;

/// Bits of a hash that choose the place inside of a shard.
const SHARD_BITS: u32 = 58;

type Shard<T> = [Page<T>; FANOUT];
type Root<T> = [Option<Arc<Shard<T>>>; FANOUT];

/// A hash table of which every clone is a version of its own. Cloning costs one pointer.
///
/// Each call takes the value's hash and what tells it from others of the same hash. A value must
/// always be given with the same hash, and the 64 bits must be well mixed: the upper ones choose
/// the page.
pub struct Table<T> {
    root: Arc<Root<T>>,
    len: usize,
    written: usize,
}

impl<T> Table<T> {
    /// An empty table.
    pub fn new() -> Self {
        Self {
            root: Arc::new(array::from_fn(|_| None)),
            len: 0,
            written: 0,
        }
    }

    /// How many values it holds.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The value with this hash that `is` recognises. Allocates nothing.
    pub fn find(&self, hash: u64, is: impl Fn(&T) -> bool) -> Option<&T> {
        let (outer, inner) = place(hash);
        self.root[outer].as_ref()?[inner].find(hash, is)
    }

    /// All values, in an order that means nothing.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(&self.root, self.len)
    }

    /// The values of the leaf in which this hash would stand, and the first hash beyond that leaf;
    /// `None` after the last.
    ///
    /// Whoever begins at 0 and goes on with what this gives passes every value that stands in the table
    /// all the while, however much else changes between two calls: leaves split and merge, hashes stay.
    pub fn leaf_at(&self, hash: u64) -> (&[T], Option<u64>) {
        let (outer, inner) = place(hash);
        let (values, bits) = match &self.root[outer] {
            Some(shard) => shard[inner].leaf_at(hash),
            None => (&[][..], SHARD_BITS),
        };
        (values, (hash | ((1 << bits) - 1)).checked_add(1))
    }

    /// Whether this is the very version that the other one is, and no more than a clone of it.
    pub fn is_version(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.root, &other.root)
    }

    /// How many pages and inner nodes this version copied or made since it was last asked.
    pub fn take_written(&mut self) -> usize {
        std::mem::take(&mut self.written)
    }
}

impl<T: Clone> Table<T> {
    /// The value with this hash that `is` recognises, to be changed. Its key must stay what it is.
    pub fn find_mut(&mut self, hash: u64, is: impl Fn(&T) -> bool) -> Option<&mut T> {
        // A miss must not copy what it passes.
        self.find(hash, &is)?;
        let (outer, inner) = place(hash);
        let root = own(&mut self.root, &mut self.written);
        let shard = own(root[outer].as_mut()?, &mut self.written);
        shard[inner].find_mut(hash, is, &mut self.written)
    }

    /// Puts a value in, and gives back the one of the same hash for which `same(held, &value)` held.
    pub fn insert(&mut self, hash: u64, value: T, same: impl Fn(&T, &T) -> bool) -> Option<T> {
        let (outer, inner) = place(hash);
        let written = &mut self.written;
        let shard = own(&mut self.root, written)[outer].get_or_insert_with(|| {
            *written += 1;
            Arc::new(array::from_fn(|_| Page::Empty))
        });
        let shard = own(shard, &mut self.written);
        let replaced = shard[inner].insert(hash, REST_BITS, value, same, &mut self.written);
        self.len += usize::from(replaced.is_none());
        replaced
    }

    /// Calls `change` with each value, in an order that means nothing. Keys must stay what they are.
    pub fn for_each_mut(&mut self, mut change: impl FnMut(&mut T)) {
        for shard in own(&mut self.root, &mut self.written).iter_mut().flatten() {
            for page in own(shard, &mut self.written) {
                page.for_each_mut(&mut change, &mut self.written);
            }
        }
    }

    /// Takes out the value with this hash that `is` recognises.
    pub fn remove(&mut self, hash: u64, is: impl Fn(&T) -> bool) -> Option<T> {
        // A miss must not copy what it passes.
        self.find(hash, &is)?;
        let (outer, inner) = place(hash);
        let slot = &mut own(&mut self.root, &mut self.written)[outer];
        let shard = own(slot.as_mut()?, &mut self.written);
        let removed = shard[inner].remove(hash, REST_BITS, is, &mut self.written)?;
        self.len -= 1;
        if shard[inner].is_empty() && shard.iter().all(Page::is_empty) {
            *slot = None;
        }
        Some(removed)
    }
}

/// Which shard, and which page of it.
#[allow(clippy::cast_possible_truncation, reason = "both are masked to six bits")]
fn place(hash: u64) -> (usize, usize) {
    (
        (hash >> SHARD_BITS) as usize,
        (hash >> REST_BITS & FANOUT_MASK) as usize,
    )
}

impl<T> Clone for Table<T> {
    fn clone(&self) -> Self {
        Self {
            root: Arc::clone(&self.root),
            len: self.len,
            written: 0,
        }
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Never shows a value: it may be a secret.
impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}

impl<'t, T> IntoIterator for &'t Table<T> {
    type Item = &'t T;
    type IntoIter = Iter<'t, T>;

    fn into_iter(self) -> Iter<'t, T> {
        self.iter()
    }
}
