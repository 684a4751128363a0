//! How a watch ended, and what to do then. Pure.

use std::time::Duration;

use super::{Cause, Collection, Health, event::LineError, trouble};
use crate::api::{ApiError, Verb};

/// How often a server may refuse to go on from a version before everything is listed instead.
const MAX_REFUSALS: u32 = 3;

/// How a watch ended.
#[derive(Debug)]
pub(super) struct End {
    pub(super) why: Why,
    /// How long it was open; `None`: it never was.
    pub(super) lasted: Option<Duration>,
}

#[derive(Debug)]
pub(super) enum Why {
    /// The server ended it in order.
    Ended,
    /// Open, but nothing came for so long.
    Silent(Duration),
    /// Open for so long, though the server was asked to end it, and something came all the time.
    Overdue(Duration),
    /// It could not be opened, broke, or the server said no.
    Failed(ApiError),
    /// A line of it cannot be understood.
    Unreadable(LineError),
    /// A line of it is longer than so many bytes.
    TooLong(usize),
}

/// Where to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// With another watch from the last version.
    Resume,
    /// With a list.
    List,
}

/// What to do after the end of a watch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) start: Start,
    pub(super) cause: Cause,
    /// Without a wait, if the watch had lasted.
    pub(super) at_once: bool,
    /// How long the server wants to be left alone.
    pub(super) retry_after: Option<Duration>,
    /// How the collection stands now, if that can have changed.
    pub(super) health: Option<Health>,
    /// Whether the connection was lost, so that the store may have been put back meanwhile.
    pub(super) lost: bool,
    /// How often in a row the server has refused.
    pub(super) refusals: u32,
}

impl Decision {
    fn new(start: Start, cause: Cause) -> Self {
        Self {
            start,
            cause,
            at_once: false,
            retry_after: None,
            health: None,
            lost: false,
            refusals: 0,
        }
    }
}

/// `refusals` is how often in a row the server had refused before.
pub(super) fn decide(end: &End, collection: &Collection, refusals: u32) -> Decision {
    match &end.why {
        Why::Ended => Decision {
            at_once: true,
            ..Decision::new(Start::Resume, Cause::Ended)
        },
        Why::Silent(silence) => Decision {
            health: Some(Health::Trouble(format!(
                "watch: nothing came for {silence:?}; check that the API server can be reached from here"
            ))),
            lost: true,
            ..Decision::new(Start::Resume, Cause::Timeout)
        },
        Why::Overdue(longest) => Decision {
            health: Some(Health::Trouble(format!(
                "watch: it did not end within {longest:?}, though it was asked to end before; check how fast the \
                 connection to the API server is"
            ))),
            lost: true,
            ..Decision::new(Start::Resume, Cause::Timeout)
        },
        Why::Failed(error) => failed(error, collection, refusals),
        Why::Unreadable(error) => unreadable(error.to_string()),
        Why::TooLong(limit) => unreadable(format!("its watch sent a line of more than {limit} bytes")),
    }
}

fn failed(error: &ApiError, collection: &Collection, refusals: u32) -> Decision {
    let health = Some(trouble::health(Verb::Watch, collection, error));
    match error.code() {
        // Versions are forgotten in the course of things: no trouble.
        Some(410) => Decision {
            at_once: true,
            ..Decision::new(Start::List, Cause::Gone)
        },
        // The list tells whether the kind is gone.
        Some(404) => Decision::new(Start::List, Cause::Refused),
        Some(_) => Decision {
            start: if refusals + 1 >= MAX_REFUSALS {
                Start::List
            } else {
                Start::Resume
            },
            retry_after: error.retry_after(),
            health,
            refusals: refusals + 1,
            ..Decision::new(Start::Resume, Cause::Refused)
        },
        None => Decision {
            health,
            lost: true,
            ..Decision::new(
                Start::Resume,
                match error {
                    ApiError::Timeout(_) => Cause::Timeout,
                    _ => Cause::Transport,
                },
            )
        },
    }
}

/// What the line said is not known, so only a list can tell what is true now.
fn unreadable(reason: String) -> Decision {
    Decision {
        health: Some(Health::Trouble(reason)),
        ..Decision::new(Start::List, Cause::Unreadable)
    }
}
