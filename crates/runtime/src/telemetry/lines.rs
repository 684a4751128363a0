//! From any thread to the log's sink, without waiting for it.
//!
//! ```text
//! event -> Line -try_send-> bounded queue -> writer thread -> sink
//!               `- full: dropped and counted; no thread ever waits for whoever reads the log
//! ```
//!
//! A sink that fails or is not read must stop neither requests nor revocations, and must end no process.

use std::{
    io::{self, Write},
    mem,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::Duration,
};

use tracing_subscriber::fmt::MakeWriter;

/// Lines that may wait for the writer.
const QUEUE: usize = 4096;

enum Message {
    Line(Vec<u8>),
    /// Answered when all before it is written.
    Flush(SyncSender<()>),
}

/// Where threads put lines.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    queue: SyncSender<Message>,
    dropped: Arc<AtomicU64>,
}

/// One line that is being made; it goes off when it is dropped.
pub(super) struct Line<'l> {
    text: Vec<u8>,
    lines: &'l Lines,
}

impl Lines {
    /// Lines for a sink, written by a thread of their own that lives as long as the process.
    pub(super) fn start(sink: impl Write + Send + 'static) -> io::Result<Self> {
        let (queue, messages) = sync_channel(QUEUE);
        thread::Builder::new()
            .name("latchkey-log".to_owned())
            .spawn(move || write_all(&messages, sink))?;
        Ok(Self {
            queue,
            dropped: Arc::default(),
        })
    }

    /// Lines dropped since start.
    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Relaxed)
    }

    /// Waits until all lines so far are written, but no longer than this.
    pub(super) fn flush(&self, within: Duration) {
        let (done, written) = sync_channel(1);
        // A full queue has a sink that takes nothing.
        if self.queue.try_send(Message::Flush(done)).is_ok() {
            let _ = written.recv_timeout(within);
        }
    }
}

impl<'l> MakeWriter<'l> for Lines {
    type Writer = Line<'l>;

    fn make_writer(&'l self) -> Self::Writer {
        Line {
            text: Vec::new(),
            lines: self,
        }
    }
}

impl Write for Line<'_> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(text);
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Line<'_> {
    fn drop(&mut self) {
        let text = mem::take(&mut self.text);
        if !text.is_empty() && self.lines.queue.try_send(Message::Line(text)).is_err() {
            self.lines.dropped.fetch_add(1, Relaxed);
        }
    }
}

fn write_all(messages: &Receiver<Message>, mut sink: impl Write) {
    for message in messages {
        match message {
            // What cannot be written is lost: there is nowhere left to say so.
            Message::Line(text) => drop(sink.write_all(&text)),
            Message::Flush(done) => {
                let _ = sink.flush();
                let _ = done.try_send(());
            }
        }
    }
}
