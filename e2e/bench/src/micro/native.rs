//! Parts of the workload as this machine runs them.

use std::{
    io,
    path::Path,
    process::{Command, Stdio},
};

use latchkey_workload::catalogue::Figures;
use serde_json::Value;

/// Runs one part; the figures that it prints.
pub(crate) fn run(workload: &Path, part: &str, rounds: usize) -> io::Result<Figures> {
    let output = Command::new(workload)
        .args([part, "--rounds", &rounds.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", workload.display())))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let figures = output.status.success().then(|| read(&text)).flatten();
    figures.ok_or_else(|| io::Error::other(format!("{part} gave no figures ({}): {text}", output.status)))
}

/// A flat object of names and numbers; `None` for anything else.
fn read(text: &str) -> Option<Figures> {
    let Value::Object(members) = serde_json::from_str(text).ok()? else {
        return None;
    };
    members
        .into_iter()
        .map(|(name, value)| Some((name, value.as_f64()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_names_and_numbers_and_nothing_else() {
        let read = |text| read(text).map(|figures| figures.into_iter().collect::<Vec<_>>());
        assert_eq!(
            read(r#"{"a": 1, "b": 2.5}"#),
            Some(vec![("a".into(), 1.0), ("b".into(), 2.5)])
        );
        for text in ["", "[1]", r#"{"a": "1"}"#, r#"{"a": [1]}"#, r#"{"a": null}"#] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
