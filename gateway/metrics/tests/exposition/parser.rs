//! A strict reader of the text format 0.0.4: what Prometheus would refuse, warn of or drop panics.

use std::collections::{BTreeMap, HashSet};

/// A whole text.
#[derive(Debug, Default)]
pub(crate) struct Exposition {
    pub(crate) families: BTreeMap<String, Family>,
}

/// One family.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) help: String,
    pub(crate) samples: Vec<Sample>,
    kind: String,
}

/// One sample.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) value: f64,
}

impl Exposition {
    /// The value of the one series that has exactly these labels.
    pub(crate) fn value(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let wanted: BTreeMap<&str, &str> = labels.iter().copied().collect();
        let has = |sample: &&Sample| {
            let labels = sample
                .labels
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str()));
            sample.name == name && labels.eq(wanted.iter().map(|(name, value)| (*name, *value)))
        };
        self.families
            .values()
            .flat_map(|family| &family.samples)
            .find(has)
            .map(|sample| sample.value)
    }
}

/// Reads a text whose families each begin with `HELP`, then `TYPE`, then all their samples.
pub(crate) fn parse(text: &str) -> Exposition {
    assert!(text.ends_with('\n'), "the last line does not end");
    let mut read = Exposition::default();
    let mut series = HashSet::new();
    let mut lines = text.lines();
    let mut open: Option<String> = None;
    while let Some(line) = lines.next() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, help) = help.split_once(' ').unwrap_or_else(|| panic!("no help: {line}"));
            let kind = lines
                .next()
                .and_then(|line| line.strip_prefix(&format!("# TYPE {name} ")));
            let kind = kind.unwrap_or_else(|| panic!("no TYPE after: {line}")).to_owned();
            assert!(
                ["counter", "gauge", "histogram"].contains(&kind.as_str()),
                "{kind}"
            );
            assert!(valid_name(name), "{name}");
            let family = Family {
                help: unescape(help, false),
                samples: Vec::new(),
                kind,
            };
            assert!(
                read.families.insert(name.to_owned(), family).is_none(),
                "{name} stands twice"
            );
            open = Some(name.to_owned());
            continue;
        }
        let sample = sample(line);
        let family_name = open
            .as_deref()
            .unwrap_or_else(|| panic!("outside of a family: {line}"));
        let family = read.families.get_mut(family_name).unwrap();
        let suffixes: &[&str] = if family.kind == "histogram" {
            &["_bucket", "_sum", "_count"]
        } else {
            &[""]
        };
        let belongs = suffixes
            .iter()
            .any(|suffix| sample.name == format!("{family_name}{suffix}"));
        assert!(belongs, "not of {family_name}: {line}");
        assert!(
            series.insert((sample.name.clone(), sample.labels.clone())),
            "twice: {line}"
        );
        family.samples.push(sample);
    }
    for (name, family) in &read.families {
        if family.kind == "histogram" {
            check_histogram(name, family);
        }
    }
    read
}

/// Buckets are cumulative and in order, and the last is the count.
fn check_histogram(name: &str, family: &Family) {
    let mut buckets: BTreeMap<_, Vec<(f64, f64)>> = BTreeMap::new();
    for sample in family
        .samples
        .iter()
        .filter(|sample| sample.name.ends_with("_bucket"))
    {
        let mut labels = sample.labels.clone();
        let bound = number(&labels.remove("le").unwrap());
        buckets.entry(labels).or_default().push((bound, sample.value));
    }
    for (labels, buckets) in buckets {
        assert!(
            buckets.is_sorted_by(|a, b| a.0 < b.0 && a.1 <= b.1),
            "{name} {labels:?}: {buckets:?}"
        );
        let count = format!("{name}_count");
        let count = family
            .samples
            .iter()
            .find(|sample| sample.name == count && sample.labels == labels);
        let (bound, last) = *buckets.last().unwrap();
        assert!(
            bound.is_infinite() && count.unwrap().value == last,
            "{name} {labels:?}"
        );
    }
}

fn sample(line: &str) -> Sample {
    let end = line
        .find(['{', ' '])
        .unwrap_or_else(|| panic!("not a sample: {line}"));
    let (name, mut rest) = line.split_at(end);
    let mut labels = BTreeMap::new();
    if let Some(inner) = rest.strip_prefix('{') {
        rest = inner;
        loop {
            let (label, after) = rest
                .split_once("=\"")
                .unwrap_or_else(|| panic!("no label: {line}"));
            assert!(valid_name(label) && !label.contains(':'), "{line}");
            let end = closing_quote(after).unwrap_or_else(|| panic!("no closing quote: {line}"));
            let value = unescape(&after[..end], true);
            assert!(
                labels.insert(label.to_owned(), value).is_none(),
                "a label twice: {line}"
            );
            rest = &after[end + 1..];
            match rest.as_bytes().first() {
                Some(b',') => rest = &rest[1..],
                Some(b'}') => break,
                _ => panic!("neither , nor }} after a label: {line}"),
            }
        }
        rest = &rest[1..];
    }
    let value = rest
        .strip_prefix(' ')
        .unwrap_or_else(|| panic!("no value: {line}"));
    assert!(valid_name(name), "{line}");
    Sample {
        name: name.to_owned(),
        labels,
        value: number(value),
    }
}

fn number(text: &str) -> f64 {
    match text {
        "+Inf" => f64::INFINITY,
        "-Inf" => f64::NEG_INFINITY,
        text => {
            // Rust reads more spellings than Go does.
            assert!(
                text == "NaN" || text.bytes().all(|byte| b"0123456789.-+e".contains(&byte)),
                "{text}"
            );
            text.parse().unwrap_or_else(|_| panic!("not a number: {text}"))
        }
    }
}

fn valid_name(name: &str) -> bool {
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    name.chars().all(valid) && name.starts_with(|c: char| !c.is_ascii_digit())
}

fn closing_quote(text: &str) -> Option<usize> {
    let mut escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

fn unescape(text: &str, quoted: bool) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('\\') => '\\',
                Some('"') if quoted => '"',
                other => panic!("no escape: \\{other:?} in {text}"),
            },
            c => c,
        });
    }
    plain
}
