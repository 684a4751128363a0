//! What must not grow with what exists: one change of a standalone gateway.
//!
//! ```text
//! change (two gateways, one change at a time) -> report (table, JSON)
//! ```

mod change;
mod report;

use std::{io, path::PathBuf, process::ExitCode};

/// Flags of `latchkey-bench micro`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
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

/// Measures and reports; fails when something that must hold is known not to.
pub(crate) fn run(args: &Args) -> io::Result<ExitCode> {
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
