//! From a thousand to a million by events alone: what a change costs while an index grows.

use std::time::Instant;

use crate::{
    change::{self, Change},
    part::Figures,
    stats::quartiles,
    town::Town,
};

/// Where a decade ends, and how its figures are called.
const DECADES: [(usize, &str); 3] = [(10_000, "10k"), (100_000, "100k"), (1_000_000, "1m")];

/// Adds one pair a commit, and sums up each decade.
pub(crate) fn measure(figures: &mut Figures) {
    let mut town = Town::of(1_000);
    let mut next = 1_000;
    let whole = Instant::now();
    for (end, name) in DECADES {
        let mut times = Vec::with_capacity(end - next);
        for number in next..end {
            let events = Change::Apply.events(number);
            let start = Instant::now();
            change::make(&mut town.index, events);
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        next = end;
        figures.set_quartiles(&format!("growth_apply_us_to_{name}"), quartiles(&times));
    }
    figures.set("growth_seconds_1k_to_1m", whole.elapsed().as_secs_f64());
}
