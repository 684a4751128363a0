//! The walls between the crates, as Cargo and the sources show them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};

/// Which workspace crates each one may depend on. Arrows point down: what is not here is a wall.
const ARROWS: &[(&str, &[&str])] = &[
    ("latchkey-crds", &[]),
    ("latchkey-cow", &[]),
    ("latchkey-runtime", &[]),
    ("latchkey-core", &["latchkey-crds"]),
    (
        "latchkey-routing",
        &["latchkey-core", "latchkey-cow", "latchkey-crds"],
    ),
    ("latchkey-snapshot", &["latchkey-core", "latchkey-cow"]),
    (
        "latchkey-index",
        &[
            "latchkey-core",
            "latchkey-cow",
            "latchkey-crds",
            "latchkey-snapshot",
        ],
    ),
    (
        "latchkey-proxy",
        &[
            "latchkey-core",
            "latchkey-routing",
            "latchkey-runtime",
            "latchkey-snapshot",
        ],
    ),
    ("latchkey-metrics", &["latchkey-core", "latchkey-snapshot"]),
    (
        "latchkey-operator",
        &[
            "latchkey-core",
            "latchkey-crds",
            "latchkey-routing",
            "latchkey-runtime",
        ],
    ),
    (
        "latchkey-gateway",
        &[
            "latchkey-core",
            "latchkey-crds",
            "latchkey-index",
            "latchkey-metrics",
            "latchkey-proxy",
            "latchkey-routing",
            "latchkey-runtime",
            "latchkey-snapshot",
        ],
    ),
    ("latchkey-echo", &[]),
    ("latchkey-e2e", &[]),
    (
        "latchkey-workload",
        &[
            "latchkey-core",
            "latchkey-index",
            "latchkey-routing",
            "latchkey-snapshot",
        ],
    ),
    ("latchkey-bench", &["latchkey-e2e", "latchkey-workload"]),
];

/// Crates that take time and randomness as arguments and know no runtime and no client.
const PURE: &[&str] = &[
    "latchkey-crds",
    "latchkey-core",
    "latchkey-cow",
    "latchkey-routing",
    "latchkey-snapshot",
    "latchkey-index",
];

/// What a pure crate never names in its manifest.
const IMPURE_DEPENDENCIES: &[&str] = &[
    "tokio",
    "hyper",
    "hyper-util",
    "getrandom",
    "rand",
    "notify",
    "socket2",
    "rustix",
];

/// What a pure crate never names in its sources.
const IMPURE_WORDS: &[&str] = &[
    "Instant::now",
    "SystemTime::now",
    "Timestamp::now",
    "Zoned::now",
    "Utc::now",
    "RandomState",
    "thread_rng",
    "std::net::TcpStream",
    "std::fs",
    "std::env",
    "std::thread",
];

/// The longest a source file may be. Past it there is a second thing in it.
const MAX_LINES: usize = 500;

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"))
        .no_deps()
        .exec()
        .expect("cargo describes its own workspace")
}

/// The names of a package's dependencies that are not for its tests alone.
fn dependencies(package: &Package) -> BTreeSet<String> {
    package
        .dependencies
        .iter()
        .filter(|dependency| dependency.kind != DependencyKind::Development)
        .map(|dependency| dependency.name.clone())
        .collect()
}

