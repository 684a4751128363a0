//! What a request reads: one immutable version of credentials, consumers and peppers.
//!
//! ```text
//! key -> SHA-256 -> HMAC per active pepper -> map: entries under the digest -> consumer slot
//! ```
//!
//! Nothing here changes a snapshot that a reader holds; `latchkey-index` builds the next one.

pub mod audit;
pub mod consumer;
pub mod counters;
mod edit;
pub mod entry;
pub mod lookup;
mod standing;
mod text;
pub mod version;

pub use consumer::{Consumer, ConsumerParts};
pub use entry::{Entry, EntryParts};
pub use lookup::Identity;
pub use version::{Snapshot, SnapshotCell, SnapshotStats};
