//! The figures: a table for people, JSON for scripts, and a verdict on what must hold.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use serde_json::{Value, json};

use super::change::{Pair, SIZES, Sample};
use crate::{
    stats::{interval, median, quantile},
    verdict::Verdict,
};

/// What a change among many may cost of one among few.
const MOST: f64 = 2.0;

/// One quantity over both sizes.
struct Figure {
    /// Its name in the JSON, before the size.
    name: &'static str,
    /// The median and the quartiles of each size, in microseconds.
    sizes: [[f64; 3]; 2],
    /// The median of the pairs' ratios, and its 95 % interval.
    ratio: f64,
    interval: (f64, f64),
}

/// All that was measured.
pub(crate) struct Report {
    pairs: usize,
    figures: [Figure; 2],
}

impl Report {
    /// Sums up the pairs.
    pub(crate) fn of(pairs: &[Pair]) -> Self {
        let latency = |sample: &Sample| sample.latency.as_secs_f64() * 1e6;
        let cpu = |sample: &Sample| sample.cpu.as_secs_f64() * 1e6;
        Self {
            pairs: pairs.len(),
            figures: [
                Figure::of("standalone_change_us", pairs, latency),
                Figure::of("standalone_change_cpu_us", pairs, cpu),
            ],
        }
    }

    /// Whether something that must hold is known not to.
    pub(crate) fn fails(&self) -> bool {
        self.figures
            .iter()
            .any(|figure| figure.verdict() == Verdict::Fails)
    }

    /// Writes the JSON.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut members = serde_json::Map::new();
        members.insert("pairs".to_owned(), json!(self.pairs));
        for figure in &self.figures {
            members.extend(figure.json());
        }
        fs::write(path, format!("{:#}\n", Value::Object(members)))
    }

    /// Prints the table.
    pub(crate) fn print(&self, out: &mut impl Write, path: &Path) -> io::Result<()> {
        writeln!(out)?;
        writeln!(
            out,
            "{:<26} {:>22} {:>22} {:>20}  must be <= {MOST}",
            "median (quartiles), us", "1k consumers", "50k consumers", "ratio (95 %)"
        )?;
        for figure in &self.figures {
            let [small, large] = figure
                .sizes
                .map(|[low, middle, high]| format!("{middle:.0} ({low:.0}-{high:.0})"));
            let (low, high) = figure.interval;
            let ratio = format!("{:.2} ({low:.2}-{high:.2})", figure.ratio);
            let verdict = figure.verdict().as_str();
            writeln!(
                out,
                "{:<26} {small:>22} {large:>22} {ratio:>20}  {verdict}",
                figure.name
            )?;
        }
        writeln!(out, "{} pairs; figures in {}", self.pairs, path.display())
    }
}

impl Figure {
    fn of(name: &'static str, pairs: &[Pair], value: impl Fn(&Sample) -> f64) -> Self {
        let of_size = |size: usize| -> Vec<f64> { pairs.iter().map(|pair| value(&pair[size])).collect() };
        let ratios: Vec<_> = pairs
            .iter()
            .map(|[small, large]| value(large) / value(small))
            .collect();
        Self {
            name,
            sizes: [0, 1].map(|size| {
                let values = of_size(size);
                [quantile(&values, 0.25), median(&values), quantile(&values, 0.75)]
            }),
            ratio: median(&ratios),
            interval: interval(&ratios, 0.5),
        }
    }

    fn verdict(&self) -> Verdict {
        Verdict::of(self.interval, MOST)
    }

    fn json(&self) -> impl Iterator<Item = (String, Value)> {
        let name = self.name;
        let round = |value: f64| json!((value * 1000.0).round() / 1000.0);
        let sizes = SIZES
            .iter()
            .zip(self.sizes)
            .flat_map(move |(size, [low, middle, high])| {
                let name = format!("{name}_{}k", size / 1000);
                [
                    (format!("{name}_quartiles"), json!([round(low), round(high)])),
                    (name, round(middle)),
                ]
            });
        let (low, high) = self.interval;
        let ratio = [
            (format!("{name}_ratio"), round(self.ratio)),
            (format!("{name}_ratio_95"), json!([round(low), round(high)])),
            (format!("{name}_verdict"), json!(self.verdict().as_str())),
        ];
        sizes.chain(ratio)
    }
}
