//! What is wrong with each object, so that each change of it is told once.

use std::collections::{BTreeSet, HashMap};

use latchkey_core::object::ObjectName;

use super::Finding;
use crate::{object::Kind, read::Problem};

/// What is wrong now, and what changed since it was last asked.
#[derive(Debug, Default)]
pub(super) struct Findings {
    held: HashMap<(Kind, ObjectName), BTreeSet<Problem>>,
    changed: Vec<Finding>,
}

impl Findings {
    /// All that is wrong with an object.
    pub(super) fn set(&mut self, kind: Kind, name: &ObjectName, problems: impl IntoIterator<Item = Problem>) {
        let problems: BTreeSet<_> = problems.into_iter().collect();
        let key = (kind, name.clone());
        let before = self.held.remove(&key).unwrap_or_default();
        let finding = |problem: &Problem, resolved| Finding {
            kind,
            name: name.clone(),
            resolved,
            reason: problem.reason.as_str(),
            message: problem.text(),
        };
        let gone = before.difference(&problems).map(|p| finding(p, true));
        let new = problems.difference(&before).map(|p| finding(p, false));
        self.changed.extend(gone.chain(new));
        if !problems.is_empty() {
            self.held.insert(key, problems);
        }
    }

    /// What changed, and nothing twice.
    pub(super) fn take(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.changed)
    }
}
