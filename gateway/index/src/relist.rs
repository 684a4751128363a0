//! Complete lists, by epoch mark and sweep.
//!
//! ```text
//! begin (a new epoch) -> apply .. (each marks its object) -> end (what is not marked is gone)
//! ```
//!
//! A list may break and begin again without an end: its marks then count for nothing, so nothing is
//! removed and nothing is forgotten. Also holds the objects that cannot be read: they put nothing
//! in, but lists name them.

use std::collections::BTreeMap;

use latchkey_core::object::ObjectName;

use crate::object::Kind;

/// The lists of both kinds.
#[derive(Debug, Default)]
pub(crate) struct Relists {
    consumers: Relist,
    credentials: Relist,
}

/// The list of one kind.
#[derive(Debug, Default)]
pub(crate) struct Relist {
    epoch: u32,
    /// By the epoch that last named them.
    undecodable: BTreeMap<ObjectName, u32>,
}

impl Relists {
    pub(crate) fn of(&mut self, kind: Kind) -> &mut Relist {
        match kind {
            Kind::Consumer => &mut self.consumers,
            Kind::Credential => &mut self.credentials,
        }
    }

    pub(crate) fn undecodable(&self) -> usize {
        self.consumers.undecodable.len() + self.credentials.undecodable.len()
    }
}

impl Relist {
    /// The mark of what is applied now.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    pub(crate) fn begin(&mut self) {
        self.epoch = self.epoch.wrapping_add(1);
    }

    /// The list was complete: what does not bear the mark that this returns is gone. Without a begin
    /// there is nothing of that sort: all that was left by the last list, or came since, bears it.
    pub(crate) fn end(&mut self) -> u32 {
        let epoch = self.epoch;
        self.undecodable.retain(|_, named| *named == epoch);
        epoch
    }

    /// An object cannot be read.
    pub(crate) fn note_undecodable(&mut self, name: ObjectName) {
        self.undecodable.insert(name, self.epoch);
    }

    /// An object can be read, or is gone.
    pub(crate) fn clear_undecodable(&mut self, name: &ObjectName) {
        self.undecodable.remove(name);
    }
}
