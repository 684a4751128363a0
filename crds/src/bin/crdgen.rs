//! Writes the CRDs into `manifests/`, or says which files there are not what the types say.

use std::{
    env, fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use latchkey_crds::manifests;

const USAGE: &str = "usage: crdgen --write | --check [DIR]\n\
    \n  --write  writes one file a kind into DIR\n  --check  fails if a file in DIR is not what --write would write\
    \n\nDIR is crds/manifests of this source tree by default.";

fn main() -> ExitCode {
    let mut args = env::args().skip(1);
    let mode = args.next();
    let dir = args.next().map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("manifests"),
        PathBuf::from,
    );
    let run = match (mode.as_deref(), args.next()) {
        (Some("--write"), None) => write,
        (Some("--check"), None) => check,
        _ => return fail(2, USAGE),
    };
    match run(&dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => fail(1, &message),
    }
}

fn write(dir: &Path) -> Result<(), String> {
    each(dir, |path, text| {
        fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
    })
}

fn check(dir: &Path) -> Result<(), String> {
    each(dir, |path, text| match fs::read_to_string(path) {
        Ok(found) if found == text => Ok(()),
        Ok(_) => Err(format!("{} is out of date; run crdgen --write", path.display())),
        Err(error) => Err(format!(
            "cannot read {}: {error}; run crdgen --write",
            path.display()
        )),
    })
}

/// Calls `act` with the path and the text of each file.
fn each(dir: &Path, act: impl Fn(&Path, &str) -> Result<(), String>) -> Result<(), String> {
    for definition in manifests::definitions() {
        let path = dir.join(manifests::file_name(&definition));
        let text = manifests::yaml(&definition).map_err(|error| format!("{}: {error}", path.display()))?;
        act(&path, &text)?;
    }
    Ok(())
}

fn fail(code: u8, message: &str) -> ExitCode {
    // Nothing is left to tell anyone if standard error is closed; the exit code still says it.
    let _ = writeln!(io::stderr(), "{message}");
    ExitCode::from(code)
}
