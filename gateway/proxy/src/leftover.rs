//! The body of a request that is answered without it: what has come of it is read and thrown away, so that
//! a small one costs no connection. Nothing is waited for, and never is a client told to send it.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll},
};

use http::{HeaderMap, header};
use http_body::Body;
use hyper::body::Incoming;

/// How much is read of what nobody wants.
const MAX_DISCARDED: u64 = 64 * 1024;
/// How often to ask again after there was nothing: the first time tells hyper that the body is wanted, and
/// only then does it look into the socket.
const LOOKS: u8 = 2;

/// Whether the body is at its end, as far as can be known at once.
pub(crate) async fn is_spent(head: &HeaderMap, body: Incoming) -> bool {
    if body.is_end_stream() {
        return true;
    }
    // Asking for it would send 100 Continue.
    let expected = head.contains_key(header::EXPECT);
    let large = body.size_hint().lower() > MAX_DISCARDED;
    !expected && !large && is_discarded(body).await
}

async fn is_discarded(mut body: Incoming) -> bool {
    let mut read = 0;
    let mut looks = 0;
    poll_fn(|cx: &mut Context<'_>| {
        while read <= MAX_DISCARDED {
            match Pin::new(&mut body).poll_frame(cx) {
                Poll::Ready(None) => return Poll::Ready(true),
                Poll::Ready(Some(Err(_))) => break,
                Poll::Ready(Some(Ok(frame))) => {
                    read += frame.data_ref().map_or(0, |data| data.len() as u64);
                    looks = 0;
                }
                Poll::Pending if looks < LOOKS => {
                    looks += 1;
                    cx.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Pending => break,
            }
        }
        Poll::Ready(false)
    })
    .await
}
