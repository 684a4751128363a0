//! The ready endpoints of one Service port, behind a pointer of their own: a change of endpoints
//! writes one of these and no table.

use std::{net::SocketAddr, sync::Arc};

use arc_swap::{ArcSwap, Guard};

/// The present endpoints.
#[derive(Debug)]
pub struct EndpointCell(ArcSwap<Vec<SocketAddr>>);

impl EndpointCell {
    /// A cell with these endpoints.
    pub fn new(endpoints: Vec<SocketAddr>) -> Self {
        Self(ArcSwap::from_pointee(endpoints))
    }

    /// The present endpoints, in a stable order. Never hold the guard over an `.await`.
    pub fn load(&self) -> Guard<Arc<Vec<SocketAddr>>> {
        self.0.load()
    }

    /// Replaces them.
    pub fn store(&self, endpoints: Vec<SocketAddr>) {
        self.0.store(Arc::new(endpoints));
    }
}
