//! `latchkey-workload-counted`: the same with an allocator that counts what is asked of it.

use std::{io, process::ExitCode};

use clap::Parser;
use latchkey_workload::{Args, Counter, run};

fn main() -> io::Result<ExitCode> {
    let counter: Counter = |work| {
        let info = allocation_counter::measure(work);
        (info.bytes_total, info.bytes_current)
    };
    run(&Args::parse(), Some(counter)).map(|()| ExitCode::SUCCESS)
}
