//! The thread that reads the folder and writes index and router.
//!
//! ```text
//! wake -> collect what happens with it -> look -> Engine -> on_commit
//!                                          `- doubtful: waits in the inbox, then looked at again
//! ```
//!
//! Owns the order of things and every wait; what a look or a change means is decided elsewhere. What
//! only grants never waits for what is doubtful, and what may open waits until nothing is left to see. Nothing is served before all that was there at the
//! start has settled.

use std::{
    collections::VecDeque,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
    thread::{Builder, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

use latchkey_runtime::readiness::Guard;

use super::{
    engine::{Engine, Outcome},
    file::FileName,
    folder::{FileChange, Folder, Trust},
    hold::Moment,
    inbox::{Due, Event, Inbox},
    watch::{Events, Waker, Woken},
};
use crate::{
    bindings::OnCommit,
    finding::UNDECODABLE,
    selfcheck::{CheckStats, SelfCheck},
};

/// How long a batch goes on collecting after its first event. A rename is two events, and a tool that
/// writes many files should cause few commits.
const COALESCE: Duration = Duration::from_millis(2);
/// How many files of a whole look are looked at before events are asked for again, so that a key that is
/// revoked does not wait for all of them.
const SLICE: usize = 1024;
/// How often a folder that cannot be read is tried again.
const RETRY: Duration = Duration::from_secs(1);

/// What others may know of the folder, without waiting for the thread.
#[derive(Debug, Default)]
pub struct FolderStats {
    /// Files that are held.
    pub files: AtomicUsize,
    /// Objects in them.
    pub objects: AtomicUsize,
    /// Of them, those that cannot be read.
    pub undecodable: AtomicUsize,
    /// Files read since start.
    pub files_read: AtomicU64,
    /// Batches of changes taken in since start.
    pub batches: AtomicU64,
    /// Whole scans since start.
    pub scans: AtomicU64,
    /// Scans that failed since start.
    pub failed_scans: AtomicU64,
}

/// Why standalone mode cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The folder cannot be read.
    #[error("cannot read the folder {}: {source}; --standalone needs a folder of manifests that this user may read", dir.display())]
    Folder {
        /// Which.
        dir: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system gives no descriptor.
    #[error("cannot wait for events: {0}; check the limit of open files")]
    Events(io::Error),
}

/// Everything that the thread owns.
pub struct Control {
    folder: Folder,
    events: Events,
    inbox: Inbox,
    engine: Engine,
    checks: SelfCheck,
    poll_interval: Duration,
    next_scan: Instant,
    /// What is left of the whole look that is under way.
    scan: VecDeque<FileName>,
    /// Whether the folder could be listed once.
    may_begin: bool,
    /// What was read before the first whole look was done and all of it had settled; `None` from then on.
    first: Option<Vec<FileChange>>,
    stats: Arc<FolderStats>,
    on_commit: OnCommit,
}

/// The process ends.
#[derive(Debug, PartialEq, Eq)]
struct Stopped;

impl Control {
    /// A reader of a folder that exists.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn new(
        dir: &Path,
        poll_interval: Duration,
        engine: Engine,
        on_commit: OnCommit,
    ) -> Result<Self, StartError> {
        std::fs::read_dir(dir).map_err(|source| StartError::Folder {
            dir: dir.to_owned(),
            source,
        })?;
        Ok(Self {
            folder: Folder::new(dir),
            events: Events::new().map_err(StartError::Events)?,
            inbox: Inbox::default(),
            engine,
            checks: SelfCheck::off(),
            poll_interval,
            next_scan: Instant::now(),
            scan: VecDeque::new(),
            may_begin: false,
            first: Some(Vec::new()),
            stats: Arc::default(),
            on_commit,
        })
    }

    /// With a self-check of the index while nothing happens.
    pub fn checking(mut self, checks: SelfCheck) -> Self {
        self.checks = checks;
        self
    }

    /// What it writes.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Where its numbers are.
    pub fn stats(&self) -> Arc<FolderStats> {
        self.stats.clone()
    }

    /// Where the self-check's numbers are.
    pub fn checks(&self) -> Arc<CheckStats> {
        self.checks.stats()
    }

    /// How to end its thread.
    pub fn waker(&self) -> Waker {
        self.events.waker()
    }

    /// Starts the thread. `ready` is pending until something is served; `alive` is dropped when the thread
    /// ends, however it does.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(mut self, ready: Guard, alive: impl Send + 'static) -> io::Result<JoinHandle<()>> {
        Builder::new().name("control".to_owned()).spawn(move || {
            let _alive = alive;
            while self.turn(&ready).is_ok() {}
        })
    }

    /// Waits until there is something to look at, and takes it in.
    fn turn(&mut self, ready: &Guard) -> Result<(), Stopped> {
        let due = self.due(Instant::now());
        self.collect(due, self.checks.due())?;
        let now = Instant::now();
        if self.next_scan <= now {
            self.inbox.push(Event::Anything, now);
        }
        if self.due(now) <= now {
            let changes = self.batch(now);
            self.take(changes, ready);
        } else if self.checks.due().is_some_and(|due| due <= now)
            && self.checks.slice(|at_most| self.engine.check(at_most))
        {
            self.take(Vec::new(), ready);
        }
        Ok(())
    }

    /// When there is something to do, if nothing happens.
    fn due(&self, now: Instant) -> Instant {
        if !self.scan.is_empty() {
            return now;
        }
        let held = self.engine.due(!self.inbox.is_quiet());
        let due = [self.inbox.due(now), held].into_iter().flatten().min();
        due.map_or(self.next_scan, |due| due.min(self.next_scan))
    }

    /// Looks at everything that is due, and gives what changed.
    fn batch(&mut self, now: Instant) -> Vec<FileChange> {
        let Due {
            closed,
            created,
            settled,
            overdue,
            everything,
        } = self.inbox.take(now);
        match everything {
            true if self.scan.is_empty() => self.begin_scan(now),
            // After the one that is under way.
            true => self.inbox.push(Event::Anything, now),
            false => {}
        }
        let wall = SystemTime::now();
        let slice: Vec<_> = self.scan.drain(..SLICE.min(self.scan.len())).collect();
        let unawaited = slice.into_iter().filter(|file| !self.inbox.awaits(file));
        let mut looked = self.folder.look(unawaited, Trust::Seen, wall);
        looked.extend(self.folder.look(closed, Trust::Closed, wall));
        for file in created {
            if self.folder.is_empty_file(&file) {
                self.inbox.push(Event::Written(file), now);
            } else {
                looked.extend(self.folder.look([file], Trust::Settled, wall));
            }
        }
        for (file, since) in settled {
            let again = self.folder.look([file], Trust::Settled, wall);
            looked.changes.extend(again.changes);
            for file in again.doubtful {
                self.inbox.doubt(file, since, now);
            }
        }
        for file in looked.doubtful {
            self.inbox.doubt(file, now, now);
        }
        let mut changes = self.still_true(looked.changes, now);
        for file in overdue {
            let last = self.folder.look([file], Trust::Settled, wall);
            changes.extend(last.changes);
            changes.extend(last.doubtful.into_iter().map(|file| self.folder.give_up(file)));
        }
        changes
    }

    /// Drops what was seen of files to which something happened meanwhile: they are looked at again.
    fn still_true(&mut self, changes: Vec<FileChange>, now: Instant) -> Vec<FileChange> {
        self.drain();
        let (still_true, moved_on): (Vec<_>, Vec<_>) = changes
            .into_iter()
            .partition(|change| !self.inbox.names(&change.file));
        for change in moved_on {
            self.folder.forget(&change.file);
            self.inbox.doubt(change.file, now, now);
        }
        still_true
    }

    /// Begins a look at the whole folder.
    fn begin_scan(&mut self, now: Instant) {
        // The watch first: what happens after it began is told, what happened before is seen.
        if let Err(error) = self.events.ensure(self.folder.path()) {
            tracing::debug!(%error, "the folder cannot be watched; it is polled");
        }
        self.stats.scans.fetch_add(1, Relaxed);
        self.next_scan = now + self.poll_interval;
        let problem = match self.folder.names() {
            Ok(names) => {
                self.scan = names.into();
                None
            }
            Err(error) => {
                self.stats.failed_scans.fetch_add(1, Relaxed);
                self.next_scan = now + RETRY.min(self.poll_interval);
                Some(error.to_string())
            }
        };
        self.may_begin |= problem.is_none();
        self.engine.folder_problem(problem);
    }

    /// Hands changes to the engine; without one too, because it frees what readers have let go of.
    fn take(&mut self, mut changes: Vec<FileChange>, ready: &Guard) {
        if let Some(mut first) = self.first.take() {
            first.append(&mut changes);
            if !self.may_begin || !self.scan.is_empty() || self.inbox.is_waiting() {
                self.first = Some(first);
                return;
            }
            changes = first;
        }
        self.stats
            .batches
            .fetch_add(u64::from(!changes.is_empty()), Relaxed);
        let moment = Moment {
            now: Instant::now(),
            scanning: !self.scan.is_empty(),
            waiting: !self.inbox.is_quiet(),
        };
        let outcome = self.engine.take(changes, moment);
        let undecodable = self.engine.findings().count(UNDECODABLE);
        self.stats.files.store(self.folder.len(), Relaxed);
        self.stats.objects.store(self.engine.objects(), Relaxed);
        self.stats.undecodable.store(undecodable, Relaxed);
        self.stats.files_read.store(self.folder.files_read(), Relaxed);
        match outcome {
            Outcome::Held(why) => ready.pending(why),
            Outcome::Committed => {
                (self.on_commit)(self.engine.router());
                ready.ready();
            }
        }
    }

    /// Waits until something happens, and for what happens with it; until the check is due, if nothing does.
    fn collect(&mut self, due: Instant, check: Option<Instant>) -> Result<(), Stopped> {
        if self.hear(check.map_or(due, |check| check.min(due)))? {
            let until = due.min(Instant::now() + COALESCE);
            while Instant::now() < until && self.hear(until)? {}
        }
        Ok(())
    }

    /// Waits until then for something to happen; whether it did.
    fn hear(&mut self, until: Instant) -> Result<bool, Stopped> {
        match self.events.wait(until) {
            Woken::Stop => Err(Stopped),
            Woken::Deadline => Ok(false),
            Woken::Events => {
                self.drain();
                Ok(true)
            }
        }
    }

    fn drain(&mut self) {
        let now = Instant::now();
        self.events.drain(|event| self.inbox.push(event, now));
    }
}
