//! Where the output of a test's processes is kept: `target/e2e-logs/<run>/<test>/`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
    sync::OnceLock,
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

/// How many runs are kept.
const RUNS: usize = 8;

/// The folder of one test's logs.
#[derive(Clone, Debug)]
pub struct Logs(PathBuf);

impl Logs {
    /// The folder of the running test. The test runner names threads after tests.
    pub fn of_this_test() -> Self {
        Self::named(&thread::current().name().unwrap_or("unnamed").replace("::", "."))
    }

    /// A folder of this name.
    pub fn named(name: &str) -> Self {
        let dir = run_dir().join(name);
        fs::create_dir_all(&dir).unwrap_or_else(|e| panic!("cannot create {}: {e}", dir.display()));
        Self(dir)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A new file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        (0..)
            .map(|n| {
                self.0.join(if n == 0 {
                    name.to_owned()
                } else {
                    format!("{n}.{name}")
                })
            })
            .find(|path| fs::File::create_new(path).is_ok())
            .expect("an unbounded range of names holds a free one")
    }
}

/// Cargo's target directory: as told, or the one this executable lies in.
pub fn target_dir() -> PathBuf {
    if let Some(dir) = env::var_os("CARGO_TARGET_DIR") {
        return dir.into();
    }
    let exe = env::current_exe().expect("the path of a running executable is known");
    exe.ancestors()
        .find(|dir| dir.join("CACHEDIR.TAG").exists())
        .map_or_else(env::temp_dir, Path::to_owned)
}

fn run_dir() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let all = target_dir().join("e2e-logs");
        forget_old_runs(&all);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |age| age.as_secs());
        all.join(format!("{now}-{}", process::id()))
    })
}

fn forget_old_runs(all: &Path) {
    let Ok(entries) = fs::read_dir(all) else {
        return;
    };
    let mut runs: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    runs.sort();
    for run in runs.iter().rev().skip(RUNS - 1) {
        // Another run may be doing the same.
        let _ = fs::remove_dir_all(run);
    }
}
