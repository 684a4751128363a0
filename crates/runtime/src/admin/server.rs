//! The admin server's sockets: accepts, limits, and hands requests to [`answer`](super::answer).

use std::{collections::VecDeque, convert::Infallible, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    task::AbortHandle,
    time::sleep,
};

use super::{Paths, answer::answer};

/// What clients may take up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Connections at once. Probes and scrapers need a handful; one more ends the oldest, so that
    /// whoever hoards connections cannot keep a probe out.
    pub(super) connections: usize,
    /// How long a request's head may take, and how long a connection may idle.
    pub(super) header_read: Duration,
    /// How long a client may take in nothing of an answer. One that reads slowly gets it whole.
    pub(super) stalled_write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 64,
            header_read: Duration::from_secs(30),
            stalled_write: Duration::from_secs(30),
        }
    }
}

/// The most a request's head may hold, in bytes.
const MAX_HEADER_SIZE: usize = 16 * 1024;

/// How long to wait where accepting fails because the process ran out of something.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(100);

/// Serves for ever.
pub(super) async fn run(listener: TcpListener, paths: Arc<Paths>, limits: Limits) {
    let mut open: VecDeque<AbortHandle> = VecDeque::with_capacity(limits.connections);
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "the admin server cannot accept a connection");
                sleep(ACCEPT_BACKOFF).await;
                continue;
            }
        };
        if open.len() == limits.connections {
            open.retain(|connection| !connection.is_finished());
        }
        if open.len() == limits.connections
            && let Some(oldest) = open.pop_front()
        {
            tracing::warn!(
                limit = limits.connections,
                "too many admin connections; the oldest is closed"
            );
            oldest.abort();
        }
        let paths = Arc::clone(&paths);
        open.push_back(tokio::spawn(connection(stream, paths, limits)).abort_handle());
    }
}

async fn connection(stream: TcpStream, paths: Arc<Paths>, limits: Limits) {
    // Neither option changes what is answered, so that a system without them serves all the same.
    let _ = stream.set_nodelay(true);
    let _ = socket2::SockRef::from(&stream).set_tcp_user_timeout(Some(limits.stalled_write));
    let service = service_fn(|request: http::Request<hyper::body::Incoming>| {
        let response = answer(request.method(), request.uri().path(), &paths);
        std::future::ready(Ok::<_, Infallible>(response))
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_read)
        .max_header_size(MAX_HEADER_SIZE)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "an admin connection ended");
    }
}

#[cfg(test)]
mod tests;
