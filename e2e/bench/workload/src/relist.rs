//! A complete list of a million pairs that changes nothing, and one that replaces everything.

use crate::{part::Figures, stats::median, town::Town};

const SIZE: usize = 1_000_000;

/// Lists in turn: the same again, then all others.
pub(crate) fn measure(rounds: usize, figures: &mut Figures) {
    let mut town = Town::of(SIZE);
    let mut start = 0;
    let [mut unchanged, mut replaced, mut end] = [(); 3].map(|()| Vec::new());
    for _ in 0..rounds {
        let (took, _) = town.list(start..start + SIZE);
        unchanged.push(took.as_secs_f64() * 1e3);
        start += SIZE;
        let (took, longest) = town.list(start..start + SIZE);
        replaced.push(took.as_secs_f64() * 1e3);
        end.push(longest.as_secs_f64() * 1e3);
    }
    figures.set("relist_ms_1m_unchanged", median(&unchanged));
    figures.set("relist_ms_1m_all_replaced", median(&replaced));
    figures.set("relist_longest_step_ms_1m_all_replaced", median(&end));
}
