//! A network namespace of its own for a control plane, joined to the host by a veth pair.
//!
//! ```text
//! host 198.1x.y.1 (lk-1x-y) <- veth -> (eth0) 198.1x.y.2 namespace, no way out of it
//! ```
//!
//! The namespace has no name: it lives while a process is in it, so nothing can leave it behind, and
//! the pair goes with it. The addresses are of 198.18.0.0/15, which RFC 2544 keeps for tests: no
//! network that a machine is on uses them, and an EndpointSlice takes them (loopback it refuses).

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Write},
    net::Ipv4Addr,
    process::{self, Command, Stdio},
};

use anyhow::{Context, bail, ensure};

use super::child::tethered;

/// How many networks there are to choose from: the /24s of the /15.
const NETWORKS: u32 = 512;

/// The namespace and the pair. Dropping it removes both.
#[derive(Debug)]
pub(crate) struct Network {
    id: Id,
    holder: Holder,
}

/// Which network: the second and the third part of its addresses.
type Id = (u8, u8);

/// The one whose addresses are known beforehand.
const FIXED: Id = (18, 0);

impl Network {
    /// Makes one that no other has.
    ///
    /// # Errors
    /// Not allowed, or no network is free.
    pub(crate) fn create() -> anyhow::Result<Self> {
        let holder = Holder::start()?;
        let start = process::id().wrapping_mul(0x9E37_79B1) >> 16;
        for n in 0..NETWORKS {
            let [.., second, third] = ((start + n) % NETWORKS).to_be_bytes();
            let id = (18 + second, third);
            if id != FIXED && claim(&holder, id)? {
                return Self::of(holder, id);
            }
        }
        bail!("all networks of 198.18.0.0/15 are in use: see `ip link`")
    }

    /// Makes 198.18.0.0/24, which [`Network::create`] leaves alone.
    ///
    /// # Errors
    /// Not allowed, or it is in use.
    pub(crate) fn create_fixed() -> anyhow::Result<Self> {
        let holder = Holder::start()?;
        ensure!(
            claim(&holder, FIXED)?,
            "198.18.0.0/24 is in use: a cluster of another checkout may run, see `ip link show {}`",
            link_name(FIXED)
        );
        Self::of(holder, FIXED)
    }

    fn of(holder: Holder, id: Id) -> anyhow::Result<Self> {
        let network = Self { id, holder };
        network.configure()?;
        Ok(network)
    }

    fn configure(&self) -> anyhow::Result<()> {
        let link = link_name(self.id);
        ip(&["address", "add", &format!("{}/24", self.host()), "dev", &link])?;
        ip(&["link", "set", &link, "up"])?;
        let inside = format!("{}/24", self.inside());
        for args in [
            ["address", "add", inside.as_str(), "dev", "eth0"].as_slice(),
            &["link", "set", "eth0", "up"],
            &["link", "set", "lo", "up"],
        ] {
            let mut command = Command::new("nsenter");
            command.arg(self.enter()).args(["--", "ip"]).args(args);
            run(&mut command)?;
        }
        Ok(())
    }

    /// The host's address on it.
    pub(crate) fn host(&self) -> Ipv4Addr {
        Ipv4Addr::new(198, self.id.0, self.id.1, 1)
    }

    /// The namespace's address.
    pub(crate) fn inside(&self) -> Ipv4Addr {
        Ipv4Addr::new(198, self.id.0, self.id.1, 2)
    }

    /// A command inside of the namespace that dies with this thread.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = tethered("nsenter");
        command.arg(self.enter()).arg("--").arg(program);
        command
    }

    /// `nsenter`'s argument.
    fn enter(&self) -> String {
        format!("--net=/proc/{}/ns/net", self.holder.pid())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // The kernel would do it with the namespace, but later: the name is to be free at once.
        let _ = ip(&["link", "delete", &link_name(self.id)]);
    }
}

fn link_name((second, third): Id) -> String {
    format!("lk-{second}-{third}")
}

/// Makes the pair. The kernel arbitrates: a network belongs to who made the link of its name. False
/// if somebody has.
fn claim(holder: &Holder, id: Id) -> anyhow::Result<bool> {
    let (link, namespace) = (link_name(id), holder.pid().to_string());
    let pair = ["type", "veth", "peer", "name", "eth0", "netns", &namespace];
    match ip(&[&["link", "add", link.as_str()], pair.as_slice()].concat()) {
        Ok(()) => Ok(true),
        Err(e) if format!("{e:#}").contains("File exists") => Ok(false),
        Err(e) => Err(e.context("cannot make a veth pair")),
    }
}

/// The process that keeps a namespace: `cat`, which ends with its standard input.
#[derive(Debug)]
struct Holder(process::Child);

impl Holder {
    /// In a new namespace.
    fn start() -> anyhow::Result<Self> {
        ensure!(
            rustix::process::geteuid().is_root(),
            "a control plane runs in a network namespace of its own, which only root may make: run this as root"
        );
        let process = tethered("unshare")
            .args(["--net", "--", "cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run setpriv (Debian: apt-get install util-linux)")?;
        let mut holder = Self(process);
        // What comes back has gone through `cat`, which runs in the namespace.
        let mut back = String::new();
        let asked = holder.0.stdin.as_mut().map(|pipe| pipe.write_all(b"there\n"));
        if let (Some(Ok(())), Some(pipe)) = (asked, holder.0.stdout.as_mut()) {
            BufReader::new(pipe).read_line(&mut back)?;
        }
        ensure!(
            !back.is_empty(),
            "cannot make a network namespace (unshare --net): is this container allowed to?"
        );
        Ok(holder)
    }

    fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // Either may fail only because it has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn ip(args: &[&str]) -> anyhow::Result<()> {
    run(Command::new("ip").args(args))
}

fn run(command: &mut Command) -> anyhow::Result<()> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?} (Debian: apt-get install iproute2 util-linux)"))?;
    ensure!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}
