//! An upstream: a thread a connection, each running what the test says, with a record of all requests.

use std::{
    net::{SocketAddr, TcpListener},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use super::{Message, Wire};

/// A server on a port of its own. It ends with the test's process.
#[derive(Clone, Debug)]
pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    requests: Mutex<Vec<Message>>,
    connections: AtomicUsize,
}

/// A connection as its handler sees it.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) wire: Wire,
    state: Arc<State>,
}

impl Upstream {
    /// Runs `serve` for each connection, on a thread of its own.
    pub(crate) fn start(serve: impl Fn(Served) + Send + Sync + 'static) -> Self {
        Self::serving(TcpListener::bind("127.0.0.1:0").unwrap(), serve)
    }

    fn serving(listener: TcpListener, serve: impl Fn(Served) + Send + Sync + 'static) -> Self {
        let address = listener.local_addr().unwrap();
        let state = Arc::new(State::default());
        let serve = Arc::new(serve);
        let accepted = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { continue };
                accepted.connections.fetch_add(1, SeqCst);
                let served = Served {
                    wire: Wire::of(stream),
                    state: Arc::clone(&accepted),
                };
                let serve = Arc::clone(&serve);
                thread::spawn(move || serve(served));
            }
        });
        Self { address, state }
    }

    /// Answers every request with 200 and its own head, and keeps connections.
    pub(crate) fn echo() -> Self {
        Self::start(echo)
    }

    /// The same at an address that is free.
    pub(crate) fn at(address: SocketAddr) -> Self {
        Self::serving(TcpListener::bind(address).unwrap(), echo)
    }

    /// Answers every request with these bytes, and keeps connections.
    pub(crate) fn answering(answer: &'static str) -> Self {
        Self::start(move |mut served| {
            while served.request().is_some() {
                if !served.wire.send(answer) {
                    return;
                }
            }
        })
    }

    /// Says when a request came, and answers it when it is told to.
    pub(crate) fn on_command() -> (Self, Receiver<()>, Sender<()>) {
        let (came, comes) = channel();
        let (go, may_go) = channel();
        let may_go = Mutex::new(may_go);
        let upstream = Self::start(move |mut served| {
            while served.request().is_some() {
                came.send(()).unwrap();
                if may_go.lock().unwrap().recv().is_err() {
                    return;
                }
                served.wire.send(ok("fine"));
            }
        });
        (upstream, comes, go)
    }

    /// Requests that were read whole, in order.
    pub(crate) fn requests(&self) -> Vec<Message> {
        self.state.requests.lock().unwrap().clone()
    }

    /// Connections since start.
    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(SeqCst)
    }
}

impl Served {
    /// Reads a request and records it.
    pub(crate) fn request(&mut self) -> Option<Message> {
        let request = self.wire.request()?;
        self.state.requests.lock().unwrap().push(request.clone());
        Some(request)
    }
}

fn echo(mut served: Served) {
    while let Some(request) = served.request() {
        let text = format!("{}\r\n", request.head);
        if !served.wire.send(ok(&text)) {
            return;
        }
    }
}

/// A plain answer with a text.
pub(crate) fn ok(text: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{text}", text.len())
}
