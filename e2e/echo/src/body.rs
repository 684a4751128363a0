//! The bodies of answers: ready bytes, a stream of any length, or one that breaks off.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};

/// What a stream is made of.
static PIECE: [u8; 64 * 1024] = [b'x'; 64 * 1024];

/// How long a broken-off body waits, so that what it did send leaves before the reset overtakes it.
const BEFORE_RESET: Duration = Duration::from_millis(50);

/// The body of an answer.
pub(crate) enum EchoBody {
    /// Ready bytes, sent once.
    Full(Bytes),
    /// So many bytes, made as they are sent.
    Stream { left: u64, chunked: bool },
    /// Some bytes of more, then an error.
    Broken(Broken),
}

/// Some bytes of more, then an error; the flag tells the connection to end by a reset.
pub(crate) struct Broken {
    sent: Bytes,
    declared: u64,
    wait: Option<Pin<Box<Sleep>>>,
    reset: Arc<AtomicBool>,
}

impl Broken {
    pub(crate) fn new(length: usize, reset: Arc<AtomicBool>) -> Self {
        let sent = Bytes::from(vec![b'x'; length.min(PIECE.len())]);
        let declared = sent.len() as u64 + 1;
        Self {
            sent,
            declared,
            wait: None,
            reset,
        }
    }
}

impl Body for EchoBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let bytes = match self.get_mut() {
            Self::Full(bytes) => std::mem::take(bytes),
            Self::Stream { left, .. } => {
                let length = usize::try_from(*left).unwrap_or(usize::MAX).min(PIECE.len());
                *left -= length as u64;
                Bytes::from_static(&PIECE[..length])
            }
            Self::Broken(broken) if !broken.sent.is_empty() => std::mem::take(&mut broken.sent),
            Self::Broken(broken) => {
                let wait = broken.wait.get_or_insert_with(|| Box::pin(sleep(BEFORE_RESET)));
                ready!(wait.as_mut().poll(cx));
                broken.reset.store(true, Ordering::Relaxed);
                return Poll::Ready(Some(Err(io::Error::other("broken off as asked"))));
            }
        };
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Self::Stream { chunked: true, .. } => SizeHint::default(),
            Self::Stream { left, .. } => SizeHint::with_exact(*left),
            Self::Broken(broken) => SizeHint::with_exact(broken.declared),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Full(bytes) => bytes.is_empty(),
            Self::Stream { left, .. } => *left == 0,
            Self::Broken(_) => false,
        }
    }
}
