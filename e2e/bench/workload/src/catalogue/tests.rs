//! The catalogue is whole, and the documentation says what it says.

use std::{collections::BTreeSet, fs, path::Path};

use super::{table::markdown, *};

const BEGIN: &str = "<!-- figures: a test of latchkey-workload says what stands here -->\n";
const END: &str = "<!-- end of figures -->\n";

#[test]
fn the_documentation_says_what_the_catalogue_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/benchmarks.md");
    let text = fs::read_to_string(&path).expect("the documentation is there");
    let table = text.split_once(BEGIN).and_then(|(_, rest)| rest.split_once(END));
    let (table, _) = table.expect("the documentation has a place for the table");
    assert!(
        table == markdown(),
        "docs/benchmarks.md is out of date; put this between its marks:\n{}",
        markdown()
    );
}

#[test]
fn no_name_stands_twice() {
    let names: Vec<_> = all().map(|figure| figure.name).collect();
    let distinct: BTreeSet<_> = names.iter().collect();
    assert_eq!(names.len(), distinct.len());
}

#[test]
fn companions_of_figures_are_known_and_strangers_are_not() {
    for name in ["apply_us_1m", "apply_us_1m_q1", "standalone_change_us_ratio_high"] {
        assert!(knows(name), "{name}");
    }
    for name in ["apply_us", "apply_us_2m", "apply_us_1m_q2", "_q1", ""] {
        assert!(!knows(name), "{name}");
    }
}

#[test]
fn a_must_is_judged_by_its_interval_where_it_has_one() {
    let verdict = |name: &str, figures: &[(&str, f64)]| {
        let figures = figures
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect();
        let figure = all().find(|figure| figure.name == name).expect("it is one");
        figure.verdict(&figures)
    };
    let name = "standalone_change_us_ratio";
    assert_eq!(verdict(name, &[]), None);
    assert_eq!(verdict(name, &[(name, 2.1)]), Some(Verdict::Fails));
    let interval = [
        (name, 2.1),
        ("standalone_change_us_ratio_low", 1.9),
        ("standalone_change_us_ratio_high", 2.3),
    ];
    assert_eq!(verdict(name, &interval), Some(Verdict::Undecided));
    assert_eq!(verdict("apply_us_1m", &[("apply_us_1m", 1e9)]), None, "an aim");
}
