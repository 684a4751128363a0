//! Which of several AuthPolicies holds for one target.

use std::sync::Arc;

use latchkey_core::object::ObjectName;

use super::Policy;
use crate::read::auth_policy::AuthPolicy;

/// What holds for one target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holding {
    /// A policy that names the target (or a listener that the Gateway does not have) cannot be
    /// honoured. It may have been meant to override, so nothing passes, whatever else holds.
    pub(crate) closed: bool,
    /// Must pass in addition.
    pub(crate) overriding: Option<Arc<Policy>>,
    /// Holds unless something more specific does.
    pub(crate) default: Option<Arc<Policy>>,
}

impl Holding {
    /// What holds, of all policies that name the target, the oldest first (then by name).
    pub(crate) fn of<'p>(claims: impl IntoIterator<Item = &'p AuthPolicy>) -> Self {
        let mut holding = Self::default();
        for policy in claims {
            let Ok(compiled) = &policy.body else {
                holding.closed = true;
                continue;
            };
            let place = if policy.overriding {
                &mut holding.overriding
            } else {
                &mut holding.default
            };
            place.get_or_insert_with(|| Arc::clone(compiled));
        }
        holding
    }

    /// The policy that holds where `policy` would like to.
    pub(crate) fn holder(&self, policy: &AuthPolicy) -> Option<&ObjectName> {
        let place = if policy.overriding {
            &self.overriding
        } else {
            &self.default
        };
        place.as_ref().map(|policy| &policy.name)
    }

    /// Whether any policy names the target.
    pub(crate) fn any(&self) -> bool {
        self.closed || self.overriding.is_some() || self.default.is_some()
    }
}

#[cfg(test)]
mod tests;
