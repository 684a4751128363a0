//! The figures: tables for people, JSON for scripts.

mod changes;
mod scale;

use std::{
    fmt::Write as _,
    fs,
    io::{self, Write},
    path::Path,
};

use serde_json::{Value, json};

use self::changes::Row;
use super::{
    playground::FirstAnswers,
    propagation::Propagation,
    scale::Scale,
    start::{Start, Starts},
};

/// All that was measured; what was not is absent.
pub(crate) struct Report {
    pub(crate) propagation: Option<Propagation>,
    pub(crate) start: Option<Starts>,
    pub(crate) scale: Option<Scale>,
    pub(crate) playground: Option<FirstAnswers>,
}

impl Report {
    /// Writes the JSON.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let figures = json!({
            "propagation": self.propagation.as_ref().map(of_propagation),
            "operator_start": self.start.as_ref().map(of_starts),
            "scale": self.scale.as_ref().map(scale::json),
            "playground": self.playground.as_ref().map(|first| match first {
                Ok(seconds) => json!({"first_200_seconds": seconds}),
                Err(why) => json!({"not_measured": why}),
            }),
        });
        fs::write(path, format!("{figures:#}\n"))
    }

    /// Prints the tables.
    pub(crate) fn print(&self, out: &mut impl Write, path: &Path) -> io::Result<()> {
        if let Some(propagation) = &self.propagation {
            print_propagation(out, propagation)?;
        }
        if let Some(starts) = &self.start {
            print_starts(out, starts)?;
        }
        if let Some(measured) = &self.scale {
            scale::print(out, measured)?;
        }
        match &self.playground {
            None => {}
            Some(Ok(seconds)) => writeln!(
                out,
                "\nmake cluster, with everything built: {seconds:.1} s to the first 200 of both gateways"
            )?,
            Some(Err(why)) => writeln!(out, "\nmake cluster: not measured: {why}")?,
        }
        writeln!(out, "\nfigures in {}", path.display())
    }
}

fn of_propagation(propagation: &Propagation) -> Value {
    let mut members = serde_json::Map::new();
    members.insert(
        "probes_per_second".to_owned(),
        json!(propagation.probes.map(|tally| tally.rate().round())),
    );
    members.insert("wrong_again".to_owned(), json!(relapses(propagation)));
    for (kind, samples) in &propagation.kinds {
        members.insert(kind.name().to_owned(), Row::of(*kind, samples).json());
    }
    Value::Object(members)
}

fn print_propagation(out: &mut impl Write, propagation: &Propagation) -> io::Result<()> {
    writeln!(out, "\n{}", Row::head())?;
    for (kind, samples) in &propagation.kinds {
        writeln!(out, "{}", Row::of(*kind, samples).line())?;
    }
    let [one, two] = propagation.probes;
    writeln!(
        out,
        "milliseconds since the API server acknowledged the change: p50 / p99 / max. Answer: the first right one of \
         the last of two\ngateways. Bare: the event at a client that only watches. Word: the operator's status at that \
         client. Excess: answer - bare,\nwhich the musts are for; aims are for the answer. {} changes of each kind; {:.0} \
         and {:.0} probes/s; {} answers turned wrong again. etcd does not sync \
         its disk.",
        propagation.kinds.first().map_or(0, |(_, samples)| samples.len()),
        one.rate(),
        two.rate(),
        relapses(propagation),
    )
}

fn relapses(propagation: &Propagation) -> u64 {
    propagation.probes.iter().map(|tally| tally.relapses).sum()
}

fn of_starts(starts: &Starts) -> Value {
    let one = |start: &Start| {
        json!({
            "seconds": round(start.seconds),
            "api_calls": start.calls,
            "secret_reads": start.secret_reads,
            "status_writes": start.status_writes,
            "peak_memory_kib": start.peak_memory_kib,
            "cpu_seconds": round(start.cpu.as_secs_f64()),
        })
    };
    json!({
        "credentials": starts.credentials,
        "fill_seconds": round(starts.filled.as_secs_f64()),
        "from_nothing": one(&starts.from_nothing),
        "again": one(&starts.again),
    })
}

fn print_starts(out: &mut impl Write, starts: &Starts) -> io::Result<()> {
    let Starts {
        credentials, filled, ..
    } = starts;
    writeln!(
        out,
        "\noperator on {credentials} Credentials with a secretKeyRef (created in {:.1} s at concurrency 10)\n\
         {:<14} {:>9} {:>9} {:>10} {:>13} {:>14}  API calls",
        filled.as_secs_f64(),
        "",
        "seconds",
        "CPU s",
        "peak MiB",
        "Secret reads",
        "status writes",
    )?;
    for (name, start) in [("from nothing", &starts.from_nothing), ("again", &starts.again)] {
        let mut calls = String::new();
        for (verb, times) in &start.calls {
            // Writing to a String cannot fail.
            let _ = write!(calls, "{verb} {times}  ");
        }
        writeln!(
            out,
            "{name:<14} {:>9.2} {:>9.2} {:>10} {:>13} {:>14}  {}",
            start.seconds,
            start.cpu.as_secs_f64(),
            start.peak_memory_kib / 1024,
            start.secret_reads,
            start.status_writes,
            calls.trim_end(),
        )?;
    }
    Ok(())
}

/// To three decimals; JSON is read by people, too.
fn round(value: f64) -> Value {
    json!((value * 1e3).round() / 1e3)
}
