//! The rules that operator and gateway share, so that neither can disagree with the other.
//!
//! Pure: no client, no runtime, no clock (time is an argument), no I/O.
//!
//! ```text
//! Secret bytes -> publish::key_material -> digest -> publish::publish (status block, tag)
//! status block -> publish::accept (the gateway's half) -> digest
//! ```

/// The names of identity headers; the CRDs' rules need them too, so they live there.
pub use latchkey_crds::identity;

pub mod conditions;
pub mod decode;
pub mod digest;
pub mod object;
pub mod ownership;
pub mod pepper;
pub mod publish;
pub mod reason;
pub mod referrers;
mod tag;
pub mod tenancy;
pub mod time;
