//! Copy-on-write collections whose versions cost O(1): a hash map and a slot array.
//!
//! Cloning copies one pointer. A writer that owns the only version changes it in place; one that
//! shares it with readers copies the few pages on the path to what it changes, once per version.
//! Knows none of our kinds.
