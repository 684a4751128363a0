//! Metric families, their exposition text, and the worker that renders it off every request thread.
//!
//! ```text
//! counters, cells -> sources -> encode -> worker (own thread) -> cache <- /metrics
//! ```
//!
//! Depends on what is counted, not on who counts: the binary hands in the sources it has.

pub mod cache;
pub mod encode;
pub mod families;
pub mod requests;
pub mod sizes;
pub mod upstreams;
pub mod watches;
pub mod worker;

use encode::Text;

/// Where samples come from. Families are rendered in the order of the sources.
pub trait Source: Send {
    /// Adds its families, each with all its samples.
    fn render(&mut self, text: &mut Text);
}

impl<F: FnMut(&mut Text) + Send> Source for F {
    fn render(&mut self, text: &mut Text) {
        self(text);
    }
}
