//! The admin server: `GET` and `HEAD` of a fixed set of paths, on a thread of its own.
//!
//! ```text
//! Admin (paths) -start-> thread "admin": accept -> answer -> handler(): ready bytes
//! ```
//!
//! It serves until the process ends, also while that drains. Handlers run on its thread, so they
//! must be cheap; nothing here waits for a worker, and no worker for anything here.

mod answer;
mod server;

use std::{
    collections::BTreeMap,
    io,
    net::{SocketAddr, TcpListener},
    sync::Arc,
};

use bytes::Bytes;
use http::StatusCode;
use server::Limits;

use crate::{
    listen::{ListenError, listen},
    readiness::Readiness,
};

/// What a handler answers.
#[derive(Clone, Debug)]
pub struct AdminResponse {
    /// The status code.
    pub status: StatusCode,
    /// The media type of the body.
    pub content_type: &'static str,
    /// The body.
    pub body: Bytes,
}

impl AdminResponse {
    /// Plain text.
    pub fn text(status: StatusCode, body: impl Into<Bytes>) -> Self {
        Self {
            status,
            content_type: "text/plain; charset=utf-8",
            body: body.into(),
        }
    }

    /// A JSON document, 200.
    pub fn json(body: impl Into<Bytes>) -> Self {
        Self {
            status: StatusCode::OK,
            content_type: "application/json",
            body: body.into(),
        }
    }
}

/// What answers for a path. It runs on the admin thread: give back what is ready, never wait.
pub type Handler = Arc<dyn Fn() -> AdminResponse + Send + Sync>;

/// The paths, in the order in which a 404 lists them.
type Paths = BTreeMap<&'static str, Handler>;

/// The admin server before its start: `/livez` and `/readyz`, and what the binary adds.
pub struct Admin(Paths);

/// Why there is no admin server.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    /// The address cannot be had.
    #[error("the admin server {0}")]
    Listen(#[from] ListenError),
    /// The system gives no thread or no event queue.
    #[error("the admin server cannot start: {0}; check the limits of this process (threads, open files)")]
    Start(#[from] io::Error),
}

impl Admin {
    /// `/livez` answers as long as the process can; `/readyz` says what is pending.
    pub fn new(readiness: Readiness) -> Self {
        let live: Handler = Arc::new(|| AdminResponse::text(StatusCode::OK, "live\n"));
        let ready: Handler = Arc::new(move || readyz(&readiness));
        Self(BTreeMap::from([("/livez", live), ("/readyz", ready)]))
    }

    /// Answers for `path`, which has no query.
    #[must_use]
    pub fn route(
        mut self,
        path: &'static str,
        handler: impl Fn() -> AdminResponse + Send + Sync + 'static,
    ) -> Self {
        self.0.insert(path, Arc::new(handler));
        self
    }

    /// Listens, and serves on a thread of its own until the process ends. Gives back the address,
    /// whose port is the real one where 0 was asked for.
    ///
    /// # Errors
    /// The address cannot be had, or the system gives no thread.
    pub fn start(self, addr: SocketAddr) -> Result<SocketAddr, AdminError> {
        self.start_within(addr, Limits::default())
    }

    fn start_within(self, addr: SocketAddr, limits: Limits) -> Result<SocketAddr, AdminError> {
        let listener = listen(addr)?;
        let addr = listener.local_addr()?;
        serve(listener, self.0, limits)?;
        tracing::info!(%addr, "admin server listens");
        Ok(addr)
    }
}

fn serve(listener: TcpListener, paths: Paths, limits: Limits) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let listener = {
        let _inside = runtime.enter();
        tokio::net::TcpListener::from_std(listener)?
    };
    std::thread::Builder::new()
        .name("admin".to_owned())
        .spawn(move || runtime.block_on(server::run(listener, Arc::new(paths), limits)))?;
    Ok(())
}

fn readyz(readiness: &Readiness) -> AdminResponse {
    let pending = readiness.pending();
    if pending.is_empty() {
        return AdminResponse::text(StatusCode::OK, "ready\n");
    }
    AdminResponse::text(
        StatusCode::SERVICE_UNAVAILABLE,
        format!("not ready\n{}\n", pending.join("\n")),
    )
}

#[cfg(test)]
mod tests;
