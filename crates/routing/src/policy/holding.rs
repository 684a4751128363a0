//! Which of several AuthPolicies holds for one target.

use std::sync::Arc;

use latchkey_core::object::ObjectName;

use super::Policy;
use crate::read::auth_policy::AuthPolicy;

/// What holds for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holding {
    /// A policy that names the target cannot be honoured. It may have been meant to override, so
    /// nothing passes, whatever else holds.
    pub(crate) closed: bool,
    /// Must pass in addition.
    pub(crate) overriding: Option<Arc<Policy>>,
    /// Holds unless something more specific does.
    pub(crate) default: Option<Arc<Policy>>,
    /// Policies that do not hold, each with the older one that does.
    pub(crate) conflicts: Vec<(ObjectName, ObjectName)>,
}

impl Holding {
    /// What holds, of all policies that name the target, the oldest first (then by name).
    pub(crate) fn of<'p>(claims: impl IntoIterator<Item = (&'p ObjectName, &'p AuthPolicy)>) -> Self {
        let mut holding = Self::default();
        for (name, policy) in claims {
            let Ok(compiled) = &policy.body else {
                holding.closed = true;
                continue;
            };
            let place = if policy.overriding {
                &mut holding.overriding
            } else {
                &mut holding.default
            };
            match place {
                None => *place = Some(Arc::clone(compiled)),
                Some(older) => holding.conflicts.push((name.clone(), older.name.clone())),
            }
        }
        holding
    }

    /// Whether any policy names the target.
    pub(crate) fn any(&self) -> bool {
        self.closed || self.overriding.is_some() || self.default.is_some()
    }
}

#[cfg(test)]
mod tests;
