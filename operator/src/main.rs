//! The operator's process: nothing but its allocator and its flags.

use std::process::ExitCode;

use latchkey_operator::args::Args;

/// The gateway's, for the same reason: many small, short-lived objects.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    Args::of_this_process().run()
}
