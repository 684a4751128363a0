//! `latchkey-bench`: measures what must stay small, and writes the figures down.
//!
//! ```text
//! main (subcommand) -> micro    the index and the router alone, and two standalone gateways
//!                   -> cluster  operator and two gateways on a real control plane
//!                   -> load     many objects into any cluster
//!                   -> peer     our side of a bench that drives several gateways alike
//! the first two: measure -> stats, verdict -> report (table, JSON)
//! ```

mod cluster;
mod load;
mod micro;
mod peer;

use std::{
    io::{self, Write},
    process::ExitCode,
};

use clap::{Parser, Subcommand};

/// Ratios and differences decide; absolute times are only as good as the machine is quiet.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What a change, a look-up, a list and memory cost, among few and among many.
    Micro(micro::Args),
    /// How long a change takes from the API server to a gateway, and what the operator needs to start. Needs root.
    Cluster(cluster::Args),
    /// Fills a cluster with Consumers and Credentials, or deletes what was filled in.
    Load(load::Args),
    /// Our side of a bench that drives several gateways alike: what own-gateway and own-churn do.
    #[command(subcommand)]
    Peer(peer::Args),
}

fn main() -> ExitCode {
    run(&Args::parse().command).unwrap_or_else(|e| {
        // Nobody is left to tell if this fails.
        let _ = writeln!(io::stderr(), "error: {e}");
        ExitCode::FAILURE
    })
}

fn run(command: &Command) -> io::Result<ExitCode> {
    match command {
        Command::Micro(args) => micro::run(args),
        Command::Cluster(args) => cluster::run(args).map(|()| ExitCode::SUCCESS),
        Command::Load(args) => load::run(args).map(|()| ExitCode::SUCCESS),
        Command::Peer(args) => peer::run(args).map(|()| ExitCode::SUCCESS),
    }
}

/// A line about what goes on, for whoever waits.
fn progress(what: &str) -> io::Result<()> {
    writeln!(io::stderr(), "    {what}")
}
