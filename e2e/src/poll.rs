//! Asks a gateway again and again beside a test, and remembers how the answers changed: what must never
//! happen must not happen between two looks either.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use crate::{
    client::{self, Request},
    wait::{eventually, pause},
};

/// The time between two requests: tests share few cores.
const PACE: Duration = Duration::from_millis(2);
/// What stands for a request without an answer.
const NO_ANSWER: u16 = 0;

/// A client that asks until it is dropped.
#[derive(Debug)]
pub struct Poll {
    shared: Arc<Shared>,
    thread: Option<thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    /// Requests that were begun.
    begun: AtomicU64,
    /// The statuses, equal neighbours as one.
    changes: Mutex<Vec<u16>>,
}

impl Poll {
    /// Asks this address with this request.
    pub fn start(address: SocketAddr, request: &Request) -> Self {
        let (shared, request) = (Arc::<Shared>::default(), request.clone());
        let thread = thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                while !shared.stop.load(SeqCst) {
                    shared.begun.fetch_add(1, SeqCst);
                    let answer = client::send(address, &request);
                    shared.saw(answer.map_or(NO_ANSWER, |response| response.status));
                    pause(PACE);
                }
            }
        });
        let thread = Some(thread);
        Self { shared, thread }
    }

    /// The statuses so far, equal neighbours as one: `[200, 401]` is a key that died, and stays dead. An
    /// answer to a request that was sent after this call is among them.
    pub fn changes(&self) -> Vec<u16> {
        let before = self.shared.begun.load(SeqCst);
        eventually("it goes on asking", || {
            // One that is begun may be an earlier one; the answer to it is in when the next one begins.
            let begun = self.shared.begun.load(SeqCst);
            (begun > before + 1).then_some(()).ok_or(format!("{begun}"))
        });
        self.shared.changes().clone()
    }

    /// Waits until the answers have changed like this, and fails if they changed in another way.
    pub fn becomes(&self, wanted: &[u16]) {
        eventually(&format!("the answers change as {wanted:?}"), || {
            let changes = self.changes();
            assert!(wanted.starts_with(&changes), "not {wanted:?} but {changes:?}");
            (changes == wanted).then_some(()).ok_or(format!("{changes:?}"))
        });
    }

    /// Fails if the answers have changed otherwise, up to now.
    pub fn is(&self, wanted: &[u16]) {
        assert_eq!(self.changes(), wanted);
    }
}

impl Shared {
    fn saw(&self, status: u16) {
        let mut changes = self.changes();
        if changes.last() != Some(&status) {
            changes.push(status);
        }
    }

    fn changes(&self) -> MutexGuard<'_, Vec<u16>> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Poll {
    fn drop(&mut self) {
        self.shared.stop.store(true, SeqCst);
        if let Some(thread) = self.thread.take() {
            // It panics nowhere; each of its requests has a deadline.
            let _ = thread.join();
        }
    }
}
