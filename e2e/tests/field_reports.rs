//! What people reported of gateways and controllers like this one, each by a code: tests name the codes of
//! what they stand for in their doc comments, and no code is lost.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The codes, and what each is about.
const REPORTS: &[(&str, &str)] = &[
    ("O-A1", "the last auth method goes, the Consumer stays"),
    ("O-A2", "one leaf name in two places"),
    ("O-A3", "a parent changes, its Credential does not"),
    ("O-A4", "two Credentials with one key"),
    ("O-A5", "a Secret is missing, then created, then rotated"),
    ("O-A6", "line ends and odd bytes in a Secret"),
    ("O-A7", "an empty key"),
    ("O-A8", "keys are hidden from the upstream"),
    ("O-A9", "a client forges identity headers"),
    ("O-B1", "one object that cannot be decoded"),
    ("O-B2", "deleted and created again between two looks"),
    ("O-B3", "deletes missed before a list, and lists cut in half"),
    ("O-B4", "a watch that is open and silent"),
    ("O-B5", "ready neither too early nor too touchily"),
    ("O-B6", "statuses written again and again"),
    ("O-B7", "slow renewals of a Lease"),
    ("O-D1", "doubtful framing"),
    ("O-D2", "spellings of a path that pass a rule by"),
    ("O-D3", "an upstream closes a kept connection"),
    ("O-D4", "who decides the host"),
    ("O-D5", "slow clients"),
    ("O-D6", "`Connection` names what the gateway sets"),
    ("O-D7", "who the client is"),
];

/// Every `.rs` file of the repository.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of ours is readable") {
            let path = entry.expect("a folder's entry is readable").path();
            let is_hidden = path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if path.is_dir() && !is_hidden && !path.join("CACHEDIR.TAG").exists() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The codes in a text: `O-`, a letter and a number, and nothing else about them.
fn codes(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_code = |word: &&str| {
        let rest = word.strip_prefix("O-").unwrap_or_default();
        let (letter, number) = rest.split_at_checked(1).unwrap_or_default();
        letter.chars().all(|c| c.is_ascii_uppercase()) && number.parse::<u8>().is_ok()
    };
    words.filter(is_code).collect()
}

/// The codes that tests of a source name, with the tests' names. A module's `//!` speaks for all its tests.
fn named(source: &str) -> Vec<(&str, &str)> {
    let mut named = Vec::new();
    let mut of_module = Vec::new();
    let mut pending = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("//!") {
            of_module.extend(codes(doc));
        } else if let Some(doc) = line.strip_prefix("///") {
            pending.extend(codes(doc));
        } else if line.starts_with("#[") {
            is_test |= line == "#[test]" || line.starts_with("#[tokio::test");
        } else {
            let name = line.trim_start_matches("async ").strip_prefix("fn ");
            if let Some((name, _)) = name.and_then(|name| name.split_once('('))
                && is_test
            {
                named.extend(of_module.iter().chain(&pending).map(|code| (*code, name)));
            }
            pending.clear();
            is_test = false;
        }
    }
    named
}

#[test]
fn every_report_is_named_by_a_test() {
    let mut tests: BTreeMap<String, usize> = BTreeMap::new();
    for path in sources() {
        let source = fs::read_to_string(&path).expect("a source is text");
        for (code, _) in named(&source) {
            *tests.entry(code.to_owned()).or_default() += 1;
        }
    }
    let lost: Vec<_> = REPORTS
        .iter()
        .filter(|(code, _)| !tests.contains_key(*code))
        .collect();
    assert!(lost.is_empty(), "no test stands for {lost:?}");
}

#[test]
fn a_code_counts_where_a_test_names_it_alone() {
    let source = "/// Says (O-A1), `O-B2`.\n#[test]\nfn one() {}\n/// O-A3\nfn helper() {}\n\
                  // O-A4\n#[test]\nfn two() {}\n/// NO-A5, O-A6x, O-7\n#[test]\nfn three() {}\n";
    assert_eq!(named(source), [("O-A1", "one"), ("O-B2", "one")]);
    let module = "//! All of it (O-D6).\n\n#[tokio::test]\nasync fn one() {}\n";
    assert_eq!(named(module), [("O-D6", "one")]);
}
