//! Complete lists, by epoch mark and sweep.
//!
//! ```text
//! begin (a new epoch) -> apply .. (each marks its object) -> end (what bears an older mark is gone)
//! ```
//!
//! A list speaks of a scope: all objects of a kind, or those of one namespace. All lists take their
//! epochs from one counter, and each apply marks with the newest, so that lists of several scopes may
//! run at a time. A list may break and begin again without an end: what it marked counts for nothing
//! then, so nothing is removed and nothing is forgotten. Also holds the objects that cannot be read:
//! they put nothing in, but lists name them.

use std::collections::BTreeMap;

use latchkey_core::object::ObjectName;

use crate::object::Kind;

/// The lists of both kinds.
#[derive(Debug, Default)]
pub(crate) struct Relists {
    epoch: u32,
    consumers: Relist,
    credentials: Relist,
}

/// The lists of one kind.
#[derive(Debug, Default)]
struct Relist {
    /// The epochs of the lists that run, by what they speak of: one namespace, or all.
    running: BTreeMap<Option<String>, u32>,
    /// By the epoch that last named them.
    undecodable: BTreeMap<ObjectName, u32>,
}

/// A list that was complete.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Complete<'n> {
    namespace: Option<&'n str>,
    epoch: u32,
}

impl Relists {
    /// The mark of what is applied now.
    pub(crate) fn epoch(&self) -> u32 {
        self.epoch
    }

    pub(crate) fn begin(&mut self, kind: Kind, namespace: Option<&str>) {
        self.epoch = self.epoch.wrapping_add(1);
        let epoch = self.epoch;
        self.of(kind).running.insert(namespace.map(str::to_owned), epoch);
    }

    /// The list was complete. Without a begin there was none.
    pub(crate) fn end<'n>(&mut self, kind: Kind, namespace: Option<&'n str>) -> Option<Complete<'n>> {
        let epoch = self.of(kind).running.remove(&namespace.map(str::to_owned))?;
        Some(Complete { namespace, epoch })
    }

    /// Forgets the objects that cannot be read and that a complete list did not name.
    pub(crate) fn sweep_undecodable(&mut self, kind: Kind, list: Complete<'_>) -> Vec<ObjectName> {
        let undecodable = &mut self.of(kind).undecodable;
        let gone = undecodable.extract_if(.., |name, mark| list.proves_absence(|| &name.namespace, *mark));
        gone.map(|(name, _)| name).collect()
    }

    /// An object cannot be read.
    pub(crate) fn note_undecodable(&mut self, kind: Kind, name: ObjectName) {
        let epoch = self.epoch;
        self.of(kind).undecodable.insert(name, epoch);
    }

    /// An object can be read, or is gone.
    pub(crate) fn clear_undecodable(&mut self, kind: Kind, name: &ObjectName) {
        self.of(kind).undecodable.remove(name);
    }

    pub(crate) fn undecodable(&self, kind: Kind) -> usize {
        match kind {
            Kind::Consumer => self.consumers.undecodable.len(),
            Kind::Credential => self.credentials.undecodable.len(),
        }
    }

    fn of(&mut self, kind: Kind) -> &mut Relist {
        match kind {
            Kind::Consumer => &mut self.consumers,
            Kind::Credential => &mut self.credentials,
        }
    }
}

impl Complete<'_> {
    /// Whether an object of this namespace that bears this mark was not named, though the list would
    /// have named it.
    ///
    /// The mark is compared first: a list's end looks at all objects, and reading the namespace of each
    /// would fetch each from memory.
    pub(crate) fn proves_absence<'o>(&self, namespace: impl FnOnce() -> &'o str, mark: u32) -> bool {
        is_older(mark, self.epoch) && self.namespace.is_none_or(|listed| listed == namespace())
    }
}

/// Marks are renewed by every list, so that none is ever half of all epochs old, and the counter may
/// come round.
fn is_older(mark: u32, epoch: u32) -> bool {
    (1..=u32::MAX / 2).contains(&epoch.wrapping_sub(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_compared_across_the_end_of_the_counter() {
        for (mark, epoch, older) in [
            (1, 1, false),
            (1, 2, true),
            (2, 1, false),
            (u32::MAX, 0, true),
            (0, u32::MAX, false),
            (u32::MAX - 5, 5, true),
        ] {
            assert_eq!(is_older(mark, epoch), older, "{mark} {epoch}");
        }
    }
}
