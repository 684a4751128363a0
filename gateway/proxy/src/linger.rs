//! The end of a client connection, such that the client reads its last answer.
//!
//! A socket that is closed while bytes wait in it, or come later, resets the connection, and a client that
//! is still sending then learns of the reset instead of its 401 or 413. So we first say that no more comes
//! from us, and then read what the client still sends and throw it away, a little and for a moment: after
//! that the client's bytes wait where they are, and when the moment is over the socket is closed.

use std::{io, net::Shutdown, pin::Pin, task::Poll};

use socket2::SockRef;
use tokio::{
    net::TcpStream,
    time::{Instant, Sleep},
};

use crate::{config::Timeouts, stats::Limit};

/// How much is read of what nobody wants.
const MAX_DISCARDED: usize = 64 * 1024;

/// Closes our side of a connection and waits until the client has closed its own, or must.
///
/// # Errors
/// The limit that was met.
pub(crate) async fn linger(
    stream: &TcpStream,
    mut timer: Pin<&mut Sleep>,
    limits: &Timeouts,
) -> Result<(), Limit> {
    // An error: it is closed already.
    let _ = SockRef::from(stream).shutdown(Shutdown::Write);
    timer.as_mut().reset(Instant::now() + limits.linger);
    let mut left = MAX_DISCARDED;
    std::future::poll_fn(|cx| {
        while left > 0 {
            match stream.poll_read_ready(cx) {
                Poll::Pending => break,
                Poll::Ready(Err(_)) => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(())) => match discard(stream, left) {
                    Ok(0) => return Poll::Ready(Ok(())),
                    Ok(count) => left -= count,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => return Poll::Ready(Ok(())),
                },
            }
        }
        timer.as_mut().poll(cx).map(|()| Err(Limit::Linger))
    })
    .await
}

/// Reads and forgets. Apart from the wait, so that the buffer is no part of every connection's memory.
fn discard(stream: &TcpStream, most: usize) -> io::Result<usize> {
    let mut buffer = [0; 8 * 1024];
    let most = most.min(buffer.len());
    stream.try_read(&mut buffer[..most])
}
