//! What a cluster with many holders costs: a load, cold starts, changes.

use std::io::{self, Write};

use latchkey_workload::{
    stats::{interval, median},
    verdict::Verdict,
};
use serde_json::{Value, json};

use super::{of_propagation, print_propagation, round};
use crate::cluster::scale::Scale;

/// What a cold start may cost of bare lists of the same objects.
const MOST: f64 = 1.5;

/// Medians of the starts, and of their ratios with a 95 % interval.
struct ColdStarts {
    bare: f64,
    gateway: f64,
    ratio: f64,
    interval: (f64, f64),
}

impl ColdStarts {
    fn of(starts: &[[f64; 2]]) -> Self {
        let all = |value: fn(&[f64; 2]) -> f64| starts.iter().map(value).collect::<Vec<_>>();
        let ratios = all(|[bare, gateway]| gateway / bare);
        Self {
            bare: median(&all(|[bare, _]| *bare)),
            gateway: median(&all(|[_, gateway]| *gateway)),
            ratio: median(&ratios),
            interval: interval(&ratios, 0.5),
        }
    }

    fn verdict(&self) -> Verdict {
        Verdict::of(self.interval, MOST)
    }
}

pub(super) fn json(scale: &Scale) -> Value {
    let starts = ColdStarts::of(&scale.starts);
    json!({
        "holders": scale.holders,
        "load_seconds": round(scale.loaded.took.as_secs_f64()),
        "load_objects": scale.loaded.changed,
        "load_too_many": scale.loaded.too_many,
        "operator_settled_seconds": round(scale.settled.as_secs_f64()),
        "cold_starts": scale.starts.len(),
        "cold_start_seconds": round(starts.gateway),
        "bare_lists_seconds": round(starts.bare),
        "cold_start_ratio": round(starts.ratio),
        "cold_start_ratio_low": round(starts.interval.0),
        "cold_start_ratio_high": round(starts.interval.1),
        "must_cold_start_ratio": {"most": MOST, "verdict": starts.verdict().as_str()},
        "propagation": of_propagation(&scale.propagation),
    })
}

pub(super) fn print(out: &mut impl Write, scale: &Scale) -> io::Result<()> {
    let starts = ColdStarts::of(&scale.starts);
    let (low, high) = starts.interval;
    writeln!(
        out,
        "\namong {} Consumers, each with a Credential\nload: {}\noperator: {:.1} s until it had looked at all\n\
         gateway from nothing to ready: {:.2} s; bare paged lists of both kinds: {:.2} s; ratio {:.2} ({low:.2}-{high:.2}), \
         must be <= {MOST}: {} ({} pairs)",
        scale.holders,
        scale.loaded,
        scale.settled.as_secs_f64(),
        starts.gateway,
        starts.bare,
        starts.ratio,
        starts.verdict().as_str(),
        scale.starts.len(),
    )?;
    print_propagation(out, &scale.propagation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cold_start_is_judged_by_its_ratio_to_bare_lists() {
        let of = |ratio: f64| ColdStarts::of(&[[2.0, 2.0 * ratio]; 9]);
        assert_eq!(of(1.2).verdict(), Verdict::Holds);
        assert_eq!(of(1.7).verdict(), Verdict::Fails);
        assert!((of(1.2).gateway - 2.4).abs() < 1e-9);
    }
}
