//! A scripted upstream on a raw socket, for what a well-behaved server cannot do: to reset, to
//! stop half way, to be slow, to close at the wrong moment.

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use crate::{client, wait::PATIENCE};

/// A listening upstream. Each connection runs the script on a thread of its own.
#[derive(Debug)]
pub struct Upstream {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    stopping: AtomicBool,
    /// Open connections by number, so that the upstream's end is theirs, too.
    connections: Mutex<HashMap<usize, TcpStream>>,
    accepted: AtomicUsize,
    requests: Mutex<Vec<Head>>,
}

/// A request's head, as it stood on the wire.
#[derive(Clone, Debug, Default)]
pub struct Head(pub String);

impl Head {
    /// The request line.
    pub fn request_line(&self) -> &str {
        self.0.lines().next().unwrap_or_default()
    }

    /// All values of a header.
    pub fn header_all(&self, name: &str) -> Vec<&str> {
        self.0
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .filter(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .collect()
    }

    fn content_length(&self) -> u64 {
        self.header_all("Content-Length")
            .first()
            .and_then(|length| length.parse().ok())
            .unwrap_or(0)
    }
}

/// One connection that the gateway made.
#[derive(Debug)]
pub struct Peer {
    /// How many connections came before this one.
    pub number: usize,
    stream: BufReader<TcpStream>,
    shared: Arc<Shared>,
    resets: bool,
}

impl Upstream {
    /// Listens on a free port of 127.0.0.1 and runs the script for every connection. The script
    /// owns the connection: when it returns, the connection ends with a FIN.
    pub fn start(script: impl Fn(&mut Peer) -> io::Result<()> + Send + Sync + 'static) -> Self {
        Self::start_on(Ipv4Addr::LOCALHOST, script)
    }

    /// [`Upstream::start`] on another address.
    pub fn start_on(
        ip: Ipv4Addr,
        script: impl Fn(&mut Peer) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((ip, 0)).expect("a free port of an address of ours");
        let address = listener.local_addr().expect("a bound socket has an address");
        let shared = Arc::<Shared>::default();
        let upstream = Self {
            address,
            shared: Arc::clone(&shared),
        };
        let script = Arc::new(script);
        thread::spawn(move || accept(&listener, &shared, &script));
        upstream
    }

    /// An upstream that answers every request of every connection with 200 and these bytes.
    pub fn answering(body: &'static str) -> Self {
        Self::answering_on(Ipv4Addr::LOCALHOST, body)
    }

    /// [`Upstream::answering`] on another address.
    pub fn answering_on(ip: Ipv4Addr, body: &'static str) -> Self {
        Self::start_on(ip, move |peer| {
            while let Some(head) = peer.request()? {
                peer.skip_body(&head)?;
                peer.answer(body)?;
            }
            Ok(())
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many connections were made to it so far.
    pub fn connections(&self) -> usize {
        self.shared.accepted.load(Ordering::SeqCst)
    }

    /// The heads of all requests so far, in the order in which they came in.
    pub fn requests(&self) -> Vec<Head> {
        lock(&self.shared.requests).clone()
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the acceptor, which then sees the flag.
        let _ = TcpStream::connect(self.address);
        for (_, stream) in lock(&self.shared.connections).drain() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn accept<S>(listener: &TcpListener, shared: &Arc<Shared>, script: &Arc<S>)
where
    S: Fn(&mut Peer) -> io::Result<()> + Send + Sync + 'static,
{
    for (number, stream) in listener.incoming().enumerate() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        shared.accepted.fetch_add(1, Ordering::SeqCst);
        let _ = stream.set_nodelay(true);
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.set_write_timeout(Some(PATIENCE));
        if let Ok(clone) = stream.try_clone() {
            lock(&shared.connections).insert(number, clone);
        }
        let mut peer = Peer {
            number,
            stream: BufReader::with_capacity(64 * 1024, stream),
            shared: Arc::clone(shared),
            resets: false,
        };
        let script = Arc::clone(script);
        thread::spawn(move || {
            // A gateway that hangs up is part of what is tested; what it means is the test's to say.
            let _ = script(&mut peer);
            lock(&peer.shared.connections).remove(&peer.number);
            if peer.resets {
                // With the last handle of the socket goes a RST; a shutdown would send a FIN first.
                client::linger_not(peer.stream.get_ref());
            } else {
                let _ = peer.stream.get_ref().shutdown(Shutdown::Both);
            }
        });
    }
}

impl Peer {
    /// The next request's head; `None` when the gateway closed the connection.
    ///
    /// # Errors
    /// Those of the socket, and a head that ends early.
    pub fn request(&mut self) -> io::Result<Option<Head>> {
        let mut head = String::new();
        loop {
            let start = head.len();
            if self.stream.read_line(&mut head)? == 0 {
                return if head.is_empty() {
                    Ok(None)
                } else {
                    Err(io::ErrorKind::UnexpectedEof.into())
                };
            }
            if head[start..] == *"\r\n" {
                break;
            }
        }
        let head = Head(head);
        lock(&self.shared.requests).push(head.clone());
        Ok(Some(head))
    }

    /// Reads a request's body and gives its length.
    ///
    /// # Errors
    /// Those of the socket, and a body that ends early.
    pub fn skip_body(&mut self, head: &Head) -> io::Result<u64> {
        if head.header_all("Transfer-Encoding").is_empty() {
            let length = head.content_length();
            let read = io::copy(&mut (&mut self.stream).take(length), &mut io::sink())?;
            return if read == length {
                Ok(read)
            } else {
                Err(io::ErrorKind::UnexpectedEof.into())
            };
        }
        let mut total = 0;
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let size = u64::from_str_radix(line.trim(), 16)
                .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "no chunk size"))?;
            // The line end after the chunk goes with it; after the last one it ends the body.
            io::copy(&mut (&mut self.stream).take(size + 2), &mut io::sink())?;
            if size == 0 {
                return Ok(total);
            }
            total += size;
        }
    }

    /// Writes bytes as they are.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.get_mut().write_all(bytes)
    }

    /// Answers 200 with a body, and keeps the connection.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn answer(&mut self, body: &str) -> io::Result<()> {
        self.write(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
    }

    /// Waits until the gateway closes the connection, whatever it sends before.
    pub fn wait_closed(&mut self) {
        // An error is an end, too.
        let _ = io::copy(&mut self.stream, &mut io::sink());
    }

    /// Lets the connection end with a RST instead of a FIN when the script returns.
    pub fn reset(&mut self) {
        self.resets = true;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
