//! Standalone mode: a folder of manifests in place of an API server.
//!
//! ```text
//! watch (inotify) -> inbox (when to look) -> folder (what changed) -> parse -> object
//!      `------------------------- control (one thread) -------------------------.
//! diff (one desired state) -> publish (Secrets -> digests) -> engine -> index and router
//! ```
//!
//! Only `control` waits and only `watch`, `folder` and `file` touch the file system; all others are pure.
//! What an object means is decided by the crates that operator and gateway share.

pub mod control;
pub mod diff;
pub mod engine;
pub mod file;
pub mod folder;
pub mod hold;
pub mod inbox;
pub mod object;
pub mod parse;
pub mod publish;
pub mod secret;
pub mod watch;
