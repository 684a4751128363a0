//! Taking connections from a listener's queue, as many as may be open at once.

use std::{
    cell::Cell,
    io::{self, ErrorKind},
    rc::Rc,
    time::Duration,
};

use tokio::{
    net::TcpListener,
    sync::oneshot,
    task::spawn_local,
    time::{Instant, sleep},
};

use crate::{
    connection,
    worker::{Seat, Worker},
};

/// How long to wait after an accept that failed for want of something (file descriptors, memory), and
/// how often to look whether another worker's connection has ended.
const RETRY: Duration = Duration::from_millis(50);
/// How often a worker says that it cannot accept; the counter has every time.
const SAY_AGAIN: Duration = Duration::from_secs(60);

/// Accepts until it is told to stop, and then once more what waits in the queue. At the limit one
/// connection is accepted and waits here.
pub(crate) async fn accept(
    worker: Rc<Worker>,
    port: u16,
    listener: &TcpListener,
    mut stopped: oneshot::Receiver<()>,
) {
    loop {
        tokio::select! {
            // What waits in the queue is accepted before a stop is heard: closing the socket would
            // reset it.
            biased;
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let Some(seat) = seat(&worker, &mut stopped).await else { return };
                    spawn_local(connection::serve(Rc::clone(&worker), seat, stream, peer, port));
                }
                Err(error) => {
                    worker.stats.accept_failed();
                    if !is_of_one_connection(&error) {
                        worker.exhaustion.say(port, &error);
                        // The connection stays in the queue: to try again at once would be a busy loop.
                        sleep(RETRY).await;
                    }
                }
            },
            _ = &mut stopped => return,
        }
    }
}

/// A seat, when there is one; `None` if it is told to stop before.
async fn seat(worker: &Rc<Worker>, stopped: &mut oneshot::Receiver<()>) -> Option<Seat> {
    let mut paused = false;
    loop {
        if let Some(seat) = Seat::take(worker) {
            return Some(seat);
        }
        if !paused {
            paused = true;
            worker.stats.paused();
        }
        tokio::select! {
            () = worker.seat_freed() => {}
            // Other workers' seats are of the same number, and nobody tells across threads.
            () = sleep(RETRY) => {}
            _ = &mut *stopped => return None,
        }
    }
}

/// Whether the next connection may well be accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted
    )
}

/// When it was last said that something is wanting.
#[derive(Debug, Default)]
pub(crate) struct Exhaustion(Cell<Option<Instant>>);

impl Exhaustion {
    fn say(&self, port: u16, error: &io::Error) {
        let now = Instant::now();
        if self.0.get().is_none_or(|last| now - last >= SAY_AGAIN) {
            self.0.set(Some(now));
            tracing::warn!(
                port,
                %error,
                "cannot accept connections; raise the limit of open files, or lower --max-connections"
            );
        }
    }
}
