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
    path::PathBuf,
    process::{self, Command, Stdio},
};

use anyhow::{Context, bail, ensure};

use super::child::tethered;

/// How many networks there are to choose from: the /24s of the /15.
const NETWORKS: u32 = 512;

/// The namespace and the pair. Dropping it removes both.
#[derive(Debug)]
pub(crate) struct Network {
    second: u8,
    third: u8,
    /// The process that keeps the namespace: `cat`, which ends with its standard input.
    holder: process::Child,
}

impl Network {
    /// Makes one that no other has.
    ///
    /// # Errors
    /// Not allowed, or no network is free.
    pub(crate) fn create() -> anyhow::Result<Self> {
        ensure!(
            rustix::process::geteuid().is_root(),
            "a control plane runs in a network namespace of its own, which only root may make: run this as root"
        );
        let holder = hold()?;
        let start = process::id().wrapping_mul(0x9E37_79B1) >> 16;
        for n in 0..NETWORKS {
            let [.., second, third] = ((start + n) % NETWORKS).to_be_bytes();
            let link = link_name(18 + second, third);
            // The kernel arbitrates: the network belongs to who made the link of its name.
            let namespace = holder.id().to_string();
            let add = [
                "link",
                "add",
                link.as_str(),
                "type",
                "veth",
                "peer",
                "name",
                "eth0",
                "netns",
                &namespace,
            ];
            match ip(&add) {
                Ok(()) => {
                    let network = Self {
                        second: 18 + second,
                        third,
                        holder,
                    };
                    network.configure()?;
                    return Ok(network);
                }
                Err(e) if format!("{e:#}").contains("File exists") => {}
                Err(e) => return Err(e.context("cannot make a veth pair")),
            }
        }
        bail!("all {NETWORKS} networks of 198.18.0.0/15 are in use: see `ip link`")
    }

    fn configure(&self) -> anyhow::Result<()> {
        let link = link_name(self.second, self.third);
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
        Ipv4Addr::new(198, self.second, self.third, 1)
    }

    /// The namespace's address.
    pub(crate) fn inside(&self) -> Ipv4Addr {
        Ipv4Addr::new(198, self.second, self.third, 2)
    }

    /// A command inside of the namespace that dies with this thread.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = tethered("nsenter");
        command.arg(self.enter()).arg("--").arg(program);
        command
    }

    /// `nsenter`'s argument.
    fn enter(&self) -> String {
        let file = PathBuf::from(format!("/proc/{}/ns/net", self.holder.id()));
        format!("--net={}", file.display())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // The kernel would do it with the namespace, but later: the name is to be free at once.
        let _ = ip(&["link", "delete", &link_name(self.second, self.third)]);
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

fn link_name(second: u8, third: u8) -> String {
    format!("lk-{second}-{third}")
}

/// A process in a new network namespace.
fn hold() -> anyhow::Result<process::Child> {
    let mut holder = tethered("unshare")
        .args(["--net", "--", "cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run setpriv (Debian: apt-get install util-linux)")?;
    // What comes back has gone through `cat`, which runs in the namespace.
    let mut back = String::new();
    let asked = holder.stdin.as_mut().map(|pipe| pipe.write_all(b"there\n"));
    if let (Some(Ok(())), Some(pipe)) = (asked, holder.stdout.as_mut()) {
        BufReader::new(pipe).read_line(&mut back)?;
    }
    if back.is_empty() {
        let _ = holder.kill();
        let _ = holder.wait();
        bail!("cannot make a network namespace (unshare --net): is this container allowed to?");
    }
    Ok(holder)
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
