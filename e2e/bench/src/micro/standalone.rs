//! The figures of standalone gateways: medians, quartiles, and ratios of pairs with their intervals.

use std::{io, path::Path};

use latchkey_workload::{
    catalogue::Figures,
    stats::{interval, median, quartiles},
};

use super::change::{self, Pair, Sample};
use crate::progress;

/// How the figures of the two sizes are called.
const NAMES: [&str; 2] = ["1k", "50k"];

/// Changes both gateways in turn.
pub(crate) fn measure(gateway: &Path, pairs: u32) -> io::Result<Figures> {
    progress("changing files of standalone gateways with 1,000 and 50,000 consumers")?;
    Ok(sum_up(&change::measure(gateway, pairs)?))
}

fn sum_up(pairs: &[Pair]) -> Figures {
    let latency = |sample: &Sample| sample.latency.as_secs_f64() * 1e6;
    let cpu = |sample: &Sample| sample.cpu.as_secs_f64() * 1e6;
    let mut figures = of("standalone_change_us", pairs, latency);
    figures.extend(of("standalone_change_cpu_us", pairs, cpu));
    figures
}

fn of(name: &str, pairs: &[Pair], value: impl Fn(&Sample) -> f64) -> Figures {
    let mut figures = Figures::new();
    for (size, suffix) in NAMES.iter().enumerate() {
        let values: Vec<_> = pairs.iter().map(|pair| value(&pair[size])).collect();
        let [low, middle, high] = quartiles(&values);
        figures.insert(format!("{name}_{suffix}"), middle);
        figures.insert(format!("{name}_{suffix}_q1"), low);
        figures.insert(format!("{name}_{suffix}_q3"), high);
    }
    let ratios: Vec<_> = pairs.iter().map(|[few, many]| value(many) / value(few)).collect();
    let (low, high) = interval(&ratios, 0.5);
    figures.insert(format!("{name}_ratio"), median(&ratios));
    figures.insert(format!("{name}_ratio_low"), low);
    figures.insert(format!("{name}_ratio_high"), high);
    figures
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use latchkey_workload::catalogue;

    use super::*;

    #[test]
    fn a_pair_gives_its_ratio_and_every_figure_has_its_meaning() {
        let sample = |micros| Sample {
            latency: Duration::from_micros(micros),
            cpu: Duration::from_micros(2 * micros),
        };
        let figures = sum_up(&vec![[sample(100), sample(150)]; 40]);
        let close = |name: &str, value: f64| (figures[name] - value).abs() < 1e-9;
        assert!(close("standalone_change_us_ratio", 1.5) && close("standalone_change_us_ratio_high", 1.5));
        assert!(close("standalone_change_cpu_us_50k", 300.0));
        assert!(figures.keys().all(|name| catalogue::knows(name)), "{figures:?}");
    }
}
