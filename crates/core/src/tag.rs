//! What makes a published block one that only a holder of the pepper can have written.
