//! Where the binaries under test are: as told by the environment, or built once per run.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::logs::target_dir;

/// The gateway: `LATCHKEY_GATEWAY_BIN`, or a build of this workspace.
pub fn gateway() -> PathBuf {
    find("LATCHKEY_GATEWAY_BIN", "latchkey-gateway")
}

/// The echo upstream: `LATCHKEY_ECHO_BIN`, or a build of this workspace.
pub fn echo() -> PathBuf {
    find("LATCHKEY_ECHO_BIN", "latchkey-echo")
}

fn find(variable: &str, name: &str) -> PathBuf {
    env::var_os(variable).map_or_else(|| built().join(name), PathBuf::from)
}

/// Builds both binaries with the `e2e` profile and gives the directory they are in.
fn built() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let target = target_dir();
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--profile", "e2e"])
            .args(["-p", "latchkey-gateway", "-p", "latchkey-echo", "--target-dir"])
            .arg(&target)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo runs: it built this test");
        assert!(status.success(), "the binaries under test do not build: {status}");
        target.join("e2e")
    })
}
