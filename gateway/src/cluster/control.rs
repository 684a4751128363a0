//! The thread that writes: drains what is ready, applies it, commits once, and never waits for more. While
//! nothing is ready, it checks the index, a slice at a time.

use std::{
    io,
    thread::{Builder, JoinHandle},
    time::Instant,
};

use latchkey_runtime::watch::Event;
use tokio::{
    runtime::{self, Runtime},
    sync::mpsc::Receiver,
    time::timeout_at,
};

use super::writer::Writer;
use crate::{bindings::OnCommit, selfcheck::SelfCheck};

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
    mut checks: SelfCheck,
    mut on_commit: OnCommit,
    alive: impl Send + 'static,
) -> io::Result<JoinHandle<()>> {
    // For this thread alone: it waits with a time-out.
    let runtime = runtime::Builder::new_current_thread().enable_time().build()?;
    Builder::new().name("control".to_owned()).spawn(move || {
        let _alive = alive;
        loop {
            let drained = match wait(&runtime, &mut events, checks.due()) {
                Woken::Event(id, event) => {
                    writer.take(id, event);
                    drain(&mut events, &mut writer)
                }
                Woken::Check if !checks.slice(|at_most| writer.check(at_most)) => continue,
                Woken::Check => true,
                Woken::End => return,
            };
            if writer.commit() {
                on_commit(writer.router());
            }
            if drained {
                writer.pause();
            }
        }
    })
}

/// What ended a wait.
#[derive(Debug, PartialEq)]
enum Woken {
    /// Something happened.
    Event(usize, Event),
    /// Nothing did, and a slice of the self-check is due.
    Check,
    /// Nobody can send any more.
    End,
}

/// Waits for an event, which comes before a check that is due.
fn wait(runtime: &Runtime, events: &mut Receiver<(usize, Event)>, due: Option<Instant>) -> Woken {
    let heard = runtime.block_on(async {
        match due {
            Some(due) => timeout_at(due.into(), events.recv()).await,
            None => Ok(events.recv().await),
        }
    });
    match heard {
        Ok(Some((id, event))) => Woken::Event(id, event),
        Ok(None) => Woken::End,
        Err(_) => Woken::Check,
    }
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
