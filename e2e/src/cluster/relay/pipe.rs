//! The body of an answer on its way back: each piece as it comes, while no rule is against it.
//!
//! ```text
//! API server -> frames -> (a watch: lines -> rules of events) -> pending -> rules of bodies -> client
//! ```

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use anyhow::anyhow;
use bytes::{Buf, Bytes};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::{
    sync::{mpsc, watch},
    time::sleep,
};

use super::{
    RuleId, Shared,
    events::Lines,
    rule::{Action, Break, Seen},
};

type Piece = Result<Frame<Bytes>, anyhow::Error>;

/// A body whose pieces come from elsewhere.
pub(super) struct Piped(mpsc::Receiver<Piece>);

impl Piped {
    /// One that is there already.
    pub(super) fn of(whole: Bytes) -> Self {
        let (pieces, piped) = mpsc::channel(1);
        // There is room for one.
        let _ = pieces.try_send(Ok(Frame::data(whole)));
        Self(piped)
    }

    /// One that comes, and that rules may meet; `caught_by` have met its request.
    pub(super) fn start(body: Incoming, shared: Arc<Shared>, seen: Seen, caught_by: Vec<RuleId>) -> Self {
        let (pieces, piped) = mpsc::channel(1);
        let pipe = Pipe {
            changes: shared.changes.subscribe(),
            lines: seen.is_watch().then(Lines::default),
            pending: Bytes::new(),
            passed: None,
            ended: false,
            body,
            shared,
            seen,
            caught_by,
            pieces,
        };
        tokio::spawn(pipe.run());
        Self(piped)
    }
}

impl Body for Piped {
    type Data = Bytes;
    type Error = anyhow::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        self.0.poll_recv(context)
    }
}

/// The client is gone, or the body is over.
struct Over;

struct Pipe {
    body: Incoming,
    shared: Arc<Shared>,
    changes: watch::Receiver<u64>,
    seen: Seen,
    caught_by: Vec<RuleId>,
    pieces: mpsc::Sender<Piece>,
    /// Of a watch, whose events rules may mean.
    lines: Option<Lines>,
    /// What came and was not passed on yet.
    pending: Bytes,
    /// How many bytes passed under the rule that is in force now.
    passed: Option<(RuleId, usize)>,
    ended: bool,
}

impl Pipe {
    async fn run(mut self) {
        while self.step().await.is_ok() {}
    }

    async fn step(&mut self) -> Result<(), Over> {
        self.changes.borrow_and_update();
        match self.shared.decide_stream(&self.seen, &mut self.caught_by) {
            Some((rule, Action::Stall)) => self.silence(rule).await,
            Some((_, Action::Cut)) => self.cut().await,
            Some((rule, Action::Body(after, then))) => {
                let passed = match self.passed {
                    Some((of, passed)) if of == rule => passed,
                    _ => 0,
                };
                let left = after.saturating_sub(passed);
                if left > 0 {
                    let sent = self.send(left).await?;
                    self.passed = Some((rule, passed + sent));
                    return Ok(());
                }
                match then {
                    Break::Cut => self.cut().await,
                    Break::Stall => self.silence(rule).await,
                    Break::End => Err(Over),
                    Break::Tell(line) => {
                        let _ = self.pieces.send(Ok(Frame::data(line.into()))).await;
                        Err(Over)
                    }
                }
            }
            Some((_, Action::Trickle(pace))) => {
                self.send(1).await?;
                self.wait(pace).await
            }
            Some((rule, Action::Forget(idle))) if self.pending.is_empty() && !self.ended => {
                // The fault itself: a flow is forgotten after so long without a byte.
                tokio::select! {
                    over = self.read() => over,
                    () = sleep(idle) => self.silence(rule).await,
                }
            }
            _ => self.send(usize::MAX).await.map(drop),
        }
    }

    /// Passes on at most so many bytes, once there are some; gives how many.
    async fn send(&mut self, most: usize) -> Result<usize, Over> {
        if self.pending.is_empty() {
            if self.ended {
                return Err(Over);
            }
            // A rule may have come meanwhile.
            return self.read().await.map(|()| 0);
        }
        let data = self.pending.split_to(most.min(self.pending.len()));
        let sent = data.remaining();
        let passed = self.pieces.send(Ok(Frame::data(data))).await;
        passed.map(|()| sent).map_err(|_| Over)
    }

    /// Reads on, or returns when the rules change.
    async fn read(&mut self) -> Result<(), Over> {
        let frame = tokio::select! {
            frame = self.body.frame() => frame,
            // Only an end of the relay closes it, and then pieces close as well.
            Ok(()) = self.changes.changed() => return Ok(()),
            () = self.pieces.closed() => return Err(Over),
        };
        match frame {
            Some(Ok(frame)) => {
                // There are no trailers in this API.
                let data = frame.into_data().unwrap_or_default();
                self.pending = match &mut self.lines {
                    Some(lines) => lines.pass(&data, |event| self.shared.decide_event(&self.seen, event)),
                    None => data,
                };
                Ok(())
            }
            Some(Err(error)) => {
                let _ = self.pieces.send(Err(error.into())).await;
                Err(Over)
            }
            None => {
                self.ended = true;
                self.pending = self.lines.as_mut().map(Lines::rest).unwrap_or_default();
                Ok(())
            }
        }
    }

    async fn silence(&mut self, rule: RuleId) -> Result<(), Over> {
        self.shared.silenced(rule);
        tokio::select! {
            () = self.shared.lifted(rule) => Ok(()),
            () = self.pieces.closed() => Err(Over),
        }
    }

    /// The fault itself, between two bytes of a slow path.
    async fn wait(&mut self, time: Duration) -> Result<(), Over> {
        tokio::select! {
            () = sleep(time) => Ok(()),
            Ok(()) = self.changes.changed() => Ok(()),
            () = self.pieces.closed() => Err(Over),
        }
    }

    async fn cut(&mut self) -> Result<(), Over> {
        let _ = self.pieces.send(Err(anyhow!("cut"))).await;
        Err(Over)
    }
}
