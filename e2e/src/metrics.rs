//! Reads the Prometheus text format (0.0.4), strictly: a line that Prometheus would refuse fails
//! the test that scraped it.

use std::collections::{BTreeMap, HashSet};

/// One scrape.
#[derive(Clone, Debug)]
pub struct Scrape(Vec<Sample>);

#[derive(Clone, Debug)]
struct Sample {
    name: String,
    labels: BTreeMap<String, String>,
    value: f64,
}

impl Scrape {
    /// Parses an exposition.
    pub fn parse(text: &str) -> Self {
        assert!(
            text.ends_with('\n'),
            "the exposition does not end with a line end"
        );
        let mut samples = Vec::new();
        let mut types = HashSet::new();
        let mut series = HashSet::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(comment) = line.strip_prefix("# ") {
                if let Some(family) = comment.strip_prefix("TYPE ") {
                    assert!(types.insert(family.to_owned()), "a second TYPE line: {line}");
                }
                continue;
            }
            let sample = Sample::parse(line).unwrap_or_else(|| panic!("not a sample: {line}"));
            assert!(
                series.insert((sample.name.clone(), sample.labels.clone())),
                "a second sample of one series: {line}"
            );
            samples.push(sample);
        }
        Self(samples)
    }

    /// The sum of all samples of a name whose labels include these; `None` if there is none.
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let matching: Vec<_> = self
            .0
            .iter()
            .filter(|sample| sample.name == name)
            .filter(|sample| {
                labels
                    .iter()
                    .all(|(label, value)| sample.labels.get(*label).is_some_and(|v| v == value))
            })
            .map(|sample| sample.value)
            .collect();
        (!matching.is_empty()).then(|| matching.iter().sum())
    }

    /// The values that a label takes over all samples of a name.
    pub fn label_values(&self, name: &str, label: &str) -> Vec<&str> {
        self.0
            .iter()
            .filter(|sample| sample.name == name)
            .filter_map(|sample| sample.labels.get(label).map(String::as_str))
            .collect()
    }
}

impl Sample {
    fn parse(line: &str) -> Option<Self> {
        let end = line.find(['{', ' '])?;
        let (name, mut rest) = line.split_at(end);
        let mut labels = BTreeMap::new();
        if let Some(inner) = rest.strip_prefix('{') {
            rest = inner;
            while !rest.starts_with('}') {
                let (label, after) = rest.split_once("=\"")?;
                let (value, after) = unquote(after)?;
                labels.insert(label.to_owned(), value);
                rest = after.strip_prefix(',').unwrap_or(after);
            }
            rest = &rest[1..];
        }
        let value = match rest.strip_prefix(' ')? {
            "+Inf" => f64::INFINITY,
            number => number.parse().ok()?,
        };
        let name_is_valid = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
        (name_is_valid && !name.is_empty()).then(|| Self {
            name: name.to_owned(),
            labels,
            value,
        })
    }
}

/// A label's value up to its closing quote, and what follows that.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => value.push(match chars.next()?.1 {
                'n' => '\n',
                c @ ('\\' | '"') => c,
                _ => return None,
            }),
            c => value.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_the_labels_asked_for() {
        let scrape = Scrape::parse(
            "# TYPE a counter\na{x=\"1\",y=\"q\\\"\\n\"} 2\na{x=\"1\",y=\"r\"} 3\na{x=\"2\"} 4\nb 1.5\n",
        );
        assert_eq!(scrape.sum("a", &[("x", "1")]), Some(5.0));
        assert_eq!(scrape.sum("a", &[("y", "q\"\n")]), Some(2.0));
        assert_eq!(scrape.sum("b", &[]), Some(1.5));
        assert_eq!(scrape.sum("c", &[]), None);
    }

    #[test]
    #[should_panic(expected = "not a sample")]
    fn refuses_what_prometheus_would() {
        Scrape::parse("a{x=\"1} 2\n");
    }
}
