//! Which Credentials hold a key that another one of their namespace owns, told as it changes.

use std::collections::BTreeSet;

use latchkey_core::object::ObjectName;

/// A Credential became or ceased to be `Conflicted`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictChange {
    /// Which Credential.
    pub credential: ObjectName,
    /// Whether another one owns its key now. `false` also where it is gone.
    pub conflicted: bool,
}

/// All that are conflicted, and what the last commit changed about it.
#[derive(Debug, Default)]
pub(crate) struct Conflicts {
    conflicted: BTreeSet<ObjectName>,
    changes: Vec<ConflictChange>,
}

impl Conflicts {
    pub(crate) fn len(&self) -> usize {
        self.conflicted.len()
    }

    pub(crate) fn conflicted(&self) -> impl Iterator<Item = &ObjectName> {
        self.conflicted.iter()
    }

    pub(crate) fn changes(&self) -> &[ConflictChange] {
        &self.changes
    }

    /// Looks again at those that may have changed.
    pub(crate) fn settle(&mut self, touched: Vec<ObjectName>, is_conflicted: impl Fn(&ObjectName) -> bool) {
        self.changes.clear();
        for credential in touched {
            let conflicted = is_conflicted(&credential);
            let news = if conflicted {
                self.conflicted.insert(credential.clone())
            } else {
                self.conflicted.remove(&credential)
            };
            if news {
                self.changes.push(ConflictChange {
                    credential,
                    conflicted,
                });
            }
        }
    }
}
