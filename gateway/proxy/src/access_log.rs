//! The access log: one JSON line a request, written by a thread of its own.
//!
//! ```text
//! worker -try_send-> bounded queue -> writer thread -> sink
//!           `- full: dropped and counted; a request never waits for a log
//! ```
//!
//! A line never holds a key. Queries are left out whole: a key in a place that no policy names is
//! still a key.

mod entry;

use std::{
    convert::Infallible,
    io::{self, Write},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

pub(crate) use entry::Entry;

/// Lines that may wait for the writer.
const QUEUE: usize = 8192;
/// How long a written line may stay in the buffer while no other comes.
const FLUSH_AFTER: Duration = Duration::from_millis(100);

/// Which requests are logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessLogMode {
    /// None.
    Off,
    /// Those that the gateway refused.
    #[default]
    Denied,
    /// All.
    All,
}

/// Where workers put lines.
#[derive(Clone, Debug)]
pub struct AccessLog {
    mode: AccessLogMode,
    queue: Option<SyncSender<Box<Entry>>>,
    dropped: Arc<AtomicU64>,
}

/// The writer thread, which holds the other end of this. It ends when the last [`AccessLog`] is gone and all
/// lines are written.
#[derive(Debug)]
pub struct AccessLogWriter(Option<Receiver<Infallible>>);

impl AccessLog {
    /// Logs nothing.
    pub fn off() -> Self {
        Self {
            mode: AccessLogMode::Off,
            queue: None,
            dropped: Arc::default(),
        }
    }

    /// Logs to a sink, from a thread of its own.
    ///
    /// # Errors
    /// The system refuses another thread.
    pub fn start(
        mode: AccessLogMode,
        sink: impl Write + Send + 'static,
    ) -> io::Result<(Self, AccessLogWriter)> {
        if mode == AccessLogMode::Off {
            return Ok((Self::off(), AccessLogWriter(None)));
        }
        let (queue, entries) = sync_channel(QUEUE);
        let (alive, ended) = sync_channel(0);
        thread::Builder::new()
            .name("latchkey-access-log".to_owned())
            .spawn(move || {
                let _alive: SyncSender<Infallible> = alive;
                write_all(&entries, sink);
            })?;
        let log = Self {
            mode,
            queue: Some(queue),
            dropped: Arc::default(),
        };
        Ok((log, AccessLogWriter(Some(ended))))
    }

    /// Reads how many lines were dropped because the queue was full. A reader does not keep the writer
    /// waiting for more lines, as a clone of the log would.
    pub fn drop_counter(&self) -> impl Fn() -> u64 + Send + Sync + use<> {
        let dropped = Arc::clone(&self.dropped);
        move || dropped.load(Relaxed)
    }

    /// Whether any request may be logged.
    pub(crate) fn is_on(&self) -> bool {
        self.mode != AccessLogMode::Off
    }

    /// Logs a request that has ended, if it is one of those that are logged.
    pub(crate) fn write(&self, entry: Box<Entry>) {
        let wanted = self.mode == AccessLogMode::All || entry.reason.status() != 0;
        let Some(queue) = self.queue.as_ref().filter(|_| wanted) else {
            return;
        };
        if queue.try_send(entry).is_err() {
            self.dropped.fetch_add(1, Relaxed);
        }
    }
}

impl AccessLogWriter {
    /// Waits until all lines are written, and says whether they were: a sink that takes nothing must not keep
    /// the process alive. Drop every [`AccessLog`] before.
    pub fn join(self, within: Duration) -> bool {
        self.0
            .is_none_or(|ended| ended.recv_timeout(within) == Err(RecvTimeoutError::Disconnected))
    }
}

fn write_all(entries: &Receiver<Box<Entry>>, sink: impl Write) {
    let mut sink = io::BufWriter::new(sink);
    let mut line = Vec::with_capacity(1024);
    let mut unflushed = false;
    loop {
        let entry = if unflushed {
            match entries.recv_timeout(FLUSH_AFTER) {
                Ok(entry) => entry,
                Err(RecvTimeoutError::Timeout) => {
                    // A sink that is gone must not stop the gateway; its readers notice by themselves.
                    let _ = sink.flush();
                    unflushed = false;
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        } else {
            match entries.recv() {
                Ok(entry) => entry,
                Err(_) => break,
            }
        };
        line.clear();
        entry.render(&mut line);
        let _ = sink.write_all(&line);
        unflushed = true;
    }
    let _ = sink.flush();
}

#[cfg(test)]
mod tests;
