//! Conditions of a Credential's status as functions of what is known, and their merging.
