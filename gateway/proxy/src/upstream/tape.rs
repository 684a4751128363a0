//! A body that can be sent a second time, as long as it is short: what has passed is kept, up to a limit.
//!
//! ```text
//! tape(body) -> Taped, which is sent; Tape -> rewind -> Again: what was kept, then what has not passed yet
//! ```
//!
//! All or nothing: a body of which a byte is not kept any more cannot be had again. Once it was taken back,
//! the first sender sees neither more of it nor its end, so that it can never make a part look whole.

use std::{
    cell::RefCell,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

#[derive(Debug)]
struct Shared<B> {
    /// Until it is taken back.
    body: Option<B>,
    /// What has passed; nothing if it was too much.
    kept: Option<Vec<u8>>,
    limit: usize,
}

/// The body as it is sent first.
#[derive(Debug)]
pub(crate) struct Taped<B>(Rc<RefCell<Shared<B>>>);

/// Holds what has passed, until it is dropped.
#[derive(Debug)]
pub(crate) struct Tape<B>(Rc<RefCell<Shared<B>>>);

/// The body once more.
#[derive(Debug)]
pub(crate) struct Again<B> {
    kept: Bytes,
    rest: B,
}

/// Keeps so many bytes of what passes.
pub(crate) fn tape<B>(body: B, limit: usize) -> (Taped<B>, Tape<B>) {
    let shared = Rc::new(RefCell::new(Shared {
        body: Some(body),
        kept: Some(Vec::new()),
        limit,
    }));
    (Taped(Rc::clone(&shared)), Tape(shared))
}

impl<B> Tape<B> {
    /// The body from its beginning, if all of that is kept.
    pub(crate) fn rewind(self) -> Option<Again<B>> {
        let mut shared = self.0.borrow_mut();
        let kept = shared.kept.take()?.into();
        let rest = shared.body.take()?;
        Some(Again { kept, rest })
    }
}

impl<B> Drop for Tape<B> {
    fn drop(&mut self) {
        self.0.borrow_mut().kept = None;
    }
}

impl<B> Shared<B> {
    fn keep(&mut self, frame: &Frame<Bytes>) {
        if let Some(kept) = &mut self.kept {
            match frame.data_ref() {
                Some(data) if data.len() <= self.limit - kept.len() => kept.extend_from_slice(data),
                // Too much, or trailers, behind which nothing comes that could be sent again.
                _ => self.kept = None,
            }
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Taped<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let mut shared = self.0.borrow_mut();
        // Its connection is being closed; it need not be woken.
        let Some(body) = &mut shared.body else {
            return Poll::Pending;
        };
        let polled = ready!(Pin::new(body).poll_frame(cx));
        if let Some(Ok(frame)) = &polled {
            shared.keep(frame);
        }
        Poll::Ready(polled)
    }

    fn is_end_stream(&self) -> bool {
        self.0.borrow().body.as_ref().is_some_and(B::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let shared = self.0.borrow();
        shared.body.as_ref().map(B::size_hint).unwrap_or_default()
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Again<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if self.kept.is_empty() {
            Pin::new(&mut self.rest).poll_frame(cx)
        } else {
            let kept = std::mem::take(&mut self.kept);
            Poll::Ready(Some(Ok(Frame::data(kept))))
        }
    }

    fn is_end_stream(&self) -> bool {
        self.kept.is_empty() && self.rest.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let kept = self.kept.len() as u64;
        let rest = self.rest.size_hint();
        let mut hint = SizeHint::default();
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(kept));
        }
        hint.set_lower(rest.lower().saturating_add(kept));
        hint
    }
}

#[cfg(test)]
mod tests;
