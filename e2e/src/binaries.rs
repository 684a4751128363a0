//! Where the binaries under test are: as told by the environment, or built once per run.
//!
//! `LATCHKEY_BIN_DIR` holds all; `LATCHKEY_GATEWAY_BIN` and its like replace one.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::logs::target_dir;

/// The gateway.
pub fn gateway() -> PathBuf {
    find("LATCHKEY_GATEWAY_BIN", "latchkey-gateway")
}

/// The echo upstream.
pub fn echo() -> PathBuf {
    find("LATCHKEY_ECHO_BIN", "latchkey-echo")
}

/// The operator.
pub fn operator() -> PathBuf {
    find("LATCHKEY_OPERATOR_BIN", "latchkey-operator")
}

/// What holds a control plane.
pub fn cluster() -> PathBuf {
    find("LATCHKEY_CLUSTER_BIN", "latchkey-cluster")
}

fn find(variable: &str, name: &str) -> PathBuf {
    match (env::var_os(variable), env::var_os("LATCHKEY_BIN_DIR")) {
        (Some(file), _) => file.into(),
        (None, Some(dir)) => Path::new(&dir).join(name),
        (None, None) => built().join(name),
    }
}

/// Builds them all with the `e2e` profile and gives the directory they are in.
fn built() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let target = target_dir();
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--profile", "e2e"])
            .args([
                "-p",
                "latchkey-gateway",
                "-p",
                "latchkey-operator",
                "-p",
                "latchkey-echo",
            ])
            .args(["-p", "latchkey-e2e", "--bins", "--target-dir"])
            .arg(&target)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo runs: it built this test");
        assert!(status.success(), "the binaries under test do not build: {status}");
        target.join("e2e")
    })
}
