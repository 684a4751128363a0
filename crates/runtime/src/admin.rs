//! The admin server: `GET` and `HEAD` of a fixed set of paths, on a thread of its own.
