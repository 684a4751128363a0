//! Standalone mode.

pub mod control;
pub mod diff;
pub mod engine;
pub mod file;
pub mod finding;
pub mod folder;
pub mod inbox;
pub mod object;
pub mod parse;
pub mod publish;
pub mod secret;
pub mod watch;
