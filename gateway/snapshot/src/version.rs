//! A snapshot, and the cell that holds the present one.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

/// One immutable version of all that authentication reads.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {}

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
        unimplemented!()
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
}
