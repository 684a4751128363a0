//! Work for callgrind to count.
//!
//! Callgrind collects inside of [`counted`] alone and writes a dump each time that it returns, so that a
//! program that first fills an index with a million credentials is charged for none of it. Each step
//! is one such call; the program says what its dumps are, in their order.

use std::{
    hint::black_box,
    io::{self, BufRead, Write},
};

use latchkey_core::digest::{KeyHash, Pepper};
use latchkey_index::Index;
use latchkey_routing::router::Router;

use crate::{
    change::{self, Change, Event},
    random::Draw,
    routes,
    town::{self, Town, key},
};

/// How many times each step does its work.
pub(crate) const TIMES: usize = 200;

/// What is counted.
enum Work<'a> {
    KeyHashes(&'a [String]),
    Digests(&'a Pepper, &'a [KeyHash]),
    LookUps(&'a Town, &'a [String]),
    Changes(&'a mut Index, Vec<Vec<Event>>),
    Routing(&'a mut Router, Vec<routes::Object>),
}

/// The function that callgrind is told of, by this name.
#[inline(never)]
fn counted(work: Work<'_>) {
    match work {
        Work::KeyHashes(keys) => keys.iter().for_each(|key| {
            black_box(KeyHash::of(key.as_bytes()));
        }),
        Work::Digests(pepper, hashes) => hashes.iter().for_each(|hash| {
            black_box(pepper.digest(hash));
        }),
        Work::LookUps(town, keys) => keys.iter().for_each(|key| {
            let _ = black_box(town.ask(key));
        }),
        Work::Changes(index, changes) => changes.into_iter().for_each(|events| change::make(index, events)),
        Work::Routing(router, objects) => objects
            .into_iter()
            .for_each(|object| routes::change(router, object)),
    }
}

/// Steps with their names, as the dumps follow each other.
struct Steps<W>(W);

impl<W: Write> Steps<W> {
    /// One step: its name, how often it does its work, and how many key hashes and digests are among
    /// each of these.
    fn step(
        &mut self,
        name: &str,
        times: usize,
        hashes: u32,
        digests: u32,
        work: Work<'_>,
    ) -> io::Result<()> {
        counted(black_box(work));
        writeln!(self.0, "step {name} {times} {hashes} {digests}")?;
        self.0.flush()
    }
}

/// Says that all is filled, and waits until whoever counts is ready.
fn gate(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "ready")?;
    out.flush()?;
    io::stdin().lock().read_line(&mut String::new()).map(|_| ())
}

/// Hashing alone, then changes and look-ups among this many pairs.
pub(crate) fn of_index(size: usize, mut out: impl Write) -> io::Result<()> {
    let mut town = Town::of(size);
    let mut draw = Draw::new(1);
    let keys: Vec<_> = (0..TIMES).map(|_| key(draw.below(size), 0)).collect();
    let absent: Vec<_> = (0..TIMES).map(|n| key(size + n, 9)).collect();
    let hashes: Vec<_> = keys.iter().map(|key| KeyHash::of(key.as_bytes())).collect();
    let pepper = town::pepper();
    // Each of the changes that follow is made to a pair of its own, far from the others.
    let mut pairs: Vec<usize> = (0..TIMES).map(|n| n * (size / TIMES)).collect();
    let mut changes = Vec::new();
    for change in Change::ALL {
        if change == Change::Apply {
            changes.push((change, (size..size + TIMES).map(|n| change.events(n)).collect()));
            continue;
        }
        changes.push((
            change,
            pairs.iter().map(|n| change.events(*n)).collect::<Vec<_>>(),
        ));
        pairs.iter_mut().for_each(|n| *n += 1);
    }
    gate(&mut out)?;
    let mut steps = Steps(out);
    steps.step("key_hash", TIMES, 0, 0, Work::KeyHashes(&keys))?;
    steps.step("digest", TIMES, 0, 0, Work::Digests(&pepper, &hashes))?;
    steps.step("lookup", TIMES, 1, 1, Work::LookUps(&town, &keys))?;
    steps.step("lookup_miss", TIMES, 1, 1, Work::LookUps(&town, &absent))?;
    for (change, events) in changes {
        let work = Work::Changes(&mut town.index, events);
        steps.step(change.name(), TIMES, 0, change.digests(), work)?;
    }
    Ok(())
}

/// Changes among this many routes.
pub(crate) fn of_routes(size: usize, mut out: impl Write) -> io::Result<()> {
    let mut router = routes::town(size);
    let mut draw = Draw::new(2);
    let numbers: Vec<_> = (0..TIMES).map(|_| draw.below(size)).collect();
    let changed = |make: fn(usize, usize) -> routes::Object| -> Vec<_> {
        let versions = numbers.iter().zip(1..);
        versions.map(|(number, version)| make(*number, version)).collect()
    };
    let (route, endpoint) = (changed(routes::route), changed(routes::slice));
    gate(&mut out)?;
    let mut steps = Steps(out);
    steps.step("route", TIMES, 0, 0, Work::Routing(&mut router, route))?;
    steps.step("endpoint", TIMES, 0, 0, Work::Routing(&mut router, endpoint))
}
