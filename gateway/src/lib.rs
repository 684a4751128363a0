//! The parts of the gateway's binary, as a library so that each can be tested.
//!
//! ```text
//! args -> run: standalone (folder -> index, router)     , proxy workers , metrics , admin , shutdown
//!             or cluster (API server -> index, router)
//! ```
//!
//! Owns the wiring and where objects come from. What objects mean, and every request, is decided in the
//! crates below.

pub mod args;
pub mod bindings;
pub mod cluster;
pub mod debug;
pub mod finding;
mod limits;
pub mod object;
pub mod run;
pub mod selfcheck;
pub mod standalone;
