//! The writer's half: what is known of all objects, and which tables a change touches.
//!
//! ```text
//! apply / delete -> intake -> Store (objects, links) + Changes
//! commit: Changes -> gateways, routes -> hostname tables -> ports -> RouteTable, swapped in
//! ```
//!
//! What a commit makes is a function of the objects alone, never of the order in which they came.

mod attachment;
mod cells;
mod changes;
mod claims;
mod commit;
mod compile;
mod exposure;
mod findings;
mod gateways;
mod intake;
mod links;
mod policies;
mod relist;
mod routes;
mod statuses;
mod store;
#[cfg(test)]
mod tests;
mod work;

use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

use latchkey_core::object::ObjectName;

use self::{
    changes::Changes, findings::Findings, gateways::Gateways, relist::Relists, routes::Routes, store::Store,
};
use crate::{
    object::{Kind, Manifest},
    table::{RouteTable, TableCell},
};

/// What the router is told at start.
#[derive(Clone, Debug)]
pub struct RouterConfig {
    /// Gateways of this class are ours.
    pub gateway_class: String,
    /// Whether a route without any policy answers 503 `no_policy` instead of being served.
    pub deny_unprotected: bool,
}

/// What is known, and the table made of it.
#[derive(Debug)]
pub struct Router {
    config: RouterConfig,
    store: Store,
    changes: Changes,
    gateways: Gateways,
    routes: Routes,
    findings: Findings,
    relists: Relists,
    /// Objects of which the last commit may have changed what a status says.
    statuses: BTreeSet<(Kind, ObjectName)>,
    /// The version that is committed, and becomes the next.
    table: RouteTable,
    cell: TableCell,
    /// Versions that readers may still hold: they are freed here, never by a reader.
    retired: VecDeque<Arc<RouteTable>>,
}

/// What one commit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Whether a new table was swapped in.
    pub changed: bool,
    /// Hostname tables compiled for it.
    pub hosts_compiled: usize,
    /// Endpoint sets written.
    pub endpoint_sets_written: usize,
    /// Old tables that readers still look at.
    pub retired: usize,
    /// What became wrong or right again with objects, once per change of it.
    pub findings: Vec<Finding>,
}

/// One condition of one object that changed: what a status would say, and what a log says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The object's kind.
    pub kind: Kind,
    /// The object.
    pub name: ObjectName,
    /// True: all is well again.
    pub resolved: bool,
    /// The condition's reason (Gateway API's where it has one): `UnsupportedValue`, `Conflicted`, ...
    pub reason: &'static str,
    /// What is wrong, the field's path where there is one, and the remedy.
    pub message: String,
}

impl Router {
    /// Knows nothing yet.
    pub fn new(config: RouterConfig) -> Self {
        let table = RouteTable {
            deny_unprotected: config.deny_unprotected,
            ..RouteTable::default()
        };
        Self {
            config,
            store: Store::default(),
            changes: Changes::default(),
            gateways: Gateways::default(),
            routes: Routes::default(),
            findings: Findings::default(),
            relists: Relists::default(),
            statuses: BTreeSet::new(),
            table,
            cell: TableCell::default(),
            retired: VecDeque::new(),
        }
    }

    /// Where readers find its tables.
    pub fn tables(&self) -> TableCell {
        self.cell.clone()
    }

    /// An object was added or changed. One that reads as it did before changes nothing.
    #[allow(clippy::needless_pass_by_value, reason = "a source hands over what it read")]
    pub fn apply(&mut self, kind: Kind, name: &ObjectName, manifest: Manifest) {
        self.relists.mark(kind, name);
        self.set(kind, name, Some(&manifest));
    }

    /// An object is gone.
    pub fn delete(&mut self, kind: Kind, name: &ObjectName) {
        self.set(kind, name, None);
    }
}
