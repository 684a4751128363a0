//! What a change waits for while the self-check goes round a million pairs.
//!
//! The writer does one slice, then whatever came meanwhile. A change comes at any moment of a slice, so
//! that it waits for the rest of it, and then for itself.

use std::time::{Duration, Instant};

use crate::{
    change::{self, Change},
    part::Figures,
    random::Draw,
    stats::{median, quantile},
    town::Town,
};

const SIZE: usize = 1_000_000;
/// What a slice may take.
const SLICE: Duration = Duration::from_millis(1);
/// At least so many changes are made; a round may need more slices.
const CHANGES: usize = 2_000;
/// Moments of a slice at which a change may come.
const MOMENTS: usize = 1_000;

/// One slice and one change in turn, until a round is over.
pub(crate) fn measure(figures: &mut Figures) {
    let mut town = Town::of(SIZE);
    let mut draw = Draw::new(4);
    let mut size = SliceSize::default();
    let [mut slices, mut changes] = [(); 2].map(|()| Vec::new());
    let (mut finished, mut examined) = (false, 0);
    while !finished || changes.len() < CHANGES {
        let start = Instant::now();
        let checked = town.index.check(size.at_most);
        let slice = start.elapsed();
        size.learn(slice);
        if !finished {
            slices.push(slice.as_secs_f64() * 1e6);
            examined += checked.examined;
            finished = checked.finished;
        }
        let rest = slice.as_secs_f64() * draw.below(MOMENTS) as f64 / MOMENTS as f64;
        let events = Change::Apply.events(SIZE + changes.len());
        let start = Instant::now();
        change::make(&mut town.index, events);
        changes.push((rest + start.elapsed().as_secs_f64()) * 1e6);
    }
    figures.set("apply_us_during_selfcheck_1m", median(&changes));
    figures.set("apply_us_p99_during_selfcheck_1m", quantile(&changes, 0.99));
    figures.set("selfcheck_slice_us_1m", median(&slices));
    figures.set("selfcheck_slice_us_p99_1m", quantile(&slices, 0.99));
    figures.set("selfcheck_round_ms_1m", slices.iter().sum::<f64>() / 1e3);
    figures.set("selfcheck_examined_1m", examined as f64);
}

/// How much a slice looks at, so that it takes about half of what it may.
struct SliceSize {
    at_most: usize,
}

impl Default for SliceSize {
    fn default() -> Self {
        Self { at_most: 64 }
    }
}

impl SliceSize {
    fn learn(&mut self, took: Duration) {
        if took > SLICE {
            self.at_most = (self.at_most / 2).max(1);
        } else if took < SLICE / 2 {
            self.at_most += self.at_most / 8 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_grows_while_it_is_short_and_shrinks_when_it_is_long() {
        let mut size = SliceSize::default();
        size.learn(SLICE / 4);
        assert_eq!(size.at_most, 73);
        size.learn(SLICE / 4 * 3);
        assert_eq!(size.at_most, 73);
        size.learn(SLICE * 2);
        assert_eq!(size.at_most, 36);
    }
}
