//! The request path: server, authentication, pools, answers.
//!
//! ```text
//! listen -> worker: accept -> connection -> request -> routing table -> auth (snapshot)
//!                                              |-> respond (refused)
//!                                              `-> upstream: pick -> pool -> send -> bodies -> exchange ends
//! ```
//!
//! One thread a worker, with a runtime, a pool and counters of its own; it reads the route table and the
//! snapshot through one pointer each, and shares nothing that a request writes to. What is watched,
//! compiled or rendered is done by other threads: nothing here resolves, fetches or waits for them.

mod accept;
mod access_log;
mod auth;
mod body;
mod config;
mod connection;
mod deadline;
mod exchange;
mod framing;
mod freshness;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod headers;
mod host;
mod io;
mod leftover;
mod linger;
mod listen;
mod load;
mod path;
mod query;
mod random;
mod redirect;
mod request;
mod respond;
mod server;
mod stats;
mod timeouts;
mod upstream;
mod worker;

pub use access_log::{AccessLog, AccessLogMode, AccessLogWriter};
pub use config::{EjectionConfig, Limits, PoolConfig, ProxyConfig, Timeouts};
pub use freshness::Freshness;
pub use headers::forwarded::{Cidr, CidrError};
pub use listen::{BindError, BindReport, Bindings};
pub use server::{Shared, StatsReader, WorkerPanicked, Workers};
pub use stats::{Limit, Stats};
pub use upstream::stats::UpstreamCounts;
