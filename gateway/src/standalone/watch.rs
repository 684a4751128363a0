//! The file system's events for one folder, translated. Owns the watch and its queue; decides nothing.
//!
//! The queue is bounded: what does not fit becomes [`Event::Anything`], as does what the kernel lost.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    time::Instant,
};

use notify::{
    EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode, ModifyKind, RenameMode},
};

use super::{file::FileName, inbox::Event};

/// Events that may wait. At the limit the folder is scanned instead.
const QUEUE: usize = 4096;

/// What wakes the thread that reads the folder.
#[derive(Debug, PartialEq, Eq)]
pub enum Wake {
    /// Something happened to the folder.
    Event(Event),
    /// The process ends.
    Stop,
}

/// The sending half, for those who want the reading thread to stop.
#[derive(Clone, Debug)]
pub struct Waker {
    queue: SyncSender<Wake>,
    stopping: Arc<AtomicBool>,
}

impl Waker {
    /// Ends the reading thread.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
        // A full queue wakes the thread as well.
        let _ = self.queue.try_send(Wake::Stop);
    }
}

/// A queue of events, and the watch that fills it where there is one.
#[derive(Debug)]
pub struct Events {
    queue: Receiver<Wake>,
    waker: Waker,
    overflowed: Arc<AtomicBool>,
    watch: Option<Watch>,
}

#[derive(Debug)]
struct Watch {
    /// Ends the watch when dropped.
    _watcher: RecommendedWatcher,
    /// Device and inode of the folder that is watched; the path may come to name another one.
    folder: (u64, u64),
}

impl Default for Events {
    fn default() -> Self {
        let (sender, queue) = sync_channel(QUEUE);
        Self {
            queue,
            waker: Waker {
                queue: sender,
                stopping: Arc::default(),
            },
            overflowed: Arc::default(),
            watch: None,
        }
    }
}

impl Events {
    /// How to stop whoever waits here.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Watches the folder that `dir` names now. Gives whether a watch began, so that what happened
    /// before it is still to be found by a scan.
    ///
    /// # Errors
    /// The system gives no watch; the folder is then read by polling alone.
    pub fn ensure(&mut self, dir: &Path) -> Result<bool, notify::Error> {
        let folder = identity(dir).map_err(notify::Error::io)?;
        if self.watch.as_ref().is_some_and(|watch| watch.folder == folder) {
            return Ok(false);
        }
        // The old one first: it may stand for the last watch that the system gives this user.
        self.watch = None;
        let handler = Handler {
            dir: dir.to_owned(),
            queue: self.waker.queue.clone(),
            overflowed: self.overflowed.clone(),
        };
        let mut watcher = notify::recommended_watcher(move |event| handler.handle(event))?;
        watcher.watch(dir, RecursiveMode::NonRecursive)?;
        self.watch = Some(Watch {
            _watcher: watcher,
            folder,
        });
        Ok(true)
    }

    /// The next event, if one comes in time.
    pub fn next(&self, deadline: Instant) -> Option<Wake> {
        if self.waker.stopping.load(Ordering::Acquire) {
            return Some(Wake::Stop);
        }
        if self.overflowed.swap(false, Ordering::AcqRel) {
            return Some(Wake::Event(Event::Anything));
        }
        let wait = deadline.saturating_duration_since(Instant::now());
        // `self.waker` holds a sender, so that the queue is never disconnected.
        if wait.is_zero() {
            self.queue.try_recv().ok()
        } else {
            self.queue.recv_timeout(wait).ok()
        }
    }
}

fn identity(dir: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::metadata(dir)?;
    Ok((metadata.dev(), metadata.ino()))
}

struct Handler {
    dir: PathBuf,
    queue: SyncSender<Wake>,
    overflowed: Arc<AtomicBool>,
}

impl Handler {
    fn handle(&self, event: notify::Result<notify::Event>) {
        let Ok(event) = event else {
            self.send(Event::Anything);
            return;
        };
        if event.need_rescan() {
            self.send(Event::Anything);
            return;
        }
        for path in &event.paths {
            if let Some(event) = translate(&self.dir, event.kind, path) {
                self.send(event);
            }
        }
    }

    fn send(&self, event: Event) {
        if self.queue.try_send(Wake::Event(event)).is_err() {
            self.overflowed.store(true, Ordering::Release);
        }
    }
}

