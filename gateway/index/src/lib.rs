//! What the writer owns: a ledger of what each object contributed, and the commit of snapshots.
//!
//! ```text
//! object -> fact -> Index (ledger) -> commit -> latchkey_snapshot::SnapshotCell
//! ```
//!
//! Synchronous and pure: no client, no runtime, no clock. One writer; readers never wait for it.

pub mod object;

use latchkey_core::{digest::Pepper, object::ObjectName};
use latchkey_snapshot::{SnapshotCell, SnapshotStats};
use object::{Fact, Kind};

/// The writer's half of the index.
#[derive(Debug)]
pub struct Index {}

/// What one commit did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Whether a new snapshot was swapped in.
    pub changed: bool,
    /// Pages of maps and slot arrays that were copied for it.
    pub pages_written: usize,
}

impl Index {
    /// An empty index. `seed` is a per-process random number that places digests in the map.
    pub fn new(seed: u64) -> Self {
        let _ = seed;
        unimplemented!()
    }
    /// Where readers find its snapshots.
    pub fn snapshots(&self) -> SnapshotCell {
        unimplemented!()
    }
    /// Replaces the active peppers.
    pub fn set_peppers(&mut self, peppers: Vec<Pepper>) {
        let _ = peppers;
        unimplemented!()
    }
    /// An object was added or changed. "Nothing to index now" retracts what it put in before.
    pub fn apply(&mut self, fact: Fact) {
        let _ = fact;
        unimplemented!()
    }
    /// An object is gone.
    pub fn delete(&mut self, kind: Kind, name: &ObjectName) {
        let _ = (kind, name);
        unimplemented!()
    }
    /// A complete list of a kind begins. A second one without an end starts afresh.
    pub fn relist_begin(&mut self, kind: Kind) {
        let _ = kind;
        unimplemented!()
    }
    /// An object of the running list. Outside of one it is an apply.
    pub fn relist_apply(&mut self, fact: Fact) {
        let _ = fact;
        unimplemented!()
    }
    /// The list was complete: what it did not name is gone, in the next commit. Without a begin, nothing.
    pub fn relist_end(&mut self, kind: Kind) {
        let _ = kind;
        unimplemented!()
    }
    /// Swaps in all that was applied since the last commit, and frees snapshots nobody reads any more.
    pub fn commit(&mut self) -> Commit {
        unimplemented!()
    }
    /// How much the committed snapshot holds.
    pub fn stats(&self) -> SnapshotStats {
        unimplemented!()
    }
}
