//! Cluster mode: the API server's objects, watched.
//!
//! ```text
//! informer (one thread)                                    control (one thread)
//!   kinds: which collections                                 writer: event -> fact -> index, router
//!   Session::watch, a task each -- bounded queue, Event -->          `-> progress -> /readyz
//!      `-> shaping: in an order that is safe -^                        `-> stats -> /metrics, /debug/index
//!   Session::contact
//! ```
//!
//! Only `informer` and `shaping` talk to the API server and only `control` waits for it; all others are pure. What an
//! object means is decided by the crates that operator and gateway share.

pub mod control;
pub mod fact;
pub mod informer;
pub mod kinds;
mod peppers;
mod progress;
mod shaping;
pub mod stats;
pub mod writer;
