//! A snapshot, and the cell that holds the present one.

use std::{fmt, sync::Arc};

use arc_swap::{ArcSwap, Guard};
use latchkey_core::digest::{Digest, Pepper};
use latchkey_cow::{Slots, Table};

use crate::{Consumer, entry::Entries};

/// One immutable version of all that authentication reads.
#[derive(Clone, Default)]
pub struct Snapshot {
    pub(crate) entries: Table<Entries>,
    pub(crate) entry_count: usize,
    pub(crate) consumers: Slots<Arc<Consumer>>,
    pub(crate) peppers: Arc<[Pepper]>,
    pub(crate) seed: u64,
    pub(crate) revision: u64,
}

/// How much a snapshot holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotStats {
    /// Commits since start.
    pub revision: u64,
    /// Consumers that exist.
    pub consumers: usize,
    /// Entries under digests (a credential under two peppers counts twice).
    pub entries: usize,
    /// Distinct digests.
    pub digests: usize,
    /// Active peppers.
    pub peppers: usize,
}

impl Snapshot {
    /// How much it holds.
    pub fn stats(&self) -> SnapshotStats {
        SnapshotStats {
            revision: self.revision,
            consumers: self.consumers.len(),
            entries: self.entry_count,
            digests: self.entries.len(),
            peppers: self.peppers.len(),
        }
    }

    pub(crate) fn under(&self, digest: &Digest) -> Option<&Entries> {
        self.entries
            .find(self.place(digest), |entries| entries.is_under(digest))
    }

    /// The Consumer in a slot.
    pub fn consumer(&self, slot: u32) -> Option<&Consumer> {
        self.consumers.get(slot).map(|consumer| &**consumer)
    }

    /// Where a digest stands in the table. A digest is uniform as it is; the seed makes places
    /// unknown to somebody who can try many keys to crowd one page.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "both halves of the product are used"
    )]
    pub(crate) fn place(&self, digest: &Digest) -> u64 {
        let [a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7, ..] = digest.0;
        let a = u64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]) ^ self.seed;
        let b = u64::from_le_bytes([b0, b1, b2, b3, b4, b5, b6, b7]) ^ self.seed.rotate_left(32);
        let product = u128::from(a) * u128::from(b);
        (product >> 64) as u64 ^ product as u64
    }
}

/// Sizes alone: digests and peppers are secrets.
impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Snapshot").field(&self.stats()).finish()
    }
}

/// Where readers find the present snapshot.
#[derive(Clone, Debug, Default)]
pub struct SnapshotCell(Arc<ArcSwap<Snapshot>>);

impl SnapshotCell {
    /// The present snapshot. Never hold the guard over an `.await`: guards are few per thread.
    pub fn load(&self) -> Guard<Arc<Snapshot>> {
        self.0.load()
    }

    /// Puts the next snapshot in the present one's place and hands that one back, with every reader
    /// that still looks at it counted. The writer keeps it until it is the only owner: whoever drops
    /// it last frees all that no later version shares, and that must not be a request.
    #[must_use = "dropped here, a reader may be the one that frees it"]
    pub fn swap(&self, next: Arc<Snapshot>) -> Arc<Snapshot> {
        self.0.swap(next)
    }
}
