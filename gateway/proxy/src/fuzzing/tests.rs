//! The bounded run: every stored input, and what grows from them by a few changes. `LATCHKEY_CASES` sets
//! how many of those are tried; proptest shrinks one that fails.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use proptest::{prelude::*, sample::Index, test_runner::TestRunner};

use super::*;

/// What a change puts in: what readers take apart, and what they take for something else.
const TOKENS: [&[u8]; 40] = [
    b"/",
    b"//",
    b".",
    b"..",
    b"/../",
    b"%2e",
    b"%2F",
    b"%5c",
    b"%00",
    b"%",
    b"%25",
    b"\\",
    b";",
    b"&",
    b"=",
    b"+",
    b"?",
    b"#",
    b",",
    b", ",
    b" ",
    b"\t",
    b"\n",
    b":",
    b"[",
    b"]",
    b"_",
    b"-",
    b"\xc3\xa9",
    b"\xff",
    b"apikey=",
    b"%61pikey=1",
    b"x-api-key: k\n",
    b"X_API_Key: k\n",
    b"connection: ",
    b"x-consumer-id: 1\n",
    b"X-Forwarded-For: ",
    b"10.1.2.3",
    b"6.6.6.6:80",
    b"[fd00::1]:443",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// The stored inputs of a target.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = folder().join("corpus").join(name);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut inputs: Vec<Vec<u8>> = files
        .map(|file| fs::read(file.unwrap().path()).unwrap())
        .collect();
    inputs.sort();
    inputs
}

#[test]
fn every_entry_point_has_a_target_and_a_corpus() {
    let names: BTreeSet<String> = ENTRY_POINTS.iter().map(|(name, _)| (*name).to_owned()).collect();
    for name in &names {
        let target = folder().join(format!("fuzz_targets/{name}.rs"));
        let text = fs::read_to_string(target).unwrap();
        assert!(
            text.contains(&format!("latchkey_proxy::fuzzing::{name}(data)")),
            "{text}"
        );
        assert!(corpus(name).len() > 5, "{name}");
    }
    let manifest = fs::read_to_string(folder().join("Cargo.toml")).unwrap();
    let bins = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let bins: BTreeSet<String> = bins.skip(1).map(str::to_owned).collect();
    assert_eq!(bins, names);
}

#[derive(Clone, Debug)]
enum Change {
    Insert(&'static [u8]),
    Replace(u8),
    Remove(u8),
    Append(Vec<u8>),
}

fn change(corpus: &[Vec<u8>]) -> impl Strategy<Value = (Index, Change)> + use<> {
    let change = prop_oneof![
        4 => prop::sample::select(&TOKENS[..]).prop_map(Change::Insert),
        1 => any::<u8>().prop_map(Change::Replace),
        1 => (1..8_u8).prop_map(Change::Remove),
        1 => prop::sample::select(corpus.to_vec()).prop_map(Change::Append),
    ];
    (any::<Index>(), change)
}

fn changed(mut input: Vec<u8>, changes: &[(Index, Change)]) -> Vec<u8> {
    for (at, change) in changes {
        let at = at.index(input.len() + 1);
        match change {
            Change::Insert(token) => drop(input.splice(at..at, token.iter().copied())),
            Change::Replace(byte) => input.iter_mut().skip(at).take(1).for_each(|old| *old = *byte),
            Change::Remove(count) => {
                let end = input.len().min(at + usize::from(*count));
                input.drain(at..end);
            }
            Change::Append(more) => input.extend_from_slice(more),
        }
    }
    input
}

fn run(name: &str) {
    let (_, entry_point) = ENTRY_POINTS
        .into_iter()
        .find(|(known, _)| *known == name)
        .unwrap();
    let corpus = corpus(name);
    for input in &corpus {
        entry_point(input);
    }
    let wanted = std::env::var("LATCHKEY_CASES").ok();
    let config = ProptestConfig {
        cases: wanted.and_then(|cases| cases.parse().ok()).unwrap_or(10_000),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let inputs = (
        prop::sample::select(corpus.clone()),
        prop::collection::vec(change(&corpus), 1..8),
    );
    let inputs = inputs.prop_map(|(input, changes)| changed(input, &changes));
    let result = TestRunner::new(config).run(&inputs, |input| {
        entry_point(&input);
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}

#[test]
fn forwarded_fields() {
    run("forwarded");
}

#[test]
fn fields_that_do_not_get_through() {
    run("headers");
}

#[test]
fn keys() {
    run("key");
}

#[test]
fn paths() {
    run("path");
}

#[test]
fn queries() {
    run("query");
}
