//! The system's events for one folder (inotify), translated, and the waiting for them. Decides nothing.
//!
//! The reading thread asks the kernel itself, with no other thread between: what happened to a file
//! before it was read is known when the events are read after it. The kernel's queue is bounded, and
//! what it lost becomes [`Event::Anything`].

use std::{
    ffi::OsStr,
    fs, io,
    mem::MaybeUninit,
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt, fs::MetadataExt},
    },
    path::Path,
    sync::Arc,
    time::Instant,
};

use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init},
    io::Errno,
};

use super::{file::FileName, inbox::Event};

/// Bytes of events that one call reads: some hundred of them.
const BUFFER: usize = 16 * 1024;

/// What ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// There are events.
    Events,
    /// The time came.
    Deadline,
    /// The process ends.
    Stop,
}

/// Wakes the reading thread for good.
#[derive(Clone, Debug)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    /// Ends the reading thread.
    pub fn stop(&self) {
        // It can only fail where it was called 2^64 times before.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

/// The events of a folder, as long as it can be watched.
#[derive(Debug)]
pub struct Events {
    waker: Waker,
    watch: Option<Watch>,
}

#[derive(Debug)]
struct Watch {
    inotify: OwnedFd,
    /// Device and inode of the folder that is watched; the path may come to name another one.
    folder: (u64, u64),
}

impl Events {
    /// No folder is watched yet.
    ///
    /// # Errors
    /// The system gives no descriptor.
    pub fn new() -> io::Result<Self> {
        let stop = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self {
            waker: Waker(Arc::new(stop)),
            watch: None,
        })
    }

    /// How to stop whoever waits here.
    pub fn waker(&self) -> Waker {
        self.waker.clone()
    }

    /// Watches the folder that `dir` names now. What happened before is still to be found by a scan.
    ///
    /// # Errors
    /// The system gives no watch; the folder is then read by polling alone.
    pub fn ensure(&mut self, dir: &Path) -> io::Result<()> {
        let metadata = fs::metadata(dir)?;
        let folder = (metadata.dev(), metadata.ino());
        if self.watch.as_ref().is_some_and(|watch| watch.folder == folder) {
            return Ok(());
        }
        // The old one first: it may stand for the last watch that the system gives this user.
        self.watch = None;
        let inotify = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let wanted = WatchFlags::CLOSE_WRITE
            | WatchFlags::MODIFY
            | WatchFlags::CREATE
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        add_watch(&inotify, dir, wanted)?;
        self.watch = Some(Watch { inotify, folder });
        Ok(())
    }

    /// Waits for events, but no longer than until then.
    pub fn wait(&self, deadline: Instant) -> Woken {
        let mut fds = vec![PollFd::new(&*self.waker.0, PollFlags::IN)];
        fds.extend(
            self.watch
                .iter()
                .map(|watch| PollFd::new(&watch.inotify, PollFlags::IN)),
        );
        loop {
            let wait = deadline.saturating_duration_since(Instant::now());
            // A wait that does not fit is one of many thousand years.
            let wait = Timespec::try_from(wait).ok();
            match poll(&mut fds, wait.as_ref()) {
                Ok(0) => return Woken::Deadline,
                Ok(_) if fds[0].revents().is_empty() => return Woken::Events,
                // Whatever else is wrong with our own descriptor, nothing can be waited for any more.
                Ok(_) => return Woken::Stop,
                Err(Errno::INTR) => {}
                Err(_) => return Woken::Stop,
            }
        }
    }

    /// Everything that has happened by now.
    pub fn drain(&mut self, mut each: impl FnMut(Event)) {
        let Some(watch) = &self.watch else { return };
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut events = Reader::new(&watch.inotify, &mut buffer);
        let gone = loop {
            match events.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    if let Some(event) = translate(event.events(), name) {
                        each(event);
                    }
                    if event.events().contains(ReadFlags::IGNORED) {
                        break true;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break false,
                Err(_) => break true,
            }
        };
        if gone {
            self.watch = None;
            each(Event::Anything);
        }
    }
}

/// What an event of the system means for the folder; `None` where it means nothing.
fn translate(happened: ReadFlags, name: Option<&OsStr>) -> Option<Event> {
    let is = |flag| happened.intersects(flag);
    let Some(name) = name else {
        // The folder itself was moved, deleted or unmounted, or events were lost. Its attributes change
        // when it is made readable again.
        return Some(Event::Anything);
    };
    // `..data` of a ConfigMap mount: one rename changes what every link in the folder leads to.
    if name.as_bytes().starts_with(b"..") {
        return is(ReadFlags::MOVED_TO).then_some(Event::Anything);
    }
    let file = FileName::from(name.to_owned());
    if !file.is_manifest() {
        None
    } else if is(ReadFlags::CLOSE_WRITE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO) {
        Some(Event::Closed(file))
    } else if is(ReadFlags::MODIFY) {
        Some(Event::Written(file))
    } else if is(ReadFlags::CREATE) {
        Some(Event::Created(file))
    } else {
        Some(Event::Touched(file))
    }
}

#[cfg(test)]
mod tests;
