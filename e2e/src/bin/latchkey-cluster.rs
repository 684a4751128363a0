//! `latchkey-cluster`: a real control plane in a network namespace of its own.

use std::io::Write;

use clap::{Parser, Subcommand};
use latchkey_e2e::cluster::{
    playground::{DownArgs, UpArgs, down, hold, up},
    serve::{ServeArgs, serve},
};

/// A real Kubernetes control plane (etcd, kube-apiserver, kube-controller-manager) in a network
/// namespace of its own, joined to this machine. Needs root.
#[derive(Debug, Parser)]
#[command(version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Hold one until standard input closes (or SIGTERM, SIGINT), and obey the lines that come in by it.
    Serve(ServeArgs),
    /// Start a whole Latchkey on one, in the background; again: start what died of it.
    Up(UpArgs),
    /// End what `up` started.
    Down(DownArgs),
    /// What `up` runs in the background.
    #[command(hide = true)]
    Hold(UpArgs),
}

fn main() {
    let Args { command } = Args::parse();
    let done = match command {
        Command::Serve(args) => serve(&args),
        Command::Up(args) => up(&args),
        Command::Down(args) => down(&args),
        Command::Hold(args) => hold(&args),
    };
    if let Err(e) = done {
        // Nobody is left to tell if this fails.
        let _ = writeln!(std::io::stderr(), "error: {e:#}");
        std::process::exit(1);
    }
}
