//! The figures: a table for people, JSON for scripts, and a verdict on what must hold.

use std::{
    fmt::Write as _,
    fs,
    io::{self, Write},
    path::Path,
};

use latchkey_workload::{
    catalogue::{self, Figure, Figures, Limit},
    verdict::Verdict,
};
use serde_json::{Map, Value};

/// All that was measured.
pub(crate) struct Report(Figures);

impl Report {
    /// Of figures that the catalogue knows.
    pub(crate) fn of(figures: Figures) -> io::Result<Self> {
        let unknown = figures.keys().find(|name| !catalogue::knows(name));
        match unknown {
            Some(name) => Err(io::Error::other(format!(
                "the catalogue does not say what {name} means; add it there"
            ))),
            None => Ok(Self(figures)),
        }
    }

    /// Whether something that must hold is known not to.
    pub(crate) fn fails(&self) -> bool {
        catalogue::all().any(|figure| figure.verdict(&self.0) == Some(Verdict::Fails))
    }

    /// Writes the JSON, and the table beside it.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let rounded =
            |(name, value): (&String, &f64)| (name.clone(), Value::from((value * 1e3).round() / 1e3));
        let members: Map<_, _> = self.0.iter().map(rounded).collect();
        fs::write(path, format!("{:#}\n", Value::Object(members)))?;
        fs::write(path.with_extension("txt"), self.table())
    }

    /// Prints the table.
    pub(crate) fn print(&self, out: &mut impl Write, path: &Path) -> io::Result<()> {
        writeln!(out, "\n{}figures in {}", self.table(), path.display())
    }

    /// The figures in the catalogue's order, with a line on what those that follow mean.
    fn table(&self) -> String {
        let mut text = String::new();
        let mut meaning = "";
        for figure in catalogue::all() {
            let Some(value) = self.0.get(&figure.name) else {
                continue;
            };
            // Writing to a String cannot fail.
            if figure.meaning != meaning {
                meaning = figure.meaning;
                let _ = writeln!(text, "# {meaning}");
            }
            let line = format!(
                "{:<42} {:>14} {:<24} {}",
                figure.name,
                number(*value),
                self.spread(&figure),
                self.judgement(&figure, *value)
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    /// Quartiles, or the interval that decides.
    fn spread(&self, figure: &Figure) -> String {
        let both = |low, high| figure.beside(&self.0, low).zip(figure.beside(&self.0, high));
        if let Some((low, high)) = both("_q1", "_q3") {
            format!("({} - {})", number(low), number(high))
        } else if let Some((low, high)) = both("_low", "_high") {
            format!("[{} - {}]", number(low), number(high))
        } else {
            String::new()
        }
    }

    fn judgement(&self, figure: &Figure, value: f64) -> String {
        match (figure.limit, figure.verdict(&self.0)) {
            (Limit::Must(most), Some(verdict)) => format!("must be <= {most}: {}", verdict.as_str()),
            (Limit::Aim(most), _) => {
                let met = if value <= most { "met" } else { "missed" };
                format!("aim <= {most}: {met}")
            }
            _ => String::new(),
        }
    }
}

/// Large numbers whole, small ones with what can be told apart.
fn number(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 1_000.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(figures: &[(&str, f64)]) -> Report {
        let figures = figures.iter().map(|(name, value)| ((*name).to_owned(), *value));
        Report::of(figures.collect()).expect("all are known")
    }

    #[test]
    fn the_table_says_of_each_figure_what_it_means_and_whether_it_holds() {
        let report = report(&[
            ("apply_us_1m", 20.0),
            ("apply_us_1m_q1", 18.0),
            ("apply_us_1m_q3", 1234.0),
            ("bytes_per_entry_1m", 601.0),
            ("standalone_change_us_ratio", 1.9),
            ("standalone_change_us_ratio_low", 1.7),
            ("standalone_change_us_ratio_high", 2.2),
        ]);
        let table = report.table();
        let line = |name: &str| {
            table
                .lines()
                .find(|line| line.starts_with(name))
                .unwrap_or_default()
        };
        assert!(line("apply_us_1m").contains("(18.0 - 1234)"), "{table}");
        assert!(line("apply_us_1m").ends_with("aim <= 25: met"), "{table}");
        assert!(
            line("bytes_per_entry_1m").ends_with("must be <= 600: fails"),
            "{table}"
        );
        assert!(
            line("standalone_change_us_ratio").ends_with("must be <= 2: undecided"),
            "{table}"
        );
        assert_eq!(
            table.lines().filter(|line| line.starts_with("# ")).count(),
            3,
            "{table}"
        );
        assert!(report.fails());
    }

    #[test]
    fn what_is_undecided_or_only_aimed_at_fails_nothing() {
        let undecided = [
            ("standalone_change_us_ratio", 2.1),
            ("standalone_change_us_ratio_low", 1.9),
            ("standalone_change_us_ratio_high", 2.2),
        ];
        assert!(!report(&undecided).fails());
        assert!(!report(&[("lookup_ns_1m", 1e6)]).fails());
    }

    #[test]
    fn a_figure_that_nobody_explains_is_refused() {
        assert!(Report::of(Figures::from([("mystery".to_owned(), 1.0)])).is_err());
    }
}
