//! A socket whose owner learns what happens on it, without asking a clock for each byte.

use std::{
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// Who wants to know what happens on a socket.
pub(crate) trait Observer {
    /// At least one byte was read.
    fn read(&self);
    /// At least one byte was written.
    fn written(&self);
    /// The other side will send no more.
    fn ended(&self) {}
    /// The other side takes no more for now.
    fn stalled(&self) {}
}

/// A socket that tells its observer.
#[derive(Debug)]
pub(crate) struct Observed<O> {
    stream: TcpStream,
    observer: Rc<O>,
    sink: Sink,
}

/// What becomes of bytes that the other side refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sink {
    /// The error is the writer's.
    Never,
    /// From the first refusal on they count as written.
    OnRefusal,
    /// There was a refusal.
    Open,
}

impl<O: Observer> Observed<O> {
    pub(crate) fn new(stream: TcpStream, observer: Rc<O>) -> Self {
        Self {
            stream,
            observer,
            sink: Sink::Never,
        }
    }

    /// Lets the writer go on when the other side closes: it may have answered before, and only who
    /// still reads learns it. Reading ends by itself, since whoever refuses bytes sends none.
    #[must_use]
    pub(crate) fn heard_out(mut self) -> Self {
        self.sink = Sink::OnRefusal;
        self
    }

    /// The socket itself.
    pub(crate) fn into_stream(self) -> TcpStream {
        self.stream
    }

    /// What the writer learns of an attempt to write `offered` bytes.
    fn note(&mut self, polled: Poll<io::Result<usize>>, offered: usize) -> Poll<io::Result<usize>> {
        match &polled {
            Poll::Pending => self.observer.stalled(),
            Poll::Ready(Ok(0)) => {}
            Poll::Ready(Ok(_)) => self.observer.written(),
            Poll::Ready(Err(error)) if self.sink != Sink::Never && is_refusal(error) => {
                self.sink = Sink::Open;
                return Poll::Ready(Ok(offered));
            }
            Poll::Ready(Err(_)) => {}
        }
        polled
    }
}

fn is_refusal(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted
    )
}

impl<O: Observer> AsyncRead for Observed<O> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        if buf.filled().len() > before {
            self.observer.read();
        } else if polled.is_ready() {
            self.observer.ended();
        }
        polled
    }
}

impl<O: Observer> AsyncWrite for Observed<O> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        if self.sink == Sink::Open {
            return Poll::Ready(Ok(buf.len()));
        }
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.note(polled, buf.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let offered = bufs.iter().map(|buf| buf.len()).sum();
        if self.sink == Sink::Open {
            return Poll::Ready(Ok(offered));
        }
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.note(polled, offered)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    /// Does nothing: whoever has the socket ends it, by dropping it at the latest. hyper would not
    /// always do it, and if it failed, hide what the connection ended with.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
