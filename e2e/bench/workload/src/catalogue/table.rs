//! The catalogue as the table in Markdown that the documentation holds.

use std::fmt::Write;

use super::{Family, Limit, families};

/// One line a family.
pub(super) fn markdown() -> String {
    let mut text = String::from("| figures | what they mean | held against |\n|---|---|---|\n");
    for family in families::ALL {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            names(family),
            family.meaning,
            limits(family)
        );
    }
    text
}

/// `stem_a`, `_b`, `_c`.
fn names(family: &Family) -> String {
    let suffixes = family.members.iter().map(|(suffix, _)| *suffix);
    let names = suffixes.enumerate().map(|(number, suffix)| match number {
        0 => format!("`{}{suffix}`", family.stem),
        _ => format!("`{suffix}`"),
    });
    names.collect::<Vec<_>>().join(", ")
}

fn limits(family: &Family) -> String {
    let several = family.members.len() > 1;
    let limits = family.members.iter().filter_map(|(suffix, limit)| {
        let said = match limit {
            Limit::Told => return None,
            Limit::Must(most) => format!("must be <= {most}"),
            Limit::Aim(most) => format!("aim <= {most}"),
        };
        Some(if several {
            format!("`{suffix}` {said}")
        } else {
            said
        })
    });
    limits.collect::<Vec<_>>().join(", ")
}
