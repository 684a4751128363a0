//! Gateway API read types, attachment, and the compilation of routes and policies.
//!
//! ```text
//! object -> read -> Router (what is known) -> compile what changed -> RouteTable <- request
//! ```
//!
//! Pure, and called by operator (status) and gateway (table) alike, so that both agree. Read types
//! are tolerant: an unknown filter or enum value makes its rule answer 500; it never fails a list.

mod attach;
pub mod endpoints;
pub mod filter;
mod host;
pub mod hostname;
mod matches;
pub mod object;
pub mod policy;
mod ports;
mod precedence;
pub mod read;
pub mod router;
pub mod status;
pub mod table;
