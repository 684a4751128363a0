//! How to be a process in a pod: flags, telemetry, admin server, readiness, shutdown. Knows none of our kinds.
//!
//! ```text
//! signals -> shutdown -> Phase (watch) -> workers
//!               |
//!               v
//! guards -> readiness <- admin (/livez, /readyz, what the binary adds)
//! ```

pub mod admin;
pub mod api;
pub mod args;
pub mod backoff;
pub mod listen;
pub mod random;
pub mod readiness;
pub mod shutdown;
pub mod telemetry;
pub mod watch;
