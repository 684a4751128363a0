//! `latchkey-workload`: works as the gateway does, with its allocator.

use std::{io, process::ExitCode};

use clap::Parser;
use latchkey_workload::{Args, run};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> io::Result<ExitCode> {
    run(&Args::parse(), None).map(|()| ExitCode::SUCCESS)
}
