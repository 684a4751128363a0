//! What a test was doing when it failed, where one test does many things.

use std::thread;

/// Says it if the test fails while this lives.
#[derive(Debug)]
pub struct During(String);

impl During {
    /// From now on this is done.
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl Drop for During {
    #[allow(
        clippy::print_stderr,
        reason = "the test runner keeps it for who reads a failure"
    )]
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("it failed during: {}", self.0);
        }
    }
}
