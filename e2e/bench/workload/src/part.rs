//! The parts of the program, and the figures that each prints as one line of JSON.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde_json::{Map, Value};

use crate::{growth, instructions, memory, memory::Counter, relist, selfcheck, stall, timings};

/// Flags of the program.
#[derive(Debug, clap::Parser)]
#[command(
    version,
    about = "The work that micro benches measure; `latchkey-bench micro` runs it"
)]
pub struct Args {
    /// What is done.
    part: Part,
    /// Among how many pairs or routes instructions are counted.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    size: usize,
    /// How often a measurement is repeated.
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: usize,
}

/// What the program can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Changes and look-ups, for callgrind.
    IndexInstructions,
    /// Changes of routes and endpoints, for callgrind.
    RouteInstructions,
    /// What changes and look-ups take.
    Timings,
    /// What a pair costs.
    Memory,
    /// Lists of a million.
    Relist,
    /// From a thousand to a million.
    Growth,
    /// What a change waits for while the self-check runs.
    Selfcheck,
    /// What a request waits for.
    Stall,
}

/// Does one part. With a counter, memory is counted in bytes that are asked for.
///
/// # Errors
/// Input, output or `/proc` cannot be used.
pub fn run(args: &Args, counter: Option<Counter>) -> io::Result<()> {
    let mut figures = Figures::default();
    let out = io::stdout().lock();
    match args.part {
        Part::IndexInstructions => return instructions::of_index(args.size, out),
        Part::RouteInstructions => return instructions::of_routes(args.size, out),
        Part::Timings => timings::measure(args.rounds, &mut figures),
        Part::Memory => match counter {
            Some(counter) => memory::counted(counter, &mut figures),
            None => memory::resident(&mut figures)?,
        },
        Part::Relist => relist::measure(args.rounds, &mut figures),
        Part::Growth => growth::measure(&mut figures),
        Part::Selfcheck => selfcheck::measure(&mut figures),
        Part::Stall => stall::measure(args.rounds, &mut figures),
    }
    figures.write(out)
}

/// Names and numbers.
#[derive(Debug, Default)]
pub(crate) struct Figures(BTreeMap<String, f64>);

impl Figures {
    pub(crate) fn set(&mut self, name: &str, value: f64) {
        self.0.insert(name.to_owned(), value);
    }

    /// A median under its name, and the quartiles beside it.
    pub(crate) fn set_quartiles(&mut self, name: &str, [low, middle, high]: [f64; 3]) {
        self.set(name, middle);
        self.set(&format!("{name}_q1"), low);
        self.set(&format!("{name}_q3"), high);
    }

    fn write(self, mut out: impl Write) -> io::Result<()> {
        let members: Map<_, _> = self
            .0
            .into_iter()
            .map(|(name, value)| (name, Value::from(value)))
            .collect();
        writeln!(out, "{}", Value::Object(members))
    }
}
