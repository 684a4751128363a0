//! What was touched since the last commit.

use std::collections::{BTreeMap, BTreeSet};

use latchkey_core::object::ObjectName;

use crate::read::auth_policy::Target;

/// What the next commit has to look at.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Gateways that changed, came or went.
    pub(super) gateways: BTreeSet<ObjectName>,
    /// Routes, and what may be different for them.
    pub(super) routes: BTreeMap<ObjectName, Touch>,
    /// Services of which ports or endpoints changed.
    pub(super) services: BTreeSet<ObjectName>,
    /// Policies of which something may be wrong or right again.
    pub(super) policies: BTreeSet<ObjectName>,
    /// Targets of which other policies may hold.
    pub(super) targets: BTreeSet<Target>,
    /// Which namespaces are closed.
    pub(super) closures: bool,
}

/// What may be different for a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touch {
    /// Where it is attached.
    Attachment,
    /// That, and what its rules do.
    Rules,
}

impl Changes {
    /// Touches a route.
    pub(super) fn route(&mut self, name: &ObjectName, touch: Touch) {
        let held = self.routes.entry(name.clone()).or_insert(touch);
        *held = touch.max(*held);
    }

    /// Touches routes.
    pub(super) fn routes<'n>(&mut self, names: impl IntoIterator<Item = &'n ObjectName>, touch: Touch) {
        for name in names {
            self.route(name, touch);
        }
    }
}
