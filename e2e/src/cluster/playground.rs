//! `latchkey-cluster up` and `down`: a whole Latchkey on a control plane, for people. One process holds
//! all of it in the background; it is asked through a socket in its folder.
//!
//! ```text
//! up, down -> socket -> hold -> Plane (control plane), operator, two gateways, echo
//! ```

mod hold;
mod socket;

use std::{
    env, fs,
    io::{self, Write},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};

pub use hold::hold;

use super::{
    kubectl::kubectl,
    programs::{Programs, repository},
};
use crate::{
    client::{self, Request},
    wait::pause,
};

/// Where the two gateways listen for port 80.
const GATEWAYS: [&str; 2] = ["127.0.0.1:8081", "127.0.0.1:8082"];
/// Their admin servers.
const ADMINS: [&str; 2] = ["127.0.0.1:9191", "127.0.0.1:9192"];
/// The operator's admin server.
const OPERATOR_ADMIN: &str = "127.0.0.1:9290";
/// What `examples/cluster/backend.yaml` says of the echo server.
const ECHO_PORT: u16 = 9080;
/// How long the whole may take to start, and to end.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where a playground is, and what it runs.
#[derive(Clone, Debug, clap::Args)]
pub struct UpArgs {
    /// Where it keeps its kubeconfig, logs, keys and data.
    #[arg(long, value_name = "FOLDER")]
    pub dir: PathBuf,
    /// Where latchkey-operator, latchkey-gateway and latchkey-echo are.
    #[arg(long, value_name = "FOLDER")]
    pub bin_dir: PathBuf,
}

/// Where a playground is.
#[derive(Clone, Debug, clap::Args)]
pub struct DownArgs {
    /// What `up` was given.
    #[arg(long, value_name = "FOLDER")]
    pub dir: PathBuf,
}

/// Starts it, or starts again what died of it, and says what to try.
///
/// # Errors
/// What does not start, and why.
pub fn up(args: &UpArgs) -> anyhow::Result<()> {
    let start = Instant::now();
    fs::create_dir_all(&args.dir).with_context(|| format!("cannot make {}", args.dir.display()))?;
    let dir = args.dir.canonicalize()?;
    if let Some(answer) = socket::ask(&dir, "repair") {
        say(&format!("It runs already: {}", answer?))?;
    } else {
        ports_are_free()?;
        start_holding(&dir, &args.bin_dir)?;
        let kubeconfig = dir.join("kubeconfig");
        let examples = repository().join("examples/cluster").canonicalize()?;
        kubectl_apply(&kubeconfig, &examples)?;
        first_answers()?;
        say(&format!(
            "Started; the first 200 of both gateways came after {:.1} s.",
            start.elapsed().as_secs_f64()
        ))?;
    }
    say(&what_to_try(&dir)?)
}

/// Ends it, and removes its folder.
///
/// # Errors
/// It does not end.
pub fn down(args: &DownArgs) -> anyhow::Result<()> {
    let Ok(dir) = args.dir.canonicalize() else {
        return say("Nothing runs.");
    };
    match socket::ask(&dir, "end") {
        Some(answer) => {
            answer?;
            let start = Instant::now();
            while socket::is_held(&dir)? {
                ensure!(
                    start.elapsed() < PATIENCE,
                    "it does not end; see {}",
                    dir.join("cluster.log").display()
                );
                pause(Duration::from_millis(20));
            }
            say("Ended.")?;
        }
        None => say("Nothing runs.")?,
    }
    fs::remove_dir_all(&dir).with_context(|| format!("cannot remove {}", dir.display()))
}

/// The holder in a session of its own: no terminal ends it.
fn start_holding(dir: &Path, bin_dir: &Path) -> anyhow::Result<()> {
    let log = dir.join("cluster.log");
    let file = fs::File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
    let mut holder = Command::new("setsid")
        .arg(env::current_exe()?)
        .args(["hold", "--dir"])
        .arg(dir)
        .arg("--bin-dir")
        .arg(bin_dir.canonicalize()?)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(file)
        .spawn()
        .context("cannot run setsid (Debian: apt-get install util-linux)")?;
    let start = Instant::now();
    loop {
        // It answers once all of it is ready.
        if let Some(answer) = socket::ask(dir, "repair") {
            answer?;
            return Ok(());
        }
        if let Some(status) = holder.try_wait()? {
            let said = fs::read_to_string(&log)?;
            bail!("{} ({status})", said.trim().trim_start_matches("error: "));
        }
        ensure!(
            start.elapsed() < PATIENCE,
            "it does not start; see {}",
            log.display()
        );
        pause(Duration::from_millis(20));
    }
}

fn ports_are_free() -> anyhow::Result<()> {
    let taken: Vec<_> = GATEWAYS
        .into_iter()
        .chain(ADMINS)
        .chain([OPERATOR_ADMIN])
        .filter(|address| TcpListener::bind(address).is_err())
        .collect();
    ensure!(
        taken.is_empty(),
        "already in use by another program: {}; `ss -ltnp` shows by which",
        taken.join(", ")
    );
    Ok(())
}

fn kubectl_apply(kubeconfig: &Path, folder: &Path) -> anyhow::Result<()> {
    let output = kubectl(kubeconfig, &["apply", "-f", &folder.display().to_string()], "");
    ensure!(output.ok, "cannot apply {}: {}", folder.display(), output.stderr);
    Ok(())
}

/// Waits until both gateways let Alice in.
fn first_answers() -> anyhow::Result<()> {
    let request = Request::get("/api/hello").key("alice-example-key-1");
    let start = Instant::now();
    for gateway in GATEWAYS {
        let address: SocketAddr = gateway.parse()?;
        loop {
            let seen = match client::send(address, &request) {
                Ok(response) if response.status == 200 => break,
                Ok(response) => response.text(),
                Err(e) => e.to_string(),
            };
            ensure!(
                start.elapsed() < PATIENCE,
                "{gateway} does not let Alice in: {seen}"
            );
            pause(Duration::from_millis(2));
        }
    }
    Ok(())
}

fn say(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(io::stdout(), "{text}")?)
}

fn what_to_try(dir: &Path) -> anyhow::Result<String> {
    let kubectl = &Programs::find()?.kubectl;
    let bin = kubectl.parent().unwrap_or(Path::new("/"));
    let [one, two] = GATEWAYS;
    let [admin, _] = ADMINS;
    Ok(format!(
        "
Latchkey runs on a real API server, with examples/cluster applied. Try:

export KUBECONFIG={dir}/kubeconfig PATH={bin}:$PATH

# Alice's key, from a Secret: 200 at both gateways, and the upstream shows who she is
curl -i http://{one}/api/hello -H 'X-API-Key: alice-example-key-1'
curl -i http://{two}/api/hello -H 'X-API-Key: alice-example-key-1'

# Bob's key, known by its hash alone, in the query: 200
curl -i 'http://{one}/api/hello?api_key=bob-example-key-2'

# no key: 401; the open route: 200
curl -i http://{one}/api/hello
curl -i http://{one}/open/hello

# what the operator says of them
kubectl get gateways,httproutes,authpolicies,consumers,credentials

# take Alice's key away: the next request is a 401, at both gateways
kubectl delete credential alice-laptop
curl -i http://{one}/api/hello -H 'X-API-Key: alice-example-key-1'

# and give it back
kubectl apply -f examples/cluster/alice.yaml

# what a gateway holds, and its metrics
curl -s http://{admin}/debug/index
curl -s http://{admin}/metrics

Logs are in {dir}; make cluster-down ends it all.",
        dir = dir.display(),
        bin = bin.display(),
    ))
}
