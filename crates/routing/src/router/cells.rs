//! The endpoint cells that compiled rules hold, by Service and port, and how many hold each.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::Arc,
};

use latchkey_core::object::ObjectName;

use crate::endpoints::EndpointCell;

/// A Service's port, as a route refers to it.
pub(super) type ServicePort = (ObjectName, u16);

/// All cells in use.
#[derive(Debug, Default)]
pub(super) struct Cells(HashMap<ObjectName, BTreeMap<u16, Held>>);

#[derive(Debug)]
struct Held {
    cell: Arc<EndpointCell>,
    holders: usize,
}

impl Cells {
    /// The cell of a Service's port, held once more.
    pub(super) fn acquire(
        &mut self,
        (service, port): &ServicePort,
        endpoints: impl FnOnce() -> Vec<SocketAddr>,
    ) -> Arc<EndpointCell> {
        let ports = self.0.entry(service.clone()).or_default();
        let held = ports.entry(*port).or_insert_with(|| Held {
            cell: Arc::new(EndpointCell::new(endpoints())),
            holders: 0,
        });
        held.holders += 1;
        Arc::clone(&held.cell)
    }

    /// Gives back what was acquired once.
    pub(super) fn release(&mut self, (service, port): &ServicePort) {
        let Some(ports) = self.0.get_mut(service) else {
            return;
        };
        if let Some(held) = ports.get_mut(port) {
            held.holders -= 1;
            if held.holders == 0 {
                ports.remove(port);
            }
        }
        if ports.is_empty() {
            self.0.remove(service);
        }
    }

    /// Writes a Service's cells that differ from what its endpoints are now, and counts them.
    pub(super) fn refresh(&self, service: &ObjectName, endpoints: impl Fn(u16) -> Vec<SocketAddr>) -> usize {
        let mut written = 0;
        for (port, held) in self.0.get(service).into_iter().flatten() {
            let now = endpoints(*port);
            if **held.cell.load() != now {
                held.cell.store(now);
                written += 1;
            }
        }
        written
    }
}
