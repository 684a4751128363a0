//! What micro benches measure: work on the pure crates, without a client, a server or a cluster.
//!
//! ```text
//! town (an index, filled)   \
//! routes (a router, filled) -+-> a part: does work, measures it -> figures (name, number) -> JSON
//! ```
//!
//! Two programs are made of it: `latchkey-workload` has the allocator of the gateway,
//! `latchkey-workload-counted` one that counts bytes. `latchkey-bench micro` runs both, natively and
//! under callgrind, and `catalogue` says of every figure what it means.

pub mod catalogue;
mod change;
mod growth;
mod instructions;
mod memory;
mod part;
mod random;
mod relist;
mod routes;
mod selfcheck;
mod stall;
pub mod stats;
mod timings;
mod town;
pub mod verdict;

pub use memory::Counter;
pub use part::{Args, run};
