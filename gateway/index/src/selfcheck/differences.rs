//! What can differ between a snapshot and the ledger, counted. Never a name, never a digest.

use std::fmt;

/// How a snapshot differs from the ledger. An entry whose value differs counts as both missing and
/// foreign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Entries that a Credential puts in, and that a look-up does not find.
    pub missing: usize,
    /// Entries that no Credential puts in.
    pub foreign: usize,
    /// Entries that stand twice, in the wrong order, or where no look-up finds them.
    pub misplaced: usize,
    /// Slots with another Consumer than the ledger's, one too many, or none.
    pub consumers: usize,
    /// Snapshots with other active peppers.
    pub peppers: usize,
}

impl Differences {
    pub(super) fn is_none(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn add(&mut self, other: &Self) {
        // Taken apart whole, so that none can be forgotten here.
        let Self {
            missing,
            foreign,
            misplaced,
            consumers,
            peppers,
        } = other;
        self.missing += missing;
        self.foreign += foreign;
        self.misplaced += misplaced;
        self.consumers += consumers;
        self.peppers += peppers;
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [
            (self.missing, "missing entries"),
            (self.foreign, "foreign entries"),
            (self.misplaced, "misplaced entries"),
            (self.consumers, "wrong consumers"),
            (self.peppers, "wrong sets of peppers"),
        ];
        let mut before = "";
        for (count, what) in kinds.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, "{before}{count} {what}")?;
            before = ", ";
        }
        Ok(())
    }
}
