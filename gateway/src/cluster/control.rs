//! The thread that writes: drains what is ready, applies it, commits once, and never waits for more.

use std::{
    io,
    thread::{Builder, JoinHandle},
};

use latchkey_runtime::watch::Event;
use tokio::sync::mpsc::Receiver;

use super::writer::Writer;
use crate::bindings::OnCommit;

/// How many events go into one commit at most.
const BATCH: usize = 1024;

/// Starts the thread. It ends when nobody can send any more; `alive` is dropped when it ends, however it
/// does.
///
/// # Errors
/// The system gives no thread.
pub fn start(
    mut events: Receiver<(usize, Event)>,
    mut writer: Writer,
    mut on_commit: OnCommit,
    alive: impl Send + 'static,
) -> io::Result<JoinHandle<()>> {
    Builder::new().name("control".to_owned()).spawn(move || {
        let _alive = alive;
        while let Some((id, event)) = events.blocking_recv() {
            writer.take(id, event);
            let drained = drain(&mut events, &mut writer);
            if writer.commit() {
                on_commit(writer.router());
            }
            if drained {
                writer.pause();
            }
        }
    })
}

/// Takes in what is ready; says whether that was all.
fn drain(events: &mut Receiver<(usize, Event)>, writer: &mut Writer) -> bool {
    for _ in 1..BATCH {
        let Ok((id, event)) = events.try_recv() else {
            return true;
        };
        writer.take(id, event);
    }
    false
}

#[cfg(test)]
mod tests;
