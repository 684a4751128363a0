//! The writer's half: what is known of all objects, and which tables a change touches.

use latchkey_core::object::ObjectName;

use crate::{
    object::{Kind, Manifest},
    table::TableCell,
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
pub struct Router {}

/// What one commit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commit {
    /// Whether a new table was swapped in.
    pub changed: bool,
    /// Hostname tables compiled for it.
    pub hosts_compiled: usize,
    /// Endpoint sets written.
    pub endpoint_sets_written: usize,
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
        let _ = config;
        unimplemented!()
    }
    /// Where readers find its tables.
    pub fn tables(&self) -> TableCell {
        unimplemented!()
    }
    /// An object was added or changed.
    pub fn apply(&mut self, kind: Kind, name: &ObjectName, manifest: Manifest) {
        let _ = (kind, name, manifest);
        unimplemented!()
    }
    /// An object is gone.
    pub fn delete(&mut self, kind: Kind, name: &ObjectName) {
        let _ = (kind, name);
        unimplemented!()
    }
    /// Compiles what the changes since the last commit touch, and swaps it in as one version.
    pub fn commit(&mut self) -> Commit {
        unimplemented!()
    }
}
