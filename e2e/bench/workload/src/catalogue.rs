//! Every figure of `target/bench/micro.json`: what it means, and what it is held against.
//!
//! The one place that says so: the table that a run prints and the one in `docs/benchmarks.md` are made
//! of it.

mod families;
#[cfg(test)]
mod table;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::verdict::Verdict;

/// Names and numbers, as they stand in the JSON.
pub type Figures = BTreeMap<String, f64>;

/// What stands beside some figures, by the end of its name: quartiles of samples, and the interval that
/// a median lies in with 95 % confidence.
const COMPANIONS: [&str; 4] = ["_q1", "_q3", "_low", "_high"];

/// Figures that mean the same, of several sizes.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    stem: &'static str,
    members: &'static [(&'static str, Limit)],
    meaning: &'static str,
}

/// What a figure is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Nothing: it is told.
    Told,
    /// It may be no more than this. Only ratios, counts and bytes are judged so.
    Must(f64),
    /// A machine like ours should reach this when it is quiet. Shown, never judged.
    Aim(f64),
}

/// One figure of the catalogue.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Its name in the JSON.
    pub name: String,
    /// What it is held against.
    pub limit: Limit,
    /// What it and its like mean.
    pub meaning: &'static str,
}

/// All figures, in the order of the tables.
pub fn all() -> impl Iterator<Item = Figure> {
    families::ALL.iter().flat_map(|family| {
        family.members.iter().map(|(suffix, limit)| Figure {
            name: format!("{}{suffix}", family.stem),
            limit: *limit,
            meaning: family.meaning,
        })
    })
}

/// Whether a name is one of a figure or of what stands beside one.
pub fn knows(name: &str) -> bool {
    let stem = COMPANIONS.iter().find_map(|end| name.strip_suffix(end));
    all().any(|figure| figure.name == name || Some(figure.name.as_str()) == stem)
}

impl Figure {
    /// What stands beside it, by one of the ends of names.
    pub fn beside(&self, figures: &Figures, end: &str) -> Option<f64> {
        figures.get(&format!("{}{end}", self.name)).copied()
    }

    /// Whether it holds what it must, if it must anything and was measured. One that is the same in every
    /// run has no interval.
    pub fn verdict(&self, figures: &Figures) -> Option<Verdict> {
        let Limit::Must(most) = self.limit else {
            return None;
        };
        let value = *figures.get(&self.name)?;
        let interval = self.beside(figures, "_low").zip(self.beside(figures, "_high"));
        Some(Verdict::of(interval.unwrap_or((value, value)), most))
    }
}
