//! `latchkey-echo`: a test upstream that answers with what it received, as JSON.
//!
//! ```text
//! main (flags, sockets) -> server (connections) -> behaviour (what the path asks for)
//!                                 `-> report (what was received)   `-> body (what is streamed back)
//! ```

mod behaviour;
mod body;
mod report;
mod server;

use std::{
    io::{Write, stdout},
    net::SocketAddr,
    sync::Arc,
};

use anyhow::Context;
use clap::Parser;
use tokio::{
    net::TcpListener,
    signal::unix::{SignalKind, signal},
};

/// What `--help` says after the flags.
const PATHS: &str = "\
Every path is answered with a JSON report of the request. What the END of a path says is done as
well, so that it works behind any prefix:
  /delay/MS                 waits so many milliseconds before the answer
  /status/CODE              answers with this status, 200 to 999
  /bytes/N                  streams N bytes with Content-Length; with ?chunked in chunks
  /response-headers?A=b&C=d adds these headers to the answer (percent-decoded)
  /slow-read/MS             waits so many milliseconds before each piece of the body it reads
  /close                    answers with Connection: close
  /hang-up                  closes the connection without an answer
  /hang-up-reused           the same, except to the first request of a connection
  /reset-mid-body/N         declares more than N bytes, sends N, resets the connection
  /count/ID                 counts arrivals by ID; the report has `count`
  /counts                   answers with all counts";

/// A test upstream that answers with what it received, as JSON.
#[derive(Debug, Parser)]
#[command(version, after_help = PATHS)]
struct Args {
    /// Where to listen (repeatable); for port 0 see the line `listening on ADDR:PORT` on stdout.
    #[arg(long, value_name = "ADDR:PORT", required = true)]
    listen: Vec<SocketAddr>,
    /// What it calls itself in its reports.
    #[arg(long, default_value = "echo")]
    name: String,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(run(args))
}

/// Serves until SIGTERM or SIGINT, and then ends at once: an upstream that dies is a test.
async fn run(args: Args) -> anyhow::Result<()> {
    let mut term = signal(SignalKind::terminate())?;
    let mut int = signal(SignalKind::interrupt())?;
    let upstream = Arc::new(server::Upstream::new(args.name));
    for addr in args.listen {
        let listener = TcpListener::bind(addr)
            .await
            .with_context(|| format!("cannot listen on {addr}; choose another --listen"))?;
        writeln!(stdout(), "listening on {}", listener.local_addr()?)?;
        tokio::spawn(Arc::clone(&upstream).accept(listener));
    }
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
    Ok(())
}
