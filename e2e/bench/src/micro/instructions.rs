//! Instruction counts of changes and look-ups, and their ratios. They hardly differ from run to run.

use std::{fs, io, path::Path, thread};

use latchkey_workload::catalogue::Figures;

use super::callgrind::{self, Step};
use crate::progress;

/// Among how many pairs, and how the figures are called. The first also tells what hashing costs.
const SIZES: [(usize, &str); 3] = [(1_000, "1k"), (50_000, "50k"), (1_000_000, "1m")];
/// Among how many routes, likewise.
const ROUTES: [(usize, &str); 2] = [(100, "100"), (10_000, "10k")];
/// Ratios that are told where both sizes were counted.
const RATIOS: [[&str; 2]; 3] = [["1m", "50k"], ["1m", "1k"], ["10k", "100"]];
/// Steps that measure what others contain.
const KEY_HASH: &str = "key_hash";
const DIGEST: &str = "digest";

/// Counts all, the largest last and beside the others: it takes as long as they do together.
pub(crate) fn measure(workload: &Path, folder: &Path, quick: bool) -> io::Result<Figures> {
    // A dump of an earlier run must not pass for one of this.
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let [small @ .., large] = SIZES;
    let index = |(size, name): (usize, &'static str)| {
        let steps = callgrind::count(workload, "index-instructions", size, folder)?;
        progress(&format!("instructions among {name} pairs are counted"))?;
        io::Result::Ok((name, steps))
    };
    thread::scope(|scope| {
        let large = (!quick).then(|| scope.spawn(move || index(large)));
        let mut counted = small.into_iter().map(index).collect::<io::Result<Vec<_>>>()?;
        let mut figures = Figures::new();
        for (size, name) in ROUTES {
            for step in callgrind::count(workload, "route-instructions", size, folder)? {
                figures.insert(
                    format!("{}_apply_instructions_{name}", step.name),
                    step.instructions,
                );
            }
            progress(&format!("instructions among {name} routes are counted"))?;
        }
        if let Some(large) = large {
            let steps = large
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            counted.push(steps?);
        }
        figures.extend(of_index(&counted));
        figures.extend(ratios(&figures));
        Ok(figures)
    })
}

/// What hashing a key costs.
pub(crate) fn hashing(workload: &Path, folder: &Path) -> io::Result<f64> {
    let (smallest, name) = SIZES[0];
    let steps = callgrind::count(workload, "index-instructions", smallest, folder)?;
    let figures = of_index(&[(name, steps)]);
    Ok(figures["hashing_instructions"])
}

/// Without what hashing costs, which is told apart.
fn of_index(counted: &[(&str, Vec<Step>)]) -> Figures {
    let cost = |name: &str| {
        let steps = counted.iter().flat_map(|(_, steps)| steps);
        let mut named = steps.filter(|step| step.name == name);
        named.next().map_or(f64::NAN, |step| step.instructions)
    };
    let (hash, digest) = (cost(KEY_HASH), cost(DIGEST));
    let mut figures = Figures::from([("hashing_instructions".to_owned(), hash + digest)]);
    for (size, steps) in counted {
        for step in steps
            .iter()
            .filter(|step| ![KEY_HASH, DIGEST].contains(&&*step.name))
        {
            let hashing = step.hashes * hash + step.digests * digest;
            figures.insert(
                format!("{}_instructions_{size}", step.name),
                step.instructions - hashing,
            );
        }
    }
    figures
}

fn ratios(figures: &Figures) -> Figures {
    // What a look-up costs grows with the table's depth, and has no must.
    let judged = |stem: &str| !stem.starts_with("lookup");
    let ratio = |(name, value): (&String, &f64), [large, small]: [&str; 2]| {
        let stem = name.strip_suffix(&format!("_instructions_{large}"))?;
        let other = figures.get(&format!("{stem}_instructions_{small}"))?;
        judged(stem).then(|| (format!("{stem}_instructions_{large}_over_{small}"), value / other))
    };
    let of_one = |figure| RATIOS.iter().filter_map(move |sizes| ratio(figure, *sizes));
    figures.iter().flat_map(of_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str, instructions: f64, hashes: f64, digests: f64) -> Step {
        Step {
            name: name.to_owned(),
            instructions,
            hashes,
            digests,
        }
    }

    #[test]
    fn hashing_is_told_apart_and_in_no_other_count() {
        let steps = vec![
            step(KEY_HASH, 40.0, 0.0, 0.0),
            step(DIGEST, 80.0, 0.0, 0.0),
            step("lookup", 220.0, 1.0, 1.0),
            step("rotate", 300.0, 0.0, 1.0),
            step("delete", 150.0, 0.0, 0.0),
        ];
        let figures = of_index(&[("1k", steps)]);
        let wanted = [
            ("delete_instructions_1k", 150.0),
            ("hashing_instructions", 120.0),
            ("lookup_instructions_1k", 100.0),
            ("rotate_instructions_1k", 220.0),
        ];
        assert!(
            figures
                .iter()
                .map(|(name, value)| (name.as_str(), *value))
                .eq(wanted),
            "{figures:?}"
        );
    }

    #[test]
    fn ratios_are_those_of_changes_of_which_both_sizes_were_counted() {
        let figures = Figures::from(
            [
                ("apply_instructions_1k", 2.0),
                ("apply_instructions_50k", 4.0),
                ("apply_instructions_1m", 6.0),
                ("lookup_instructions_1k", 1.0),
                ("lookup_instructions_1m", 2.0),
                ("route_apply_instructions_100", 5.0),
                ("route_apply_instructions_10k", 10.0),
                ("delete_instructions_1m", 6.0),
            ]
            .map(|(name, value)| (name.to_owned(), value)),
        );
        let wanted = [
            ("apply_instructions_1m_over_1k", 3.0),
            ("apply_instructions_1m_over_50k", 1.5),
            ("route_apply_instructions_10k_over_100", 2.0),
        ];
        let ratios = ratios(&figures);
        assert!(
            ratios
                .iter()
                .map(|(name, value)| (name.as_str(), *value))
                .eq(wanted),
            "{ratios:?}"
        );
    }
}
