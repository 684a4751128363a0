//! The self-check: compares what requests read with the ledger, by value, a slice at a time.
//!
//! ```text
//! peppers -> ledger: each entry is found in the snapshot -> snapshot: each entry is the ledger's -> slots
//!    `- a difference: everything is compared, counted, built anew from the ledger and committed
//! ```
//!
//! A net for anomalies, never the mechanism: nothing else relies on it. It looks at committed states
//! only, so that a slice may fall between any two commits, and at places of tables rather than at lists
//! of names, so that a round passes everything that stands all the while, whatever comes and goes.

mod comparison;
mod differences;

use latchkey_snapshot::Snapshot;

pub use differences::Differences;

use crate::{Index, ledger::Ledger};
use comparison::{Comparison, Place};

/// What one slice of the self-check did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// How much it looked at: objects, and places where there might have been some. 0 while changes wait
    /// for a commit.
    pub examined: usize,
    /// Whether that was the end of a round; the next slice begins a new one.
    pub finished: bool,
    /// What differed, if anything did. The snapshot was then built anew from the ledger and swapped in.
    pub repaired: Option<Differences>,
}

/// How far a round has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Round {
    version: Version,
    place: Place,
}

/// Which snapshot is compared with the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Version {
    /// The one that requests read.
    #[default]
    Published,
    /// The one that the next commit would publish, where it is not the same: it should be, as long as
    /// nothing waits for that commit.
    Draft,
}

impl Index {
    /// Goes on with the comparison of the published snapshot and the ledger, and repairs what differs.
    ///
    /// Looks at about `at_most` objects: at one more than that in a list of one key's holders, at a leaf
    /// of a table more elsewhere. A repair ends the round, and looks at everything: a fault that comes
    /// back is repaired once a round. Which Credentials are `Conflicted` after it, the next commit says.
    pub fn check(&mut self, at_most: usize) -> Checked {
        let Some(draft) = self.draft.committed() else {
            return Checked::default();
        };
        let published = self.publisher.cell().load();
        let slice = self.round.go_on(&self.ledger, &published, draft, at_most.max(1));
        let (found, checked) = slice;
        if found.is_none() {
            return checked;
        }
        let repaired = compare_all(&self.ledger, &published, draft);
        drop(published);
        self.rebuild();
        self.round = Round::default();
        Checked {
            finished: true,
            repaired: Some(repaired),
            ..checked
        }
    }

    /// Builds the snapshot anew from the ledger, with the entries that there are, and swaps it in.
    fn rebuild(&mut self) {
        self.draft.restart(self.ledger.seed());
        self.ledger.put_all(&mut self.draft);
        self.draft.touch(self.conflicts.conflicted());
        if let Some((next, _)) = self.draft.seal() {
            self.publisher.publish(next);
        }
    }
}

impl Round {
    /// Says what differs, if anything, and how far it came.
    fn go_on(
        &mut self,
        ledger: &Ledger,
        published: &Snapshot,
        draft: &Snapshot,
        at_most: usize,
    ) -> (Differences, Checked) {
        let snapshot = match self.version {
            Version::Published => published,
            Version::Draft => draft,
        };
        let mut comparison = Comparison::new(ledger, snapshot, at_most);
        let mut finished = false;
        while comparison.left > 0 {
            match comparison.step(std::mem::take(&mut self.place)) {
                Some(place) => self.place = place,
                None if self.version == Version::Published && !draft.is_version(published) => {
                    self.version = Version::Draft;
                    break;
                }
                None => {
                    self.version = Version::Published;
                    finished = true;
                    break;
                }
            }
        }
        let checked = Checked {
            examined: comparison.examined,
            finished,
            repaired: None,
        };
        (comparison.found, checked)
    }
}

/// All that differs, in both versions.
fn compare_all(ledger: &Ledger, published: &Snapshot, draft: &Snapshot) -> Differences {
    let mut found = Differences::default();
    let mut round = Round::default();
    loop {
        let (differences, checked) = round.go_on(ledger, published, draft, usize::MAX);
        found.add(&differences);
        if checked.finished {
            return found;
        }
    }
}

#[cfg(test)]
mod tests;
