//! How long a request waits at the most while a million pairs are replaced and the old ones freed.
//!
//! A thread looks up keys without pause and notes the longest time from one answer to the next. On a
//! machine that others use too such a gap says little by itself, so that it is held against two others of
//! equally long windows: the same thread while nothing is replaced, and one that looks nothing up, but
//! reads the clock alone, while everything is.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use latchkey_snapshot::SnapshotCell;
use rustix::thread::{CpuSet, sched_setaffinity};

use crate::{
    part::Figures,
    random::Draw,
    stats::median,
    town::{Town, admission, ask, key},
};

const SIZE: usize = 1_000_000;
/// How many keys the thread asks for, over and over.
const KEYS: usize = 65_536;

/// Replaces everything again and again.
pub(crate) fn measure(rounds: usize, figures: &mut Figures) {
    let mut town = Town::of(SIZE);
    let mut start = 0;
    let mut replace = |town: &mut Town| {
        start += SIZE;
        let begun = Instant::now();
        town.list(start..start + SIZE);
        begun.elapsed()
    };
    let [mut busy, mut quiet, mut control] = [(); 3].map(|()| Vec::new());
    pin(0);
    for round in 0..rounds {
        let keys = keys(round * 2);
        let mut length = Duration::ZERO;
        busy.push(worst_gap(&town.cell.clone(), &keys, || {
            length = replace(&mut town);
        }));
        quiet.push(worst_gap(&town.cell.clone(), &keys, || wait(length)));
        control.push(worst_gap(&town.cell.clone(), &[], || {
            replace(&mut town);
        }));
    }
    let [busy, quiet, control] = [busy, quiet, control].map(|gaps| median(&gaps));
    figures.set("relist_1m_worst_request_stall_us", busy);
    figures.set("relist_1m_worst_request_stall_quiet_us", quiet);
    figures.set("relist_1m_worst_request_stall_control_us", control);
    figures.set("relist_1m_worst_request_stall_ratio", busy / quiet);
    figures.set("relist_1m_worst_request_stall_control_ratio", busy / control);
}

/// Keys of what is there in this round, and of what replaces it.
fn keys(millions: usize) -> Vec<String> {
    let mut draw = Draw::new(millions as u64);
    (0..KEYS)
        .map(|_| key(millions * SIZE + draw.below(2 * SIZE), 0))
        .collect()
}

/// The longest gap between two answers, in microseconds, while some work is done. Without keys: between
/// two looks at the clock.
fn worst_gap(cell: &SnapshotCell, keys: &[String], work: impl FnOnce()) -> f64 {
    let (ready, over) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let reader = scope.spawn(|| {
            pin(1);
            let admission = admission();
            let mut worst = Duration::ZERO;
            let mut asked = keys.iter().cycle();
            // The first use of a thread's guards sets them up.
            drop(cell.load());
            ready.store(true, Ordering::Release);
            let mut last = Instant::now();
            while !over.load(Ordering::Acquire) {
                if let Some(key) = asked.next() {
                    let _ = std::hint::black_box(ask(cell, key, &admission));
                }
                let now = Instant::now();
                worst = worst.max(now - last);
                last = now;
            }
            worst
        });
        while !ready.load(Ordering::Acquire) {
            thread::yield_now();
        }
        work();
        over.store(true, Ordering::Release);
        let worst = reader
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        worst.as_secs_f64() * 1e6
    })
}

/// A window in which this thread does nothing.
fn wait(length: Duration) {
    let start = Instant::now();
    while let Some(rest) = length.checked_sub(start.elapsed()) {
        thread::park_timeout(rest);
    }
}

/// Keeps this thread on a processor, where there is one of that number: a thread that is moved waits too.
fn pin(processor: usize) {
    let mut set = CpuSet::new();
    set.set(processor);
    // Without it the figures are worse, and say so beside those of quiet windows.
    let _ = sched_setaffinity(None, &set);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_as_long_as_the_reader_was_held() {
        let town = Town::of(10);
        let gap = worst_gap(&town.cell, &[key(1, 0)], || wait(Duration::from_millis(20)));
        // The reader went on asking: what it waited for at the most is less than the window.
        assert!(gap > 0.0);
        assert!(worst_gap(&town.cell, &[], || ()) >= 0.0);
    }
}
