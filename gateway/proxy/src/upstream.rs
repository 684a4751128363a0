//! The way to the upstream: which endpoint, over which connection, and what may be tried again.
//!
//! ```text
//! pick (table, health) -> pool: a waiting connection, or room to connect -> send -> head + Lease -> pool
//!                         ^ connected, or not <-------------'
//! ```
//!
//! Nothing here reads the request but its method: where to connect comes from the route table alone.

pub(crate) mod connect;
pub(crate) mod error;
pub(crate) mod health;
pub(crate) mod pick;
pub(crate) mod pool;
pub(crate) mod replay;
pub(crate) mod send;
pub(crate) mod stats;
pub(crate) mod tape;
