use std::{
    io,
    sync::{Arc, Mutex},
};

use super::*;

/// What was logged while `f` ran, a line each.
fn logged(f: impl FnOnce()) -> Vec<String> {
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);
    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .without_time()
        .with_target(false)
        .finish();
    tracing::subscriber::with_default(subscriber, f);
    let bytes = lines.0.lock().unwrap().clone();
    String::from_utf8(bytes)
        .unwrap()
        .lines()
        .map(|line| line.trim().to_owned())
        .collect()
}

fn file(name: &str) -> Subject {
    Subject::File(name.into())
}

fn bad() -> Finding {
    Finding::warning("Unreadable", "not YAML")
}

#[test]
fn a_finding_is_said_once_when_it_comes_and_once_when_it_goes() {
    let mut findings = Findings::default();
    let lines = logged(|| {
        for now in [vec![bad()], vec![bad()], vec![], vec![]] {
            findings.replace(file("a.yaml"), now, |_| "document 1".to_owned());
        }
    });
    assert_eq!(
        lines,
        [
            r#"WARN not YAML subject=a.yaml place="document 1" reason="Unreadable""#,
            r#"INFO no longer: not YAML subject=a.yaml place="document 1" reason="Unreadable""#,
        ]
    );
    assert_eq!(findings.iter().count(), 0);
}

#[test]
fn only_the_difference_is_said() {
    let mut findings = Findings::default();
    let other = Finding::notice("IgnoredKind", "Deployment");
    findings.replace(file("a.yaml"), vec![bad(), other.clone()], nowhere);
    let lines = logged(|| findings.replace(file("a.yaml"), vec![other.clone()], nowhere));
    assert_eq!(lines.len(), 1, "{lines:?}");
    let lines = logged(|| findings.change(file("a.yaml"), bad(), false, nowhere));
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert_eq!(
        (findings.count("Unreadable"), findings.count("IgnoredKind")),
        (1, 1)
    );
    findings.change(file("a.yaml"), bad(), true, nowhere);
    assert_eq!(findings.count("Unreadable"), 0);
}

#[test]
fn a_flood_is_a_hundred_lines_and_a_sum() {
    let mut findings = Findings::default();
    let lines = logged(|| {
        for n in 0..1_000 {
            findings.replace(file(&format!("{n}.yaml")), vec![bad()], nowhere);
        }
        findings.end_of_batch();
    });
    assert_eq!(lines.len(), LINES_PER_BATCH + 1);
    assert!(lines[LINES_PER_BATCH].contains("unsaid=900"), "{lines:?}");
    let lines = logged(|| findings.replace(file("new.yaml"), vec![bad()], nowhere));
    assert_eq!(lines.len(), 1, "the next batch is heard again");
}
