//! How to be a process in a pod: telemetry, admin server, readiness, shutdown. Knows none of our kinds.

pub mod admin;
pub mod readiness;
pub mod shutdown;
pub mod telemetry;
