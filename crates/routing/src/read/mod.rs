//! Thin, tolerant read types: of each kind only what can change an answer, one kind a file.
//!
//! ```text
//! JSON value -> fields -> read type, with what is unsupported in it (by path), or
//!                         what can still be read of it and where reading stopped
//! ```
//!
//! Nothing here fails a list: an object that cannot be read is a value of its read type too.

pub mod auth_policy;
pub mod backend_ref;
mod duration;
pub mod endpoint_slice;
mod fields;
pub mod filter;
pub mod gateway;
pub mod http_match;
pub mod http_route;
pub mod metadata;
pub mod namespace;
pub mod parent_ref;
mod problem;
pub mod reference_grant;
pub mod selector;
pub mod service;
mod timeouts;

pub use fields::Misfit;
pub use problem::{Problem, Reason};

/// The API group of Gateway, HTTPRoute and ReferenceGrant.
pub const GATEWAY_GROUP: &str = "gateway.networking.k8s.io";
