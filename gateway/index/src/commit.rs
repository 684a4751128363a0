//! One commit is one swap; old snapshots are freed by the writer.

use std::{collections::VecDeque, sync::Arc};

use latchkey_snapshot::{Snapshot, SnapshotCell};

/// How many snapshots are kept for readers that still look at them. Readers look for microseconds;
/// one that sleeps while it does must not make the writer keep every version since. Beyond this the
/// oldest is left to its readers, who then free the pages that the commit after it replaced.
const MAX_RETIRED: usize = 1024;

/// What one commit did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Whether a new snapshot was swapped in.
    pub changed: bool,
    /// Pages of maps and slot arrays that were copied for it.
    pub pages_written: usize,
    /// Facts and deletions since the last commit.
    pub events: usize,
    /// Those that changed nothing: equal to what was known, or about nothing known.
    pub unchanged: usize,
    /// Facts that said an object cannot be read.
    pub undecodable: usize,
    /// Objects that ended because a complete list did not name them.
    pub swept: usize,
    /// Objects of which a list said something else than was known, those that ended because it did not name
    /// them included.
    pub corrected: usize,
    /// Blocks in the status of Credentials that name an active pepper and the present source, but whose
    /// tag is wrong: forged, or copied from another Credential.
    pub refused_blocks: usize,
    /// Old snapshots that readers still look at.
    pub retired: usize,
}

/// Where snapshots go.
#[derive(Debug)]
pub(crate) struct Publisher {
    cell: SnapshotCell,
    retired: VecDeque<Arc<Snapshot>>,
}

impl Publisher {
    pub(crate) fn new(first: Arc<Snapshot>) -> Self {
        let cell = SnapshotCell::default();
        drop(cell.swap(first));
        Self {
            cell,
            retired: VecDeque::new(),
        }
    }

    pub(crate) fn cell(&self) -> &SnapshotCell {
        &self.cell
    }

    pub(crate) fn publish(&mut self, next: Arc<Snapshot>) {
        self.retired.push_back(self.cell.swap(next));
    }

    /// Frees all snapshots that nobody looks at any more, and says how many are left.
    pub(crate) fn free_retired(&mut self) -> usize {
        // Out of the cell, a snapshot gets no new readers: once alone with it, always alone.
        self.retired.retain(|snapshot| Arc::strong_count(snapshot) > 1);
        while self.retired.len() > MAX_RETIRED {
            self.retired.pop_front();
        }
        self.retired.len()
    }
}