/// Every `.rs` file under a package's folder that is not another package's.
fn sources(package: &Package, metadata: &Metadata) -> Vec<PathBuf> {
    let others: Vec<_> = metadata
        .packages
        .iter()
        .filter(|other| other.id != package.id)
        .map(|other| other.manifest_path.with_file_name("").into_std_path_buf())
        .collect();
    let mut found = Vec::new();
    let mut folders = vec![package.manifest_path.with_file_name("").into_std_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a package's folder is readable") {
            let path = entry.expect("a folder's entry is readable").path();
            // `with_file_name("")` leaves a final separator; comparing by components forgets it.
            let is_other = others
                .iter()
                .any(|other| other.components().eq(path.components()));
            let is_build = path.join("CACHEDIR.TAG").exists();
            if path.is_dir() && !is_other && !is_build {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

fn is_test(path: &Path) -> bool {
    path.components()
        .any(|part| part.as_os_str() == "tests" || part.as_os_str() == "benches")
        || path.file_stem().is_some_and(|stem| stem == "tests")
}

#[test]
fn arrows_point_down() {
    let metadata = metadata();
    let allowed: BTreeMap<_, _> = ARROWS.iter().copied().collect();
    let names: BTreeSet<_> = metadata
        .packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    assert_eq!(
        names,
        allowed.keys().copied().collect(),
        "every crate of the workspace has its place here"
    );
    for package in &metadata.packages {
        for dependency in dependencies(package)
            .iter()
            .filter(|name| names.contains(name.as_str()))
        {
            assert!(
                allowed[package.name.as_str()].contains(&dependency.as_str()),
                "{} must not depend on {dependency}",
                package.name
            );
        }
    }
}

#[test]
fn pure_crates_depend_on_no_runtime_client_or_randomness() {
    for package in metadata().packages {
        if !PURE.contains(&package.name.as_str()) {
            continue;
        }
        for dependency in dependencies(&package) {
            assert!(
                !IMPURE_DEPENDENCIES.contains(&dependency.as_str()),
                "{} is pure and must not depend on {dependency}",
                package.name
            );
        }
        let features = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.name == "kube");
        for kube in features.filter(|dependency| dependency.kind != DependencyKind::Development) {
            let clientless =
                !kube.uses_default_features && kube.features.iter().all(|feature| feature == "derive");
            assert!(
                clientless,
                "{} is pure and takes of kube its derive alone",
                package.name
            );
        }
    }
}

#[test]
fn pure_sources_name_no_clock_and_no_randomness() {
    let metadata = metadata();
    for package in metadata
        .packages
        .iter()
        .filter(|package| PURE.contains(&package.name.as_str()))
    {
        for path in sources(package, &metadata) {
            let is_program = path.components().any(|part| part.as_os_str() == "bin");
            if is_test(&path) || is_program {
                continue;
            }
            let source = fs::read_to_string(&path).expect("a source is text");
            // Tests at the end of a file may ask a clock.
            let code = source.split("#[cfg(test)]").next().unwrap_or_default();
            for word in IMPURE_WORDS {
                assert!(
                    !code.contains(word),
                    "{} is pure and names {word}",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn every_version_stands_once_in_the_root() {
    for package in metadata().packages {
        let manifest = fs::read_to_string(&package.manifest_path).expect("a manifest is text");
        let mut in_dependencies = false;
        for line in manifest.lines().map(str::trim) {
            if let Some(section) = line.strip_prefix('[') {
                in_dependencies = section.trim_end_matches(']').ends_with("dependencies");
                continue;
            }
            let is_entry = in_dependencies && !line.is_empty() && !line.starts_with('#');
            let is_inherited = line.contains(".workspace = true") || line.contains("{ workspace = true");
            assert!(
                !is_entry || is_inherited,
                "{}: `{line}` must say `workspace = true`",
                package.manifest_path
            );
        }
    }
}

#[test]
fn every_crate_takes_the_workspaces_lints_and_those_forbid_unsafe() {
    let metadata = metadata();
    for package in &metadata.packages {
        let manifest = fs::read_to_string(&package.manifest_path).expect("a manifest is text");
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{} does not take the workspace's lints",
            package.manifest_path
        );
    }
    let root = fs::read_to_string(metadata.workspace_root.join("Cargo.toml")).expect("a manifest is text");
    assert!(root.contains("\nunsafe_code = \"forbid\"\n"));
}

#[test]
fn no_source_file_is_too_long() {
    let metadata = metadata();
    for package in &metadata.packages {
        for path in sources(package, &metadata) {
            let lines = fs::read_to_string(&path)
                .expect("a source is text")
                .lines()
                .count();
            assert!(
                lines <= MAX_LINES,
                "{} has {lines} lines: look for the second thing in it",
                path.display()
            );
        }
    }
}