/// What an event of the system means for the folder; `None` where it means nothing.
fn translate(dir: &Path, kind: EventKind, path: &Path) -> Option<Event> {
    if path == dir {
        // The folder itself was moved or deleted, or its permissions changed.
        return (!matches!(kind, EventKind::Access(_))).then_some(Event::Anything);
    }
    let name = path.file_name()?;
    // `..data` of a ConfigMap mount: one rename changes what every link in the folder leads to.
    if name.as_encoded_bytes().starts_with(b"..") {
        return matches!(kind, EventKind::Modify(ModifyKind::Name(_))).then_some(Event::Anything);
    }
    let file = FileName::from(name.to_owned());
    if !file.is_manifest() {
        return None;
    }
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write))
        | EventKind::Remove(_)
        | EventKind::Modify(ModifyKind::Name(RenameMode::From | RenameMode::To)) => Some(Event::Closed(file)),
        // Both ends of a rename were named by the two events before.
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Name(RenameMode::Both)) => None,
        EventKind::Modify(ModifyKind::Data(_)) => Some(Event::Written(file)),
        EventKind::Create(_) | EventKind::Modify(_) => Some(Event::Touched(file)),
        EventKind::Any | EventKind::Other => Some(Event::Anything),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use notify::event::{CreateKind, DataChange, MetadataKind, RemoveKind};

    use super::*;

    #[test]
    fn events_mean_what_they_say() {
        let dir = Path::new("/d");
        let file = || FileName::from("a.yaml");
        let name = |mode| EventKind::Modify(ModifyKind::Name(mode));
        let close = |mode| EventKind::Access(AccessKind::Close(mode));
        for (kind, path, expected) in [
            (close(AccessMode::Write), "/d/a.yaml", Some(Event::Closed(file()))),
            (close(AccessMode::Read), "/d/a.yaml", None),
            (
                EventKind::Access(AccessKind::Open(AccessMode::Any)),
                "/d/a.yaml",
                None,
            ),
            (
                EventKind::Remove(RemoveKind::File),
                "/d/a.yaml",
                Some(Event::Closed(file())),
            ),
            (name(RenameMode::From), "/d/a.yaml", Some(Event::Closed(file()))),
            (name(RenameMode::To), "/d/a.yaml", Some(Event::Closed(file()))),
            (name(RenameMode::Both), "/d/a.yaml", None),
            (
                EventKind::Modify(ModifyKind::Data(DataChange::Any)),
                "/d/a.yaml",
                Some(Event::Written(file())),
            ),
            (
                EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)),
                "/d/a.yaml",
                Some(Event::Touched(file())),
            ),
            (
                EventKind::Create(CreateKind::File),
                "/d/a.yaml",
                Some(Event::Touched(file())),
            ),
            (close(AccessMode::Write), "/d/.a.yaml.swp", None),
            (close(AccessMode::Write), "/d/a.txt", None),
            (name(RenameMode::To), "/d/..data", Some(Event::Anything)),
            (EventKind::Create(CreateKind::Folder), "/d/..2026", None),
            (EventKind::Remove(RemoveKind::Folder), "/d", Some(Event::Anything)),
            (EventKind::Access(AccessKind::Open(AccessMode::Any)), "/d", None),
        ] {
            assert_eq!(translate(dir, kind, Path::new(path)), expected, "{kind:?} {path}");
        }
    }

    #[test]
    fn a_full_queue_asks_for_everything() {
        let events = Events::default();
        let handler = Handler {
            dir: "/d".into(),
            queue: events.waker.queue.clone(),
            overflowed: events.overflowed.clone(),
        };
        for _ in 0..=QUEUE {
            handler.send(Event::Closed("a.yaml".into()));
        }
        let next = || events.next(Instant::now());
        assert_eq!(next(), Some(Wake::Event(Event::Anything)));
        assert_eq!(next(), Some(Wake::Event(Event::Closed("a.yaml".into()))));
    }

    #[test]
    fn stopping_comes_before_everything_that_waits() {
        let events = Events::default();
        assert_eq!(events.next(Instant::now()), None);
        events.waker.queue.try_send(Wake::Event(Event::Anything)).unwrap();
        events.waker().stop();
        assert_eq!(events.next(Instant::now()), Some(Wake::Stop));
    }

    #[test]
    fn another_folder_of_the_same_name_is_watched_anew() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("d");
        fs::create_dir(&dir).unwrap();
        let mut events = Events::default();
        assert!(events.ensure(&dir).unwrap());
        assert!(!events.ensure(&dir).unwrap());
        fs::rename(&dir, parent.path().join("old")).unwrap();
        assert!(events.ensure(&dir).is_err());
        fs::create_dir(&dir).unwrap();
        assert!(events.ensure(&dir).unwrap());
        fs::write(dir.join("a.yaml"), "").unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        let closed = Wake::Event(Event::Closed("a.yaml".into()));
        while events.next(deadline).expect("the event comes in time") != closed {}
    }
}
