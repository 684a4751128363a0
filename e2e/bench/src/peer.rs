//! Our side of a bench that drives several gateways alike: the folder of a variant, and the change of one key.
//!
//! Whoever drives says what it wants by the environment: `BENCH_VARIANT`, `BENCH_DIR` (a folder of its own),
//! `BENCH_UPSTREAM` (`ADDR:PORT`), `BENCH_KEYS` (a file of `KEY CONSUMER` lines) and `BENCH_ROUTES` (a number).

use std::{
    env, fs,
    io::{self, BufRead, Write},
    net::SocketAddr,
    path::PathBuf,
    str::FromStr,
};

use clap::Subcommand;
use latchkey_e2e::{
    folder::Folder,
    gateway::PORT,
    manifest::{Manifest, auth_policy, consumer, credential, gateway, http_route},
    scene::backend,
};

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Args {
    /// Writes the objects of BENCH_VARIANT into BENCH_DIR/objects, one file a Consumer or route.
    Folder,
    /// Prints `ready`, then reads lines `CONSUMER OLD_KEY NEW_KEY`, puts each in place and prints `ok`, until there
    /// are no more.
    Churn,
}

pub(crate) fn run(args: &Args) -> io::Result<()> {
    let folder = Folder::at(PathBuf::from(setting("BENCH_DIR")?).join("objects"));
    match args {
        Args::Folder => fill(&folder),
        Args::Churn => churn(&folder, io::stdin().lock(), io::stdout().lock()),
    }
}

fn fill(folder: &Folder) -> io::Result<()> {
    if folder.path().exists() {
        fs::remove_dir_all(folder.path())?;
    }
    fs::create_dir_all(folder.path())?;
    let upstream: SocketAddr = parsed("BENCH_UPSTREAM")?;
    folder.write("gateway.yaml", &[gateway("edge", PORT)]);
    folder.write("upstream.yaml", &backend("upstream", upstream));
    match &*setting("BENCH_VARIANT")? {
        "plain" => folder.write("route.yaml", &[all()]),
        "keyauth" | "churn" | "churn100" => {
            let policy = auth_policy("keys").target("HTTPRoute", "all");
            folder.write("route.yaml", &[all(), policy]);
            for line in fs::read_to_string(setting("BENCH_KEYS")?)?.lines() {
                let (key, name) = line.split_once(' ').ok_or_else(|| invalid("BENCH_KEYS", line))?;
                folder.write(&file(name), &holder(name, key));
            }
        }
        "routes" | "metrics" => {
            for number in 0..parsed::<usize>("BENCH_ROUTES")? {
                let name = format!("r{number:05}");
                let route = http_route(&name, "edge", &format!("{name}.test")).backend("upstream");
                folder.write(&format!("{name}.yaml"), &[route]);
            }
        }
        other => return Err(invalid("BENCH_VARIANT", other)),
    }
    Ok(())
}

fn churn(folder: &Folder, wanted: impl BufRead, mut done: impl Write) -> io::Result<()> {
    writeln!(done, "ready")?;
    done.flush()?;
    for line in wanted.lines() {
        let line = line?;
        let [name, _, key] = line.split(' ').collect::<Vec<_>>()[..] else {
            return Err(invalid("a line", &line));
        };
        folder.write(&file(name), &holder(name, key));
        writeln!(done, "ok")?;
        done.flush()?;
    }
    Ok(())
}

/// A route for every host.
fn all() -> Manifest {
    http_route("all", "edge", "*")
        .unset("spec.hostnames")
        .backend("upstream")
}

fn file(consumer: &str) -> String {
    format!("{consumer}.yaml")
}

fn holder(name: &str, key: &str) -> [Manifest; 2] {
    [consumer(name), credential(name, name).sha256(key)]
}

fn setting(name: &str) -> io::Result<String> {
    env::var(name)
        .map_err(|_| io::Error::other(format!("{name} is not set; see `latchkey-bench peer --help`")))
}

fn parsed<T: FromStr>(name: &str) -> io::Result<T> {
    let value = setting(name)?;
    value.parse().map_err(|_| invalid(name, &value))
}

fn invalid(what: &str, value: &str) -> io::Error {
    io::Error::other(format!("{what} cannot be `{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_replaces_the_file_of_its_consumer_and_says_so() {
        let folder = Folder::new();
        folder.write(&file("a"), &holder("a", "old"));
        let before = fs::read_to_string(folder.file("a.yaml")).unwrap();
        let mut done = Vec::new();
        churn(&folder, &b"a old new\nb older newer\n"[..], &mut done).unwrap();
        assert_eq!(done, b"ready\nok\nok\n");
        let after = fs::read_to_string(folder.file("a.yaml")).unwrap();
        assert_ne!(before, after);
        assert_eq!(
            after,
            holder("a", "new").each_ref().map(Manifest::yaml).join("---\n")
        );
        assert!(folder.file("b.yaml").exists());
    }

    #[test]
    fn a_line_of_something_else_ends_it_with_the_line_named() {
        let error = churn(&Folder::new(), &b"a b\n"[..], Vec::new()).unwrap_err();
        assert!(error.to_string().contains("`a b`"), "{error}");
    }
}
