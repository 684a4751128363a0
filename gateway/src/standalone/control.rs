//! The thread that reads the folder and writes index and router.
//!
//! ```text
//! wake -> collect what happens with it -> look -> (doubtful? wait, look again) -> Engine -> on_commit
//! ```
//!
//! Owns the order of things and every wait; what a look or a change means is decided elsewhere.
//! Changes come into force in the order in which they happened to the folder: whatever a batch has to
//! wait for, what happened after it waits too, at most [`SETTLE`].

use std::{
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
    finding::UNDECODABLE,
    folder::{FileChange, Folder, Looked, SETTLE, Trust},
    inbox::{Event, Inbox},
    watch::{Events, Wake, Waker},
};

/// How long a batch goes on collecting after its first event. A rename is two events, and a tool that
/// writes many files should cause few commits.
const COALESCE: Duration = Duration::from_millis(2);
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
#[error("cannot read the folder {}: {source}; --standalone needs a folder of manifests that this user may read", dir.display())]
pub struct StartError {
    dir: PathBuf,
    source: io::Error,
}

/// What is called after each commit.
pub type OnCommit = Box<dyn FnMut(&Engine) + Send>;

/// Everything that the thread owns.
pub struct Control {
    folder: Folder,
    events: Events,
    inbox: Inbox,
    engine: Engine,
    ready: Guard,
    poll_interval: Duration,
    next_scan: Instant,
    stats: Arc<FolderStats>,
    on_commit: OnCommit,
}

/// The process ends.
#[derive(Debug, PartialEq, Eq)]
struct Stopped;

impl Control {
    /// A reader of a folder that exists. `ready` is pending until something is served.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn new(
        dir: &Path,
        poll_interval: Duration,
        engine: Engine,
        ready: Guard,
        on_commit: OnCommit,
    ) -> Result<Self, StartError> {
        std::fs::read_dir(dir).map_err(|source| StartError {
            dir: dir.to_owned(),
            source,
        })?;
        Ok(Self {
            folder: Folder::new(dir),
            events: Events::default(),
            inbox: Inbox::default(),
            engine,
            ready,
            poll_interval,
            next_scan: Instant::now(),
            stats: Arc::default(),
            on_commit,
        })
    }

    /// Where its numbers are.
    pub fn stats(&self) -> Arc<FolderStats> {
        self.stats.clone()
    }

    /// How to end its thread.
    pub fn waker(&self) -> Waker {
        self.events.waker()
    }

    /// Starts the thread. `alive` is dropped when it ends, however it does.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(mut self, alive: impl Send + 'static) -> io::Result<JoinHandle<()>> {
        Builder::new().name("control".to_owned()).spawn(move || {
            let _alive = alive;
            while self.turn().is_ok() {}
        })
    }

    /// Waits until there is something to look at, and takes it in.
    fn turn(&mut self) -> Result<(), Stopped> {
        let now = Instant::now();
        let due = self
            .inbox
            .due(now)
            .map_or(self.next_scan, |due| due.min(self.next_scan));
        if due > now {
            self.collect_one(due)?;
            self.collect(Instant::now() + COALESCE)?;
        }
        let now = Instant::now();
        if self.next_scan <= now {
            self.inbox.push(Event::Anything, now);
        }
        if self.inbox.due(now).is_some_and(|due| due <= now) {
            self.batch(now)?;
        }
        Ok(())
    }

    fn batch(&mut self, now: Instant) -> Result<(), Stopped> {
        let mut looked = self.look(now);
        let mut changes = std::mem::take(&mut looked.changes);
        if !looked.doubtful.is_empty() {
            self.collect(now + SETTLE)?;
            changes.extend(self.look_again(looked.doubtful, Instant::now()));
        }
        // Without a change too: the engine frees what readers have let go of.
        self.take(changes);
        Ok(())
    }

    /// Looks at everything that is due.
    fn look(&mut self, now: Instant) -> Looked {
        let due = self.inbox.take(now);
        let mut looked = Looked::default();
        if due.everything {
            looked = self.scan(now);
        }
        let wall = SystemTime::now();
        for (files, trust) in [(due.closed, Trust::Closed), (due.settled, Trust::Settled)] {
            let more = self.folder.look(files, trust, wall);
            looked.changes.extend(more.changes);
            looked.doubtful.extend(more.doubtful);
        }
        looked
    }

    /// Looks at what was doubtful, and at what happened meanwhile. What is still doubtful then has a
    /// batch of its own.
    fn look_again(&mut self, doubtful: Vec<FileName>, now: Instant) -> Vec<FileChange> {
        // Who is being written comes again when it is closed.
        let settled: Vec<_> = doubtful
            .into_iter()
            .filter(|file| !self.inbox.is_being_written(file))
            .collect();
        let mut changes = self
            .folder
            .look(settled, Trust::Settled, SystemTime::now())
            .changes;
        let looked = self.look(now);
        changes.extend(looked.changes);
        for file in looked.doubtful {
            self.inbox.push(Event::Touched(file), now);
        }
        changes
    }

    fn scan(&mut self, now: Instant) -> Looked {
        // The watch first: what happens after it began is told, what happened before is seen.
        match self.events.ensure(self.folder.path()) {
            Ok(began) => {
                if began {
                    tracing::debug!("the folder is watched");
                }
            }
            Err(error) => tracing::debug!(%error, "the folder cannot be watched; it is polled"),
        }
        let inbox = &self.inbox;
        let looked = self
            .folder
            .scan(SystemTime::now(), |file| inbox.is_being_written(file));
        self.stats.scans.fetch_add(1, Relaxed);
        self.next_scan = now + self.poll_interval;
        if looked.failed.is_some() {
            self.stats.failed_scans.fetch_add(1, Relaxed);
            self.next_scan = now + RETRY.min(self.poll_interval);
        }
        self.engine
            .folder_problem(looked.failed.as_ref().map(ToString::to_string));
        looked
    }

    fn take(&mut self, changes: Vec<FileChange>) {
        self.stats
            .batches
            .fetch_add(u64::from(!changes.is_empty()), Relaxed);
        match self.engine.take(changes) {
            Outcome::Held(why) => self.ready.pending(why),
            Outcome::Committed => {
                (self.on_commit)(&self.engine);
                self.ready.ready();
            }
        }
        let undecodable = self.engine.findings().count(UNDECODABLE);
        self.stats.files.store(self.folder.len(), Relaxed);
        self.stats.objects.store(self.engine.objects(), Relaxed);
        self.stats.undecodable.store(undecodable, Relaxed);
        self.stats.files_read.store(self.folder.files_read(), Relaxed);
    }

    /// Takes in whatever happens until then.
    fn collect(&mut self, until: Instant) -> Result<(), Stopped> {
        while self.collect_one(until)? {}
        Ok(())
    }

    /// Takes in one event; `false` if none came in time.
    fn collect_one(&mut self, until: Instant) -> Result<bool, Stopped> {
        match self.events.next(until) {
            None => Ok(false),
            Some(Wake::Stop) => Err(Stopped),
            Some(Wake::Event(event)) => {
                self.inbox.push(event, Instant::now());
                Ok(true)
            }
        }
    }
}
