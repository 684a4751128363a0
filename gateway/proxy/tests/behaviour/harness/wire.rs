//! One end of a connection, on which messages are read as their framing says and not by an HTTP library.

use std::{
    io::{ErrorKind, Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
};

use super::DEADLINE;

/// A socket and what was read from it too early.
#[derive(Debug)]
pub(crate) struct Wire {
    pub(crate) stream: TcpStream,
    ahead: Vec<u8>,
}

/// A message as it stood on the wire.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    /// The request line or status line and all fields, without the empty line.
    pub(crate) head: String,
    /// The decoded body.
    pub(crate) body: Vec<u8>,
    /// The trailer section as it stood.
    pub(crate) trailers: String,
}

impl Wire {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::of(TcpStream::connect(address).unwrap())
    }

    pub(crate) fn of(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.set_write_timeout(Some(DEADLINE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            ahead: Vec::new(),
        }
    }

    /// Sends bytes; whether the other side still took them.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.stream.write_all(bytes.as_ref()).is_ok()
    }

    /// Sends a request and reads the answer.
    pub(crate) fn ask(&mut self, request: impl AsRef<[u8]>) -> Message {
        assert!(self.send(request), "the request could not be sent");
        self.answer().expect("an answer")
    }

    /// Reads the answer to a request other than HEAD.
    pub(crate) fn answer(&mut self) -> Option<Message> {
        let head = self.head()?;
        Some(self.with_body(head))
    }

    /// Reads a request.
    pub(crate) fn request(&mut self) -> Option<Message> {
        let head = self.head()?;
        let mut message = Message {
            head,
            ..Message::default()
        };
        if message.field("content-length").is_some() || message.field("transfer-encoding").is_some() {
            message = self.with_body(message.head);
        }
        Some(message)
    }

    /// Reads a head; `None` if the connection ends before it does.
    pub(crate) fn head(&mut self) -> Option<String> {
        let end = loop {
            if let Some(at) = find(&self.ahead, b"\r\n\r\n") {
                break at;
            }
            if !self.read_more() {
                return None;
            }
        };
        let head = self.take(end);
        self.take(4);
        Some(String::from_utf8_lossy(&head).into_owned())
    }

    fn with_body(&mut self, head: String) -> Message {
        let mut message = Message {
            head,
            ..Message::default()
        };
        let bodiless = [" 204 ", " 304 ", " 1"].iter().any(|status| {
            let line = message.head.lines().next().unwrap_or_default();
            line.starts_with("HTTP/") && line[8..].starts_with(status)
        });
        if bodiless {
            return message;
        }
        if message.field("transfer-encoding").is_some() {
            (message.body, message.trailers) = self.chunked();
        } else if let Some(length) = message.field("content-length") {
            let length = length.parse().unwrap();
            message.body = self.exactly(length);
        } else {
            message.body = self.rest();
        }
        message
    }

    fn chunked(&mut self) -> (Vec<u8>, String) {
        let mut body = Vec::new();
        loop {
            let size = self.line().expect("a chunk size");
            let size =
                usize::from_str_radix(size.split(';').next().unwrap_or_default(), 16).expect("hex digits");
            if size == 0 {
                break;
            }
            body.extend(self.exactly(size));
            assert_eq!(self.line().as_deref(), Some(""), "the end of a chunk");
        }
        let mut trailers = String::new();
        loop {
            match self.line().expect("the end of the trailers").as_str() {
                "" => return (body, trailers),
                line => trailers.push_str(&format!("{line}\n")),
            }
        }
    }

    /// Reads a line; `None` if the connection ends before it does.
    pub(crate) fn line(&mut self) -> Option<String> {
        let end = loop {
            if let Some(at) = find(&self.ahead, b"\r\n") {
                break at;
            }
            if !self.read_more() {
                return None;
            }
        };
        let line = self.take(end);
        self.take(2);
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    /// Reads so many bytes, or fewer if the connection ends.
    pub(crate) fn exactly(&mut self, length: usize) -> Vec<u8> {
        while self.ahead.len() < length && self.read_more() {}
        self.take(length.min(self.ahead.len()))
    }

    /// Reads to the end of the connection.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        while self.read_more() {}
        std::mem::take(&mut self.ahead)
    }

    /// Whether the other side closes, having sent nothing more.
    pub(crate) fn is_closed(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// Ends the connection with a reset instead of an orderly end.
    pub(crate) fn reset(self) {
        let socket = socket2::SockRef::from(&self.stream);
        socket.set_linger(Some(std::time::Duration::ZERO)).unwrap();
    }

    /// Ends the connection in order.
    pub(crate) fn finish(self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.ahead.split_off(length);
        std::mem::replace(&mut self.ahead, rest)
    }

    fn read_more(&mut self) -> bool {
        let mut buffer = [0; 64 * 1024];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) => return false,
                Ok(count) => {
                    self.ahead.extend_from_slice(&buffer[..count]);
                    return true;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    panic!(
                        "nothing came in time; so far: {:?}",
                        String::from_utf8_lossy(&self.ahead)
                    );
                }
                // A reset is an end too.
                Err(_) => return false,
            }
        }
    }
}

impl Message {
    /// The status of an answer.
    pub(crate) fn status(&self) -> u16 {
        self.head[9..12].parse().unwrap()
    }

    /// The target of a request.
    pub(crate) fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    /// All values of a field, in order.
    pub(crate) fn fields<'m>(&'m self, name: &'m str) -> impl Iterator<Item = &'m str> {
        self.head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(':'))
            .filter(move |(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }

    /// The value of a field that stands once at most.
    pub(crate) fn field(&self, name: &str) -> Option<String> {
        let values: Vec<_> = self.fields(name).collect();
        assert!(values.len() < 2, "{name} stands more than once: {values:?}");
        values.first().map(|value| (*value).to_owned())
    }

    /// The coarse reason of the gateway's own answer.
    pub(crate) fn reason(&self) -> String {
        assert_eq!(
            self.field("content-type").as_deref(),
            Some("application/problem+json"),
            "{self:?}"
        );
        let json: serde_json::Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(json["status"], self.status());
        assert_eq!(json["requestId"].as_str(), self.field("x-request-id").as_deref());
        json["reason"].as_str().unwrap().to_owned()
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}
