//! `--listen` and `--workers`: which address stands for which listener's port.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    num::{NonZeroU16, NonZeroUsize},
    str::FromStr,
};

use clap::builder::RangedU64ValueParser;

/// More threads than any machine has use for.
const MAX_WORKERS: u64 = 1024;

/// Where requests are accepted, and by how many threads.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Listeners")]
pub struct ListenArgs {
    /// Bind the listener port PORT of Gateways at ADDR:PORT instead; repeatable. All others are
    /// bound as they are, on all addresses
    #[arg(
        long,
        env = "LATCHKEY_LISTEN",
        value_name = "PORT=ADDR:PORT",
        value_delimiter = ','
    )]
    pub listen: Vec<Listen>,

    /// Threads that serve requests [default: as many as this process may use processors]
    #[arg(long, env = "LATCHKEY_WORKERS", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=MAX_WORKERS))]
    pub workers: Option<usize>,
}

/// A listener's port, and the address that is bound for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listen {
    /// The port that Gateways name.
    pub port: u16,
    /// What is bound.
    pub address: SocketAddr,
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (port, address) = text
            .split_once('=')
            .ok_or("write the listener's port, `=`, and the address to bind, as in 80=127.0.0.1:8080")?;
        let port = port
            .parse::<NonZeroU16>()
            .map_err(|_| format!("`{port}` is no port; write a number from 1 to 65535 before the `=`"))?;
        let address = address.parse().map_err(|_| {
            format!("`{address}` is no address; write IP:PORT after the `=`, [IP]:PORT for IPv6")
        })?;
        Ok(Self {
            port: port.get(),
            address,
        })
    }
}

impl ListenArgs {
    /// What clap cannot check: a port is mapped once, and an address stands for one port.
    ///
    /// # Errors
    /// Which flag contradicts which.
    pub fn check(&self) -> Result<(), String> {
        for (index, one) in self.listen.iter().enumerate() {
            for other in &self.listen[..index] {
                if one.port == other.port {
                    return Err(format!("--listen maps port {} twice; keep one", one.port));
                }
                if one.address == other.address && one.address.port() != 0 {
                    return Err(format!(
                        "--listen binds {} for both port {} and port {}; keep one",
                        one.address, other.port, one.port
                    ));
                }
            }
        }
        Ok(())
    }

    /// The mapping.
    pub fn map(&self) -> BTreeMap<u16, SocketAddr> {
        self.listen
            .iter()
            .map(|listen| (listen.port, listen.address))
            .collect()
    }

    /// How many threads serve requests.
    pub fn workers(&self) -> NonZeroUsize {
        self.workers
            .and_then(NonZeroUsize::new)
            .or_else(|| std::thread::available_parallelism().ok())
            .unwrap_or(NonZeroUsize::MIN)
    }
}
