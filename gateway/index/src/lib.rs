//! What the writer owns: a ledger of what each object contributed, and the commit of snapshots.
//!
//! ```text
//! object -> fact -> Index (ledger) -> commit -> latchkey_snapshot::SnapshotCell
//! ```
//!
//! Synchronous and pure: no client, no runtime, no clock. One writer; readers never wait for it.
//! Every verb costs what it changes; only a list's end and a change of peppers look at everything.

mod commit;
mod conflict;
mod draft;
mod identity;
mod ledger;
pub mod object;
mod peppers;
mod relist;
mod selfcheck;

use std::sync::Arc;

use latchkey_core::{digest::Pepper, object::ObjectName};
use latchkey_snapshot::{Snapshot, SnapshotCell, SnapshotStats};

pub use commit::Commit;
pub use conflict::ConflictChange;
pub use ledger::LedgerStats;
pub use selfcheck::{Checked, Differences};

use commit::Publisher;
use conflict::Conflicts;
use draft::Draft;
use identity::Seed;
use ledger::Ledger;
use object::{Fact, Kind};
use relist::Relists;
use selfcheck::Round;

/// The writer's half of the index.
#[derive(Debug)]
pub struct Index {
    ledger: Ledger,
    relists: Relists,
    draft: Draft,
    conflicts: Conflicts,
    publisher: Publisher,
    round: Round,
    /// What the next commit will say.
    tally: Commit,
}

impl Index {
    /// An empty index. `seed` is a per-process random number that places digests in the map.
    pub fn new(seed: u64) -> Self {
        let snapshot = Snapshot::new(seed);
        let publisher = Publisher::new(Arc::new(snapshot.clone()));
        Self {
            ledger: Ledger::new(Seed(seed)),
            relists: Relists::default(),
            draft: Draft::new(snapshot),
            conflicts: Conflicts::default(),
            publisher,
            round: Round::default(),
            tally: Commit::default(),
        }
    }

    /// Where readers find its snapshots.
    pub fn snapshots(&self) -> SnapshotCell {
        self.publisher.cell().clone()
    }

    /// Replaces the active peppers. Every credential is looked at again.
    pub fn set_peppers(&mut self, peppers: Vec<Pepper>) {
        self.ledger.set_peppers(peppers, &mut self.draft);
    }

    /// An object was added or changed. "Nothing to index now" retracts what it put in before.
    pub fn apply(&mut self, fact: Fact) {
        self.take(fact);
    }

    /// Whether the fact was news.
    fn take(&mut self, fact: Fact) -> bool {
        let fact = if fact.fits() {
            fact
        } else {
            Fact::Undecodable(fact.kind(), fact.name().clone())
        };
        let epoch = self.relists.epoch();
        let changed = match fact {
            Fact::Consumer(facts) => {
                self.relists.clear_undecodable(Kind::Consumer, &facts.name);
                self.ledger.apply_consumer(&facts, epoch, &mut self.draft)
            }
            Fact::Credential(facts) => {
                self.relists.clear_undecodable(Kind::Credential, &facts.name);
                self.ledger.apply_credential(&facts, epoch, &mut self.draft)
            }
            Fact::Undecodable(kind, name) => {
                self.tally.undecodable += 1;
                let changed = self.ledger.retract(kind, &name, &mut self.draft);
                self.relists.note_undecodable(kind, name);
                changed
            }
        };
        self.count(changed);
        changed
    }

    /// An object is gone.
    pub fn delete(&mut self, kind: Kind, name: &ObjectName) {
        self.relists.clear_undecodable(kind, name);
        let changed = self.ledger.retract(kind, name, &mut self.draft);
        self.count(changed);
    }

    /// A complete list of a kind begins, of one namespace or of all. A second one without an end starts
    /// afresh.
    pub fn relist_begin(&mut self, kind: Kind, namespace: Option<&str>) {
        self.relists.begin(kind, namespace);
    }

    /// An object of a running list. Outside of one it is an apply.
    pub fn relist_apply(&mut self, fact: Fact) {
        // An apply marks its object in any case: a list and what is learnt beside it are one truth.
        let changed = self.take(fact);
        self.tally.corrected += usize::from(changed);
    }

    /// The list was complete: what it did not name is gone, in the next commit. Without a begin, nothing.
    ///
    /// Gives back the names of those gone that could not be read, which no snapshot ever held.
    pub fn relist_end(&mut self, kind: Kind, namespace: Option<&str>) -> Vec<ObjectName> {
        let Some(list) = self.relists.end(kind, namespace) else {
            return Vec::new();
        };
        for name in self.ledger.unseen(kind, list) {
            self.ledger.retract(kind, &name, &mut self.draft);
            self.tally.swept += 1;
            self.tally.corrected += 1;
        }
        self.relists.sweep_undecodable(kind, list)
    }

    /// Swaps in all that was applied since the last commit, and frees snapshots nobody reads any more.
    pub fn commit(&mut self) -> Commit {
        let touched = self.draft.take_touched();
        let (ledger, draft) = (&self.ledger, &self.draft);
        self.conflicts
            .settle(touched, |name| ledger.is_conflicted(name, draft));
        let mut done = std::mem::take(&mut self.tally);
        done.refused_blocks = self.ledger.take_refused_blocks();
        if let Some((next, written)) = self.draft.seal() {
            done.changed = true;
            done.pages_written = written;
            self.publisher.publish(next);
        }
        done.retired = self.publisher.free_retired();
        done
    }

    /// Which Credentials became or ceased to be `Conflicted` by the last commit.
    pub fn conflict_changes(&self) -> &[ConflictChange] {
        self.conflicts.changes()
    }

    /// How much the committed snapshot holds.
    pub fn stats(&self) -> SnapshotStats {
        self.publisher.cell().load().stats()
    }

    /// How much the ledger holds, including what is not committed.
    pub fn ledger_stats(&self) -> LedgerStats {
        LedgerStats {
            undecodable: self.undecodable(Kind::Consumer) + self.undecodable(Kind::Credential),
            conflicted: self.conflicts.len(),
            ..self.ledger.stats()
        }
    }

    /// How many objects of a kind exist and cannot be read.
    pub fn undecodable(&self, kind: Kind) -> usize {
        self.relists.undecodable(kind)
    }

    fn count(&mut self, changed: bool) {
        self.tally.events += 1;
        self.tally.unchanged += usize::from(!changed);
    }
}
