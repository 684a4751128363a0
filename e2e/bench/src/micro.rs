//! What must not grow with what exists, and what it costs: changes, look-ups, lists, memory.
//!
//! ```text
//! instructions (workload under callgrind)  \
//! native (workload as it is)                -+-> figures -> report (table, JSON)
//! requests (gateways under callgrind)        /
//! change (two standalone gateways)         /
//! ```

mod callgrind;
mod change;
mod instructions;
mod native;
mod report;
mod requests;
mod standalone;

use std::{io, path::PathBuf, process::ExitCode};

use latchkey_workload::catalogue::Figures;

use crate::progress;

/// Flags of `latchkey-bench micro`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The gateway's binary.
    #[arg(long, value_name = "FILE")]
    gateway: PathBuf,
    /// The workload's binary. The one that counts bytes stands beside it, as FILE-counted.
    #[arg(long, value_name = "FILE")]
    workload: PathBuf,
    /// Where the figures go, as a flat JSON map of names to numbers. The table stands beside it as .txt.
    #[arg(long, value_name = "FILE", default_value = "target/bench/micro.json")]
    out: PathBuf,
    /// What is measured.
    #[arg(
        long,
        value_name = "PART",
        value_delimiter = ',',
        default_value = "instructions,memory,timings,selfcheck,relist,growth,stall,requests,standalone"
    )]
    only: Vec<Part>,
    /// Instructions among up to 50,000 pairs alone, which takes a minute.
    #[arg(long)]
    quick: bool,
    /// How many pairs of changes to standalone gateways are measured.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(30..=10_000))]
    pairs: u32,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Instructions of changes and look-ups, by callgrind.
    Instructions,
    /// Bytes of a Consumer and its Credential.
    Memory,
    /// Times of changes and look-ups.
    Timings,
    /// Changes while the self-check runs.
    Selfcheck,
    /// Lists of a million.
    Relist,
    /// From a thousand to a million by events.
    Growth,
    /// What a request waits for while a million are replaced.
    Stall,
    /// What a request costs a gateway.
    Requests,
    /// Changes of a standalone gateway.
    Standalone,
}

/// Measures and reports; fails when something that must hold is known not to.
pub(crate) fn run(args: &Args) -> io::Result<ExitCode> {
    let parts = if args.quick {
        &[Part::Instructions][..]
    } else {
        &args.only
    };
    let mut figures = Figures::new();
    for part in parts {
        figures.extend(part.measure(args)?);
    }
    let report = report::Report::of(figures)?;
    report.write(&args.out)?;
    report.print(&mut io::stdout().lock(), &args.out)?;
    Ok(if report.fails() {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

impl Part {
    fn measure(self, args: &Args) -> io::Result<Figures> {
        let native = |what: &str, part: &str, rounds| {
            progress(what)?;
            native::run(&args.workload, part, rounds)
        };
        match self {
            Self::Instructions => {
                progress("counting instructions; the largest index takes some minutes")?;
                instructions::measure(&args.workload, &args.out.with_file_name("callgrind"), args.quick)
            }
            Self::Memory => {
                let mut figures = native(
                    "filling an index with a million pairs, for its memory",
                    "memory",
                    1,
                )?;
                let mut counted = args.workload.clone().into_os_string();
                counted.push("-counted");
                figures.extend(native::run(counted.as_ref(), "memory", 1)?);
                Ok(figures)
            }
            Self::Timings => native(
                "timing changes and look-ups among 50,000 and a million pairs",
                "timings",
                40,
            ),
            Self::Selfcheck => native(
                "timing changes while the self-check goes round a million pairs",
                "selfcheck",
                1,
            ),
            Self::Relist => native("listing a million pairs again, and a million others", "relist", 3),
            Self::Growth => native("growing from 1,000 pairs to a million by events", "growth", 1),
            Self::Stall => native("looking up while a million pairs are replaced", "stall", 3),
            Self::Requests => {
                let folder = args.out.with_file_name("callgrind-requests");
                requests::measure(&args.gateway, &args.workload, &folder)
            }
            Self::Standalone => standalone::measure(&args.gateway, args.pairs),
        }
    }
}
