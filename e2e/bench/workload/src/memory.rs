//! What a pair costs in memory, and what a commit leaves behind.

use std::{fs, io};

use crate::{
    change::{self, Change},
    part::Figures,
    random::Draw,
    stats::median,
    town::{Town, key},
};

/// How many pairs the process holds.
const SIZE: usize = 1_000_000;

/// Runs some work; the bytes that were allocated meanwhile, and how many more are held afterwards.
pub type Counter = fn(&mut dyn FnMut()) -> (u64, i64);

/// Resident memory, before, with a million pairs, and when each was asked for once.
pub(crate) fn resident(figures: &mut Figures) -> io::Result<()> {
    let before = resident_bytes()?;
    let town = Town::of(SIZE);
    let filled = resident_bytes()?;
    figures.set("bytes_per_entry_1m", per_pair(filled - before));
    for number in 0..SIZE {
        let _ = town.ask(&key(number, 0));
    }
    let used = resident_bytes()?;
    figures.set("bytes_per_entry_used_1m", per_pair(used - before));
    figures.set("bytes_per_entry_used_more_1m", per_pair(used - filled));
    drop(town);
    Ok(())
}

/// The same in bytes that were asked for, and the garbage of a commit.
pub(crate) fn counted(count: Counter, figures: &mut Figures) {
    let mut town = Town::empty();
    let mut held = |list: fn(&mut Town)| per_pair(count(&mut || list(&mut town)).1 as f64);
    let consumers = held(|town| {
        town.list_consumers(0..SIZE);
    });
    let credentials = held(|town| {
        town.list_credentials(0..SIZE);
    });
    figures.set("bytes_per_entry_1m_counted", consumers + credentials);
    figures.set("bytes_per_entry_1m_counted_consumer", consumers);
    figures.set("bytes_per_entry_1m_counted_credential", credentials);
    figures.set("commit_garbage_bytes", garbage(count, &mut town, SIZE));
    drop(town);
    let mut town = Town::of(50_000);
    figures.set("commit_garbage_bytes_50k", garbage(count, &mut town, 50_000));
}

/// The median, over keys that are exchanged, of what the commit allocated and does not hold any more.
fn garbage(count: Counter, town: &mut Town, size: usize) -> f64 {
    let mut draw = Draw::new(3);
    let left: Vec<_> = (0..200)
        .map(|_| {
            let mut events = Some(Change::Rotate.events(draw.below(size)));
            let (allocated, held) = count(&mut || {
                if let Some(events) = events.take() {
                    change::make(&mut town.index, events);
                }
            });
            allocated as f64 - held as f64
        })
        .collect();
    median(&left)
}

fn per_pair(bytes: f64) -> f64 {
    bytes / SIZE as f64
}

fn resident_bytes() -> io::Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<f64>().ok());
    kib.map(|kib| kib * 1024.0)
        .ok_or_else(|| io::Error::other("/proc/self/status does not say VmRSS in kB; this needs Linux"))
}
