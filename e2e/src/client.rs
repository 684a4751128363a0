//! A small HTTP/1.1 client on a raw socket: sends exactly the bytes it is given, and reads exactly
//! one response, so that what follows on the connection can be asserted too.

use std::{
    fmt::Write as _,
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

use crate::wait::PATIENCE;

/// A request as a well-behaved client would send it. What is wrong on purpose goes through
/// [`Connection::send_bytes`].
#[derive(Clone, Debug)]
pub struct Request {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Request {
    /// A request to `app.test`, the suite's usual host.
    pub fn new(method: &str, target: &str) -> Self {
        Self {
            method: method.to_owned(),
            target: target.to_owned(),
            headers: vec![("Host".to_owned(), "app.test".to_owned())],
            body: Vec::new(),
        }
    }

    /// A GET to `app.test`.
    pub fn get(target: &str) -> Self {
        Self::new("GET", target)
    }

    /// A POST to `app.test`.
    pub fn post(target: &str, body: &[u8]) -> Self {
        let length = body.len().to_string();
        let mut request = Self::new("POST", target).header("Content-Length", &length);
        request.body = body.to_vec();
        request
    }

    /// For another target.
    pub fn target(mut self, target: &str) -> Self {
        target.clone_into(&mut self.target);
        self
    }

    /// To another host.
    pub fn host(mut self, host: &str) -> Self {
        host.clone_into(&mut self.headers[0].1);
        self
    }

    /// One more header line.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With an API key in the default place.
    pub fn key(self, key: &str) -> Self {
        self.header("X-API-Key", key)
    }

    /// What goes over the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// A response, read to its end.
#[derive(Clone, Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// The header lines, in order.
    pub headers: Vec<(String, String)>,
    /// The body, without its framing.
    pub body: Vec<u8>,
}

impl Response {
    /// The only value of a header; `None` if it is absent.
    pub fn header(&self, name: &str) -> Option<&str> {
        let all = self.header_all(name);
        assert!(all.len() < 2, "{name} stands {} times", all.len());
        all.first().copied()
    }

    /// All values of a header.
    pub fn header_all(&self, name: &str) -> Vec<&str> {
        self.headers
            .iter()
            .filter(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
            .collect()
    }

    /// Whether `Connection` has this option.
    pub fn connection_is(&self, option: &str) -> bool {
        self.header_all("Connection")
            .iter()
            .flat_map(|value| value.split(','))
            .any(|token| token.trim().eq_ignore_ascii_case(option))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("not JSON: {e}\n{}", self.text()))
    }

    /// The `reason` of a problem+json answer of the gateway's own.
    pub fn reason(&self) -> String {
        let content_type = self.header("Content-Type").unwrap_or_default();
        assert!(
            content_type.starts_with("application/problem+json"),
            "{} is no problem+json but {content_type:?}: {}",
            self.status,
            self.text()
        );
        self.json()["reason"].as_str().unwrap_or_default().to_owned()
    }
}

/// A client connection.
#[derive(Debug)]
pub struct Connection(BufReader<TcpStream>);

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(Self(BufReader::with_capacity(64 * 1024, stream)))
    }

    /// Sends a request over the connection that a place keeps, or over a new one, and keeps it for the
    /// next request unless the server ends it.
    ///
    /// # Errors
    /// Those of the socket, and what is no HTTP.
    pub fn again(place: &mut Option<Self>, server: SocketAddr, request: &Request) -> io::Result<Response> {
        let mut connection = match place.take() {
            Some(kept) => kept,
            None => Self::open(server)?,
        };
        let response = connection.send(request)?;
        if !response.connection_is("close") {
            *place = Some(connection);
        }
        Ok(response)
    }

    /// The socket, for what this client has no name for.
    pub fn socket(&self) -> &TcpStream {
        self.0.get_ref()
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.get_mut().write_all(bytes)
    }

    /// Sends a request and reads its response.
    ///
    /// # Errors
    /// Those of the socket, and what is no HTTP.
    pub fn send(&mut self, request: &Request) -> io::Result<Response> {
        self.send_bytes(&request.bytes())?;
        self.response_to(&request.method)
    }

    /// Reads the response to a request that was sent as bytes; interim responses are passed over.
    ///
    /// # Errors
    /// Those of the socket, and what is no HTTP.
    pub fn response_to(&mut self, method: &str) -> io::Result<Response> {
        let mut response = self.head()?;
        let bodiless = method == "HEAD" || matches!(response.status, 204 | 304);
        if bodiless {
            return Ok(response);
        }
        let chunked = response
            .header("Transfer-Encoding")
            .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"));
        if chunked {
            response.body = self.chunks()?;
        } else if let Some(length) = response.header("Content-Length") {
            let length = length
                .parse()
                .map_err(|_| invalid("Content-Length is no number"))?;
            response.body.resize(length, 0);
            self.0.read_exact(&mut response.body)?;
        } else {
            self.0.read_to_end(&mut response.body)?;
        }
        Ok(response)
    }

    /// Reads a response's head only; interim responses are passed over.
    ///
    /// # Errors
    /// Those of the socket, and what is no HTTP.
    pub fn head(&mut self) -> io::Result<Response> {
        loop {
            let status_line = self.line()?;
            let mut parts = status_line.splitn(3, ' ');
            let version = parts.next().unwrap_or_default();
            let status: u16 = parts
                .next()
                .and_then(|code| code.parse().ok())
                .filter(|_| version == "HTTP/1.1" || version == "HTTP/1.0")
                .ok_or_else(|| invalid(&format!("no status line: {status_line:?}")))?;
            let mut headers = Vec::new();
            loop {
                let line = self.line()?;
                if line.is_empty() {
                    break;
                }
                let (name, value) = line.split_once(':').ok_or_else(|| invalid("no header line"))?;
                headers.push((name.to_owned(), value.trim().to_owned()));
            }
            if !(100..200).contains(&status) || status == 101 {
                return Ok(Response {
                    status,
                    headers,
                    body: Vec::new(),
                });
            }
        }
    }

    /// Reads and forgets this many bytes of a body.
    ///
    /// # Errors
    /// Those of the socket, and an early end.
    pub fn skip(&mut self, bytes: u64) -> io::Result<()> {
        let read = io::copy(&mut (&mut self.0).take(bytes), &mut io::sink())?;
        if read == bytes {
            Ok(())
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }

    /// Whether the peer closes the connection without another byte.
    pub fn is_closed(&mut self) -> bool {
        match self.0.fill_buf() {
            Ok(bytes) => bytes.is_empty(),
            Err(e) => matches!(
                e.kind(),
                io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe
            ),
        }
    }

    /// Everything until the peer closes or resets.
    pub fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset ends the connection as well as a FIN does; what came before it is in `rest`.
        let _ = self.0.read_to_end(&mut rest);
        rest
    }

    /// Ends the connection with a RST instead of a FIN.
    pub fn reset(self) {
        linger_not(self.socket());
    }

    fn chunks(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let size = line.split(';').next().unwrap_or_default().trim();
            let size = usize::from_str_radix(size, 16).map_err(|_| invalid("no chunk size"))?;
            if size == 0 {
                while !self.line()?.is_empty() {}
                return Ok(body);
            }
            let start = body.len();
            body.resize(start + size, 0);
            self.0.read_exact(&mut body[start..])?;
            if !self.line()?.is_empty() {
                return Err(invalid("a chunk longer than its size"));
            }
        }
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        (&mut self.0).take(64 * 1024).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let text = line
            .strip_suffix(b"\r\n")
            .ok_or_else(|| invalid("a line without CRLF"))?;
        Ok(String::from_utf8_lossy(text).into_owned())
    }
}

/// Sends one request over a connection of its own.
///
/// # Errors
/// Those of the socket, and what is no HTTP.
pub fn send(address: SocketAddr, request: &Request) -> io::Result<Response> {
    Connection::open(address)?.send(request)
}

/// Makes a socket's close a RST.
pub(crate) fn linger_not(stream: &TcpStream) {
    socket2::SockRef::from(stream)
        .set_linger(Some(Duration::ZERO))
        .expect("a socket takes SO_LINGER");
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}
