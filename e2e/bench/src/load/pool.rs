//! Does many writes, so many at once and so many a second, and says every second how far it is.

use std::{
    fmt, io,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use latchkey_e2e::{manifest::Manifest, wait::pause};

use super::answer::Reply;
use crate::progress;

/// Between two lines of progress.
const TELL: Duration = Duration::from_secs(1);
/// How long is waited after a fault, or a refusal that does not say: twice as long each time.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// How often one object is tried. By then, the server has been away for more than a minute.
const TRIES: u32 = 15;

/// How fast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Requests at once.
    pub(crate) at_once: u16,
    /// Objects a second; 0: no limit.
    pub(crate) a_second: u32,
}

/// What there is to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    /// What is done to objects, as a line of progress says it.
    pub(super) verb: &'static str,
    /// Groups of objects that follow each other.
    pub(super) groups: usize,
    /// Objects in all.
    pub(super) objects: usize,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Loaded {
    /// Objects that were created or deleted.
    pub(crate) changed: usize,
    /// Objects that were so already.
    pub(crate) kept: usize,
    /// How often the server said that it was too much.
    pub(crate) too_many: usize,
    /// How often it failed, or did not answer, and was asked again.
    pub(crate) faults: usize,
    /// How long all of it took.
    pub(crate) took: Duration,
}

/// What all writers count together.
#[derive(Default)]
struct Counters {
    next: AtomicUsize,
    /// Writes that were begun, for the rate.
    begun: AtomicUsize,
    changed: AtomicUsize,
    kept: AtomicUsize,
    too_many: AtomicUsize,
    faults: AtomicUsize,
    failed: AtomicBool,
    failure: Mutex<Option<String>>,
}

/// Writes all groups, each in its order. The first object that is refused ends it.
pub(super) fn run(
    job: Job,
    pace: Pace,
    group: impl Fn(usize) -> Vec<Manifest> + Sync,
    write: impl Fn(&Manifest) -> Result<Reply, String> + Sync,
) -> io::Result<Loaded> {
    let counters = Counters::default();
    let start = Instant::now();
    let (alive, over) = mpsc::channel::<()>();
    let writer = |alive: mpsc::Sender<()>| {
        while let Some(number) = counters.take(job.groups) {
            for object in group(number) {
                counters.wait_for_turn(start, pace.a_second);
                counters.write_one(&object, &write);
                if counters.failed.load(Relaxed) {
                    return;
                }
            }
        }
        drop(alive);
    };
    thread::scope(|scope| {
        for _ in 0..usize::from(pace.at_once).min(job.groups) {
            let alive = alive.clone();
            scope.spawn(|| writer(alive));
        }
        drop(alive);
        // Ends when the last writer has.
        while over.recv_timeout(TELL) == Err(mpsc::RecvTimeoutError::Timeout) {
            progress(&line(job, counters.sum(start)))?;
        }
        io::Result::Ok(())
    })?;
    let failure = counters
        .failure
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    failure.map_or(Ok(counters.sum(start)), |why| Err(io::Error::other(why)))
}

impl Counters {
    fn take(&self, groups: usize) -> Option<usize> {
        let number = self.next.fetch_add(1, Relaxed);
        (number < groups && !self.failed.load(Relaxed)).then_some(number)
    }

    /// Each write has its time: the first at once, the others as far apart as the rate says.
    fn wait_for_turn(&self, start: Instant, a_second: u32) {
        let number = self.begun.fetch_add(1, Relaxed);
        if a_second > 0 {
            let due = Duration::from_secs_f64(number as f64 / f64::from(a_second));
            pause(due.saturating_sub(start.elapsed()));
        }
    }

    fn write_one(&self, object: &Manifest, write: impl Fn(&Manifest) -> Result<Reply, String>) {
        let mut wait = FIRST_WAIT;
        let mut last = String::new();
        for _ in 0..TRIES {
            let rest = match write(object) {
                Ok(Reply::Done) => return count(&self.changed),
                Ok(Reply::Kept) => return count(&self.kept),
                Ok(Reply::Refused(status, reason)) => {
                    return self.fail(&format!("{} is refused: {status} {reason}", of(object)));
                }
                Ok(Reply::TooMany(asked)) => {
                    count(&self.too_many);
                    "429, too many requests".clone_into(&mut last);
                    asked.unwrap_or(wait)
                }
                Ok(Reply::Fault(status)) => {
                    count(&self.faults);
                    last = status.to_string();
                    wait
                }
                Err(why) => {
                    count(&self.faults);
                    last = why;
                    wait
                }
            };
            if self.failed.load(Relaxed) {
                return;
            }
            pause(rest.min(LONGEST_WAIT));
            wait = (wait * 2).min(LONGEST_WAIT);
        }
        self.fail(&format!(
            "{} was not taken in {TRIES} tries, at last: {last}; the log of the API server may say more. Repeated, \
             a load goes on where it ended",
            of(object)
        ));
    }

    fn fail(&self, why: &str) {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        // Of several writers that fail, the first says why.
        failure.get_or_insert_with(|| why.to_owned());
        self.failed.store(true, Relaxed);
    }

    fn sum(&self, start: Instant) -> Loaded {
        Loaded {
            changed: self.changed.load(Relaxed),
            kept: self.kept.load(Relaxed),
            too_many: self.too_many.load(Relaxed),
            faults: self.faults.load(Relaxed),
            took: start.elapsed(),
        }
    }
}

fn count(counter: &AtomicUsize) {
    counter.fetch_add(1, Relaxed);
}

fn of(object: &Manifest) -> String {
    let namespace = object.namespace_name().unwrap_or_default();
    format!("{} {namespace}/{}", object.kind(), object.name())
}

/// `1234 of 100000 objects created, 456/s, 217 s left`
fn line(job: Job, so_far: Loaded) -> String {
    let done = so_far.changed + so_far.kept;
    let rate = done as f64 / so_far.took.as_secs_f64();
    let left = job.objects.saturating_sub(done) as f64 / rate;
    let left = if left.is_finite() {
        format!("{left:.0} s left")
    } else {
        "nothing yet".to_owned()
    };
    let waits = match so_far.too_many + so_far.faults {
        0 => String::new(),
        waits => format!(", {waits} asked again"),
    };
    format!(
        "{done} of {} objects {}, {rate:.0}/s, {left}{waits}",
        job.objects, job.verb
    )
}

impl Loaded {
    /// With what another part did after it.
    pub(super) fn add(&mut self, other: &Self) {
        self.changed += other.changed;
        self.kept += other.kept;
        self.too_many += other.too_many;
        self.faults += other.faults;
        self.took += other.took;
    }
}

impl fmt::Display for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            changed,
            kept,
            too_many,
            faults,
            took,
        } = self;
        let seconds = took.as_secs_f64();
        write!(
            f,
            "{changed} objects done in {seconds:.1} s ({:.0}/s), {kept} were so already, {too_many} times it was too \
             much, {faults} faults",
            (changed + kept) as f64 / seconds.max(1e-9)
        )
    }
}
