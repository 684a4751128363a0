//! What changes and look-ups take, among 50,000 and among a million pairs in turn.

use std::{hint::black_box, time::Instant};

use latchkey_core::digest::KeyHash;

use crate::{
    change::{self, Change},
    part::Figures,
    random::Draw,
    stats::{median, quantile, quartiles},
    town::{self, Town, key},
};

/// The sizes, and how their figures are called.
const SIZES: [(usize, &str); 2] = [(50_000, "50k"), (1_000_000, "1m")];
/// How many look-ups are timed together: a clock costs about as much as one.
const LOOK_UPS: usize = 2_000;
/// How many changes of a kind are made in a round.
const CHANGES: usize = 25;

/// A prime, so that its multiples meet every pair of a half before they meet one again.
const STRIDE: usize = 7_919;

/// What was measured among one number of pairs.
struct Samples {
    size: usize,
    town: Town,
    draw: Draw,
    /// How many changes of each kind were made.
    made: usize,
    /// Nanoseconds a look-up: of keys that are known, and of keys that are not.
    hits: Vec<f64>,
    misses: Vec<f64>,
    /// Microseconds of each change, by kind.
    changes: [Vec<f64>; 4],
}

/// All timings.
pub(crate) fn measure(rounds: usize, figures: &mut Figures) {
    let mut all = SIZES.map(|(size, _)| Samples {
        size,
        town: Town::of(size),
        draw: Draw::new(size as u64),
        made: 0,
        hits: Vec::new(),
        misses: Vec::new(),
        changes: Default::default(),
    });
    let mut hashing = Vec::new();
    for _ in 0..rounds {
        hashing.push(hashing_ns());
        for samples in &mut all {
            samples.look_up();
        }
    }
    // Only now: a change may give a pair another key.
    for _ in 0..rounds {
        for samples in &mut all {
            samples.change();
        }
    }
    figures.set_quartiles("hashing_ns", quartiles(&hashing));
    for (samples, (_, name)) in all.iter().zip(SIZES) {
        figures.set_quartiles(&format!("lookup_ns_{name}"), quartiles(&samples.hits));
        figures.set_quartiles(&format!("lookup_miss_ns_{name}"), quartiles(&samples.misses));
        for (change, times) in Change::ALL.iter().zip(&samples.changes) {
            let change = change.name();
            figures.set_quartiles(&format!("{change}_us_{name}"), quartiles(times));
            figures.set(&format!("{change}_us_p99_{name}"), quantile(times, 0.99));
        }
    }
    let [few, _] = &all;
    let rebuilds: Vec<_> = (0..REBUILDS).map(|_| rebuild_ms()).collect();
    figures.set_quartiles("rebuild_all_ms_50k", quartiles(&rebuilds));
    let ratio = median(&rebuilds) * 1e3 / median(&few.changes[0]);
    figures.set("rebuild_all_over_apply_50k", ratio);
}

/// How often everything is built anew.
const REBUILDS: usize = 7;

/// The naive way: every change builds everything.
fn rebuild_ms() -> f64 {
    let mut town = Town::empty();
    let (took, _) = town.list(0..50_000);
    took.as_secs_f64() * 1e3
}

/// SHA-256 and HMAC of one key, as this machine's processor does them.
fn hashing_ns() -> f64 {
    let pepper = town::pepper();
    let keys: Vec<_> = (0..LOOK_UPS).map(|n| key(n, 0)).collect();
    let start = Instant::now();
    for key in &keys {
        black_box(pepper.digest(&KeyHash::of(key.as_bytes())));
    }
    start.elapsed().as_secs_f64() * 1e9 / LOOK_UPS as f64
}

impl Samples {
    fn look_up(&mut self) {
        let (size, draw) = (self.size, &mut self.draw);
        let known: Vec<_> = (0..LOOK_UPS).map(|_| key(draw.below(size), 0)).collect();
        let unknown: Vec<_> = (0..LOOK_UPS).map(|_| key(draw.below(size), 9)).collect();
        self.hits.push(self.ask_all(&known));
        self.misses.push(self.ask_all(&unknown));
    }

    fn ask_all(&self, keys: &[String]) -> f64 {
        let start = Instant::now();
        for key in keys {
            let _ = black_box(self.town.ask(key));
        }
        start.elapsed().as_secs_f64() * 1e9 / keys.len() as f64
    }

    /// Changes of all kinds in turn, to pairs far from each other and each to one that it can change.
    fn change(&mut self) {
        let half = self.size / 2;
        for _ in 0..CHANGES {
            let drawn = self.made * STRIDE % half;
            for (change, times) in Change::ALL.iter().zip(&mut self.changes) {
                let number = match change {
                    Change::Apply => self.size + self.made,
                    Change::Rotate | Change::Consumer => drawn,
                    Change::Delete => half + drawn,
                };
                let events = change.events(number);
                let start = Instant::now();
                change::make(&mut self.town.index, events);
                times.push(start.elapsed().as_secs_f64() * 1e6);
            }
            self.made += 1;
        }
    }
}
