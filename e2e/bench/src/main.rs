//! `latchkey-bench`: measures what must not grow with what exists, and writes the figures down.
//!
//! ```text
//! main (flags) -> change (two gateways, one change at a time) -> stats -> report (table, JSON)
//! ```

mod change;
mod report;
mod stats;

use std::{io, path::PathBuf, process::ExitCode};

use clap::Parser;

/// Measures the standalone gateway; ratios decide, absolute times are only as good as the machine
/// is quiet.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    /// The gateway's binary.
    #[arg(long, value_name = "FILE")]
    gateway: PathBuf,
    /// Where the figures go, as JSON.
    #[arg(long, value_name = "FILE", default_value = "target/bench/micro.json")]
    out: PathBuf,
    /// How many pairs of changes are measured.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(30..=10_000))]
    pairs: u32,
}

fn main() -> io::Result<ExitCode> {
    let args = Args::parse();
    let pairs = change::measure(&args.gateway, args.pairs)?;
    let report = report::Report::of(&pairs);
    report.write(&args.out)?;
    report.print(&mut io::stdout().lock(), &args.out)?;
    Ok(if report.fails() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}
