//! Copy-on-write collections whose versions cost O(1): hash tables and a slot array.
//!
//! Cloning copies one pointer. A writer that owns the only version changes it in place; one that
//! shares it with readers copies the few pages on the path to what it changes, once per version.
//! Knows none of our kinds, computes no hash: the caller gives 64 well-mixed bits per key.
//!
//! ```text
//! Map (key -> value) -> Table (values that know their own key) -> pages of <= 32 behind 64 x 64
//! Slots (u32 -> value) -> leaves of 16 behind as many levels of 64 as the highest index needs
//! ```

pub mod map;
pub mod slots;
pub mod table;

pub use map::Map;
pub use slots::Slots;
pub use table::Table;

use std::sync::Arc;

/// A node that this version alone holds, so that it may be changed in place: copied, and counted,
/// if another version holds it too.
fn own<'n, N: Clone>(node: &'n mut Arc<N>, written: &mut usize) -> &'n mut N {
    if Arc::strong_count(node) != 1 {
        *written += 1;
    }
    Arc::make_mut(node)
}
