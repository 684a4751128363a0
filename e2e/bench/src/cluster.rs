//! What a cluster's users wait for: a key that opens or dies, an operator that starts, the first 200.
//!
//! ```text
//! propagation  operator, two gateways; probes ask while one change at a time is made; a bare watch beside
//! start        an operator from nothing, and again once everything is resolved
//! scale        many holders: a load, gateways from nothing, and propagation among them
//! playground   `make cluster`
//!      `-> report (table, JSON)
//! ```
//!
//! Each part has a control plane of its own. Nothing is asserted but that answers are right: times are told.

mod kind;
mod playground;
mod probe;
mod propagation;
mod report;
mod scale;
mod start;

use std::{io, path::PathBuf};

use report::Report;

/// Flags of `latchkey-bench cluster`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where the figures go, as JSON.
    #[arg(long, value_name = "FILE", default_value = "target/bench/cluster.json")]
    out: PathBuf,
    /// What is measured.
    #[arg(
        long,
        value_name = "PART",
        value_delimiter = ',',
        default_value = "propagation,start,scale,playground"
    )]
    parts: Vec<Part>,
    /// How many changes of each kind are measured.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    changes: u32,
    /// How many requests a second each probe sends at most; 0: the next when the last is answered. What
    /// probes use of the machine, nobody else has.
    #[arg(long, value_name = "N", default_value_t = 0)]
    probe_rate: u32,
    /// How many Credentials, each with a Secret, the operator starts on.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    credentials: u32,
    /// How many Consumers, each with a Credential, gateways start on.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    holders: u32,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// From a change to the first right answers.
    Propagation,
    /// From an operator's start to the last status.
    Start,
    /// A load, a gateway's start on it, and changes among it.
    Scale,
    /// From `make cluster` to the first 200.
    Playground,
}

/// Measures and reports.
pub(crate) fn run(args: &Args) -> io::Result<()> {
    let wanted = |part| args.parts.contains(&part);
    let report = Report {
        propagation: wanted(Part::Propagation)
            .then(|| propagation::measure(args.changes, args.probe_rate))
            .transpose()?,
        start: wanted(Part::Start)
            .then(|| start::measure(args.credentials))
            .transpose()?,
        scale: wanted(Part::Scale)
            .then(|| scale::measure(args.holders, args.changes, args.probe_rate))
            .transpose()?,
        playground: wanted(Part::Playground).then(playground::measure).transpose()?,
    };
    report.write(&args.out)?;
    report.print(&mut io::stdout().lock(), &args.out)
}
