//! The workers' connections to upstreams, which come as a function that gives plain numbers.

use crate::{
    Source,
    encode::Text,
    families::{
        UPSTREAM_CONNECT_FAILURES, UPSTREAM_CONNECTIONS, UPSTREAM_CONNECTIONS_OPEN, UPSTREAM_EJECTIONS,
        UPSTREAM_ENDPOINTS_OUT, UPSTREAM_REFUSALS, UPSTREAM_RETRIES, UPSTREAM_WAITING, UPSTREAM_WAITS,
    },
};

/// What the workers' connections to upstreams did.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpstreamCounts {
    /// Connections that are open.
    pub open: u64,
    /// Connections since start.
    pub connections: u64,
    /// Attempts to connect that failed.
    pub connect_failures: u64,
    /// Requests sent once more.
    pub retries: u64,
    /// Requests that wait for a connection.
    pub waiting: u64,
    /// Requests that waited for one.
    pub waits: u64,
    /// Requests that were refused instead.
    pub refusals: u64,
    /// Times that an endpoint was left out.
    pub ejections: u64,
    /// Endpoints that are left out.
    pub out: u64,
}

/// The workers' connections to upstreams.
pub fn upstreams(counts: impl Fn() -> UpstreamCounts + Send) -> impl Source {
    move |text: &mut Text| {
        let counts = counts();
        text.single(&UPSTREAM_CONNECTIONS_OPEN, counts.open);
        text.single(&UPSTREAM_CONNECTIONS, counts.connections);
        text.single(&UPSTREAM_CONNECT_FAILURES, counts.connect_failures);
        text.single(&UPSTREAM_RETRIES, counts.retries);
        text.single(&UPSTREAM_WAITING, counts.waiting);
        text.single(&UPSTREAM_WAITS, counts.waits);
        text.single(&UPSTREAM_REFUSALS, counts.refusals);
        text.single(&UPSTREAM_EJECTIONS, counts.ejections);
        text.single(&UPSTREAM_ENDPOINTS_OUT, counts.out);
    }
}
