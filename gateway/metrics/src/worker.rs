//! The thread that renders all text once an interval, whatever the number of scrapes.
//!
//! Two buffers take turns: one is served while the other is written. A third is only needed while a
//! slow scrape still reads the one before.

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Weak, mpsc},
    time::{Duration, Instant, SystemTime},
};

use bytes::{Bytes, BytesMut};

use crate::{
    Source,
    cache::{Cache, Shared},
    encode::Text,
    families::{
        METRICS_RENDER_DURATION, METRICS_RENDERED, METRICS_RENDERS, METRICS_RESTARTS, METRICS_TEXT_BYTES,
    },
    sizes::unix_seconds,
};

/// How often the text is rendered unless configured otherwise.
pub const DEFAULT_INTERVAL: Duration = Duration::from_secs(15);
/// The shortest interval: less is rendering all the time.
pub const MIN_INTERVAL: Duration = Duration::from_millis(10);
/// How many intervals a text may be served.
const EXPIRY_INTERVALS: u32 = 4;

/// Starts the worker; an interval below [`MIN_INTERVAL`] is that. `first_render` is called once,
/// when there is a text: until then the process should not be ready.
///
/// A source that panics costs that one text: rendering starts again an interval later.
///
/// # Errors
/// The system gives no thread.
pub fn start(
    sources: Vec<Box<dyn Source>>,
    interval: Duration,
    first_render: impl FnOnce() + Send + 'static,
) -> io::Result<Cache> {
    let interval = interval.max(MIN_INTERVAL);
    let (alive, ended) = mpsc::channel();
    let shared = Arc::new(Shared::new(interval.saturating_mul(EXPIRY_INTERVALS), alive));
    let cache = Arc::downgrade(&shared);
    let renderer = Renderer {
        sources,
        ..Renderer::default()
    };
    std::thread::Builder::new()
        .name("metrics".to_owned())
        .spawn(move || run(renderer, &cache, &ended, interval, first_render))?;
    Ok(Cache(shared))
}

/// Renders until no cache is left.
fn run(
    mut renderer: Renderer,
    cache: &Weak<Shared>,
    ended: &mpsc::Receiver<std::convert::Infallible>,
    interval: Duration,
    first_render: impl FnOnce(),
) {
    let mut first_render = Some(first_render);
    loop {
        let Some(shared) = cache.upgrade() else { return };
        // What a panic leaves behind is never read: the half text is gone, and sources only read.
        match catch_unwind(AssertUnwindSafe(|| renderer.render(shared.failures()))) {
            Ok(text) => {
                renderer.recycle(shared.publish(text));
                if let Some(first_render) = first_render.take() {
                    first_render();
                }
            }
            Err(_) => {
                shared.failed();
                tracing::error!("rendering metrics panicked; it starts again after the interval");
            }
        }
        drop(shared);
        if ended.recv_timeout(interval) == Err(mpsc::RecvTimeoutError::Disconnected) {
            return;
        }
    }
}

/// Renders, and knows about its own work.
#[derive(Default)]
struct Renderer {
    sources: Vec<Box<dyn Source>>,
    /// A buffer of the right size, if there is one to use again.
    spare: BytesMut,
    renders: u64,
    last_duration: Duration,
    last_length: usize,
}

impl Renderer {
    fn render(&mut self, restarts: u64) -> Bytes {
        let start = Instant::now();
        let mut text = Text::reusing(std::mem::take(&mut self.spare));
        for source in &mut self.sources {
            source.render(&mut text);
        }
        self.renders += 1;
        text.single(&METRICS_RENDERED, unix_seconds(SystemTime::now()));
        text.single(&METRICS_RENDERS, self.renders);
        text.single(&METRICS_RENDER_DURATION, self.last_duration.as_secs_f64());
        text.single(&METRICS_TEXT_BYTES, self.last_length);
        text.single(&METRICS_RESTARTS, restarts);
        let text = text.finish();
        (self.last_duration, self.last_length) = (start.elapsed(), text.len());
        text
    }

    /// Takes the buffer of a text that was replaced, unless a scrape still reads it.
    fn recycle(&mut self, old: Option<Bytes>) {
        if let Some(Ok(buffer)) = old.map(Bytes::try_into_mut) {
            self.spare = buffer;
        }
    }
}

#[cfg(test)]
mod tests;
