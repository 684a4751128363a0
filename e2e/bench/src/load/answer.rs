//! What an API server's answer means for a load. Pure.

use std::time::Duration;

use latchkey_e2e::cluster::api::Answer;

/// What to do about an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// It is done.
    Done,
    /// It was so already.
    Kept,
    /// Too much at once; after so long again.
    TooMany(Option<Duration>),
    /// The server has a fault of its own; again.
    Fault(u16),
    /// No number of repetitions helps.
    Refused(u16, String),
}

impl Reply {
    pub(super) fn of(answer: &Answer) -> Self {
        match answer.status {
            200..=299 => Self::Done,
            429 => Self::TooMany(answer.retry_after),
            status @ (500 | 502..=504) => Self::Fault(status),
            status => {
                // The machine's word for it alone: a message may quote what an object holds.
                let reason = answer.json()["reason"].as_str().unwrap_or_default().to_owned();
                Self::Refused(status, reason)
            }
        }
    }

    /// For a create: there already is as good as created.
    pub(super) fn unless_there(self) -> Self {
        self.or_kept(409, "AlreadyExists")
    }

    /// For a delete: not there is as good as deleted.
    pub(super) fn unless_gone(self) -> Self {
        self.or_kept(404, "NotFound")
    }

    fn or_kept(self, status: u16, reason: &str) -> Self {
        match self {
            Self::Refused(said, why) if said == status && why == reason => Self::Kept,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_that_is_no_object_of_that_name_is_refused() {
        let refused = |reason: &str| Reply::Refused(409, reason.to_owned());
        assert_eq!(refused("AlreadyExists").unless_there(), Reply::Kept);
        assert_eq!(refused("Conflict").unless_there(), refused("Conflict"));
        assert_eq!(refused("AlreadyExists").unless_gone(), refused("AlreadyExists"));
        assert_eq!(Reply::Fault(503).unless_there(), Reply::Fault(503));
    }
}
