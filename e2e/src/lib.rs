//! The harness of the end-to-end tests: real binaries as processes, manifests as files, raw sockets
//! as clients and upstreams.
//!
//! ```text
//! Folder (manifests) -> Gateway (process) <- Connection (raw client)
//!                          |-> Echo (process) or Upstream (scripted raw socket)
//! ```
//!
//! It uses threads and blocking sockets only: requests that are wrong on purpose need every byte
//! under control. A failure inside the harness is a failed test, so it panics with what it saw
//! instead of returning errors that every test would unwrap.

pub mod address;
pub mod binaries;
pub mod client;
pub mod cluster;
pub mod daemon;
pub mod during;
pub mod echo;
pub mod folder;
pub mod gateway;
pub mod keys;
pub mod logs;
pub mod manifest;
pub mod metrics;
pub mod poll;
pub mod process;
pub mod scene;
pub mod steady;
pub mod upstream;
pub mod wait;
mod yaml;
