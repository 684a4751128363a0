//! The process's own log.
