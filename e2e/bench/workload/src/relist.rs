//! A complete list of a million pairs that changes nothing, and one that replaces everything.

use std::time::Duration;

use crate::{part::Figures, stats::median, town::Town};

const SIZE: usize = 1_000_000;

/// What lists of one sort took.
#[derive(Default)]
struct Lists {
    /// All of it, in milliseconds.
    whole: Vec<f64>,
    /// The longest that the index was away at once.
    step: Vec<f64>,
}

impl Lists {
    fn note(&mut self, (whole, step): (Duration, Duration)) {
        self.whole.push(whole.as_secs_f64() * 1e3);
        self.step.push(step.as_secs_f64() * 1e3);
    }

    fn tell(&self, name: &str, figures: &mut Figures) {
        figures.set(&format!("relist_ms_1m_{name}"), median(&self.whole));
        figures.set(&format!("relist_longest_step_ms_1m_{name}"), median(&self.step));
    }
}

/// Lists in turn: the same again, then all others.
pub(crate) fn measure(rounds: usize, figures: &mut Figures) {
    let mut town = Town::of(SIZE);
    let mut start = 0;
    let (mut unchanged, mut replaced) = (Lists::default(), Lists::default());
    for _ in 0..rounds {
        unchanged.note(town.list(start..start + SIZE));
        start += SIZE;
        replaced.note(town.list(start..start + SIZE));
    }
    unchanged.tell("unchanged", figures);
    replaced.tell("all_replaced", figures);
}
