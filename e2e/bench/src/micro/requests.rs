//! What one request costs the whole gateway: instructions and allocations under callgrind, and what the access
//! log adds in time.
//!
//! ```text
//! gateway under valgrind (counting switched off) -> ready -> warm -> count: on, N requests, dump
//! ```
//!
//! Instructions are those of the program; what the kernel does for its sockets is in none of them.

mod accesslog;
mod profile;

use std::{
    fs, io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use latchkey_e2e::{
    address::Address,
    client::{Connection, Request},
    folder::Folder,
    gateway::{Gateway, PORT, Starter},
    logs::Logs,
    manifest::{consumer, credential, gateway, http_route},
    scene,
    upstream::Upstream,
    wait::eventually_within,
};
use latchkey_workload::catalogue::Figures;

use self::profile::Profile;
use super::instructions;
use crate::progress;

/// Consumers of the gateway that asks for keys.
const CONSUMERS: usize = 50_000;
/// Routes of the gateway with many.
const ROUTES: usize = 10_000;
/// Requests before the first that counts.
const WARM_UP: usize = 300;
/// Requests that count.
const REQUESTS: usize = 3_000;
/// Under valgrind a gateway takes this long to read its folder.
const START: Duration = Duration::from_secs(600);
/// Keys and hosts that requests go through in turn.
const VARIETY: usize = 100;

/// Measures all.
pub(crate) fn measure(gateway: &Path, workload: &Path, folder: &Path) -> io::Result<Figures> {
    fs::create_dir_all(folder)?;
    let hashing = instructions::hashing(workload, folder)?;
    let mut figures = Figures::new();
    for (name, town) in [
        ("plain", Town::plain as fn(SocketAddr) -> Town),
        ("keyauth", Town::keyed),
        ("routes_10k", Town::of_routes),
    ] {
        progress(&format!("counting what a request costs a gateway: {name}"))?;
        let profile = town_profile(gateway, folder, name, town)?;
        let per_request = |number: f64| number / f64::from(u32::try_from(REQUESTS).unwrap_or(u32::MAX));
        let hashed = if name == "keyauth" { hashing } else { 0.0 };
        let instructions = per_request(profile.instructions) - hashed;
        figures.insert(format!("request_instructions_{name}"), instructions);
        let allocations = per_request(profile.allocations);
        figures.insert(format!("allocations_per_request_{name}"), allocations);
    }
    for name in ["keyauth", "routes_10k"] {
        let [of, plain] = [name, "plain"].map(|name| figures[&format!("request_instructions_{name}")]);
        figures.insert(format!("{name}_instructions_ratio"), of / plain);
    }
    figures.extend(accesslog::measure(gateway)?);
    Ok(figures)
}

/// A folder, and the requests that its gateway is asked.
struct Town {
    folder: Folder,
    requests: Vec<Request>,
}

impl Town {
    fn new(upstream: SocketAddr) -> Self {
        let folder = Folder::new();
        folder.write("gateway.yaml", &[gateway("edge", PORT)]);
        folder.write("echo.yaml", &scene::backend("echo", upstream));
        Self {
            folder,
            requests: Vec::new(),
        }
    }

    /// One open route.
    fn plain(upstream: SocketAddr) -> Self {
        let mut town = Self::new(upstream);
        town.folder.write("route.yaml", &[scene::route()]);
        town.requests = vec![Request::get("/")];
        town
    }

    /// One route that asks for a key, and many that have one.
    fn keyed(upstream: SocketAddr) -> Self {
        let mut town = Self::plain(upstream);
        town.folder.write("policy.yaml", &[scene::policy()]);
        let key = |number: usize| format!("a key of consumer {number:06}");
        for number in 0..CONSUMERS {
            let name = format!("c-{number:06}");
            let holder = [consumer(&name), credential(&name, &name).sha256(&key(number))];
            town.folder.write(&format!("{name}.yaml"), &holder);
        }
        let numbers = (0..VARIETY).map(|number| number * (CONSUMERS / VARIETY));
        town.requests = numbers
            .map(|number| Request::get("/").key(&key(number)))
            .collect();
        town
    }

    /// Many open routes, each of a host.
    fn of_routes(upstream: SocketAddr) -> Self {
        let mut town = Self::new(upstream);
        let host = |number: usize| format!("r{number:05}.test");
        for number in 0..ROUTES {
            let name = format!("r{number:05}");
            let route = http_route(&name, "edge", &host(number)).backend("echo");
            town.folder.write(&format!("{name}.yaml"), &[route]);
        }
        let numbers = (0..VARIETY).map(|number| number * (ROUTES / VARIETY));
        town.requests = numbers
            .map(|number| Request::get("/").host(&host(number)))
            .collect();
        town
    }

    /// A gateway that does nothing by itself while requests are counted.
    fn start<'a>(
        &'a self,
        binary: PathBuf,
        address: &'a Address,
        logs: &'a Logs,
        access_log: &'static str,
    ) -> Gateway<'a> {
        const NEVER: &str = "1h";
        let mut gateway = Starter::new(&self.folder, address, logs)
            .binary(binary)
            .measured()
            .access_log(access_log)
            .args(&["--metrics-refresh-interval", NEVER, "--self-check-interval", "0s"])
            .args(&["--standalone-poll-interval", NEVER])
            .start_unready();
        eventually_within(START, "the gateway is ready", || gateway.ready());
        gateway
    }

    /// Asks so often, over one connection, for each in turn.
    fn ask(&self, connection: &mut Connection, times: usize) -> io::Result<()> {
        for request in self.requests.iter().cycle().take(times) {
            let status = connection.send(request)?.status;
            if status != 200 {
                return Err(io::Error::other(format!(
                    "a request was answered {status}, not 200"
                )));
            }
        }
        Ok(())
    }
}

fn town_profile(
    gateway: &Path,
    folder: &Path,
    name: &str,
    town: fn(SocketAddr) -> Town,
) -> io::Result<Profile> {
    let upstream = Upstream::answering("ok");
    let town = town(upstream.address());
    let (address, logs) = (Address::claim(), Logs::named("bench"));
    let dump = folder.join(format!("callgrind.requests.{name}"));
    let running = town.start(profile::under_valgrind(gateway, &dump)?, &address, &logs, "off");
    let mut connection = running.connect();
    town.ask(&mut connection, WARM_UP)?;
    let pid = running.process().pid();
    tell(pid, &["instrumentation", "on"])?;
    // Switched on, it forgets what it knew of the running code, which the first requests pay for.
    town.ask(&mut connection, VARIETY)?;
    tell(pid, &["zero"])?;
    town.ask(&mut connection, REQUESTS)?;
    tell(pid, &["dump"])?;
    Profile::read(&PathBuf::from(format!("{}.1", dump.display())))
}

fn tell(pid: u32, words: &[&str]) -> io::Result<()> {
    let told = Command::new("vgdb")
        .arg(format!("--pid={pid}"))
        .args(words)
        .output()?;
    if told.status.success() {
        return Ok(());
    }
    let why = String::from_utf8_lossy(&told.stderr);
    Err(io::Error::other(format!(
        "vgdb cannot say {words:?}: {}",
        why.trim()
    )))
}
