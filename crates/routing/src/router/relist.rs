//! Complete lists from the source, by mark and sweep.
//!
//! ```text
//! begin (marks nothing yet) -> apply .. (each marks its object) -> end (what is not marked is gone)
//! ```
//!
//! A list may break and begin again without an end: its marks then count for nothing, so nothing is
//! removed and nothing is forgotten. Marks are kept only while a list runs.

use std::collections::{HashMap, HashSet};

use latchkey_core::object::ObjectName;

use super::{Router, store::Store};
use crate::object::Kind;

/// The lists that run, by kind and namespace (`None`: all of the kind).
#[derive(Debug, Default)]
pub(super) struct Relists(HashMap<(Kind, Option<String>), HashSet<ObjectName>>);

impl Relists {
    /// An object exists.
    pub(super) fn mark(&mut self, kind: Kind, name: &ObjectName) {
        for ((listed, namespace), named) in &mut self.0 {
            if *listed == kind && within(namespace.as_deref(), name) {
                named.insert(name.clone());
            }
        }
    }
}

impl Router {
    /// A complete list of a kind begins: of one namespace, or (`None`) of all there are. Its objects are
    /// told by [`Router::apply`], as are changes meanwhile. A second begin without an end starts afresh.
    pub fn relist_begin(&mut self, kind: Kind, namespace: Option<&str>) {
        let list = (kind, namespace.map(str::to_owned));
        self.relists.0.insert(list, HashSet::new());
    }

    /// The list was complete: what was not applied since its begin is gone. Gives back how many objects
    /// that were; none if no such list runs.
    pub fn relist_end(&mut self, kind: Kind, namespace: Option<&str>) -> usize {
        let list = (kind, namespace.map(str::to_owned));
        let Some(named) = self.relists.0.remove(&list) else {
            return 0;
        };
        let mut gone = self.store.names(kind);
        gone.retain(|name| within(namespace, name) && !named.contains(name));
        for name in &gone {
            self.delete(kind, name);
        }
        gone.len()
    }
}

fn within(namespace: Option<&str>, name: &ObjectName) -> bool {
    namespace.is_none_or(|namespace| namespace == name.namespace)
}

impl Store {
    /// All objects of a kind.
    pub(super) fn names(&self, kind: Kind) -> Vec<ObjectName> {
        match kind {
            Kind::Gateway => self.gateways.keys().cloned().collect(),
            Kind::HttpRoute => self.routes.keys().cloned().collect(),
            Kind::AuthPolicy => self.policies.keys().cloned().collect(),
            Kind::Service => self.services.keys().cloned().collect(),
            Kind::EndpointSlice => self.slices.keys().cloned().collect(),
            Kind::Namespace => self
                .namespaces
                .keys()
                .map(|name| ObjectName::new("", name.as_str()))
                .collect(),
            Kind::ReferenceGrant => self
                .grants
                .iter()
                .flat_map(|(namespace, grants)| {
                    let names = grants.keys();
                    names.map(|name| ObjectName::new(namespace.as_str(), name.as_str()))
                })
                .collect(),
        }
    }
}
