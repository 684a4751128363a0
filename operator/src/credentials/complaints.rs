//! Says what goes wrong, one line a class of failure at a time: ten thousand Credentials fail together when
//! the API server does.

use std::time::{Duration, Instant};

/// How long a class is silent after a line.
const SILENCE: Duration = Duration::from_secs(10);

/// Classes of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Class {
    /// A Secret could not be read.
    SecretRead,
    /// A Credential could not be read.
    CredentialRead,
    /// A status could not be written.
    StatusWrite,
    /// A Credential cannot be decoded.
    Undecodable,
    /// Blocks that a stranger wrote.
    Strangers,
}

impl Class {
    /// The line's message; the object and the cause stand beside it.
    pub(super) fn says(self) -> &'static str {
        match self {
            Self::SecretRead => "cannot read its Secret; what was published holds, and it is tried again",
            Self::CredentialRead => "cannot read the Credential; it is tried again",
            Self::StatusWrite => "cannot write the Credential's status; it is tried again",
            Self::Undecodable => "the Credential cannot be read, and lets nobody in; correct it",
            Self::Strangers => "a stranger wrote into a Credential's status",
        }
    }
}

const CLASSES: usize = Class::Strangers as usize + 1;

/// When each class was last heard, and how often it was silent since.
#[derive(Debug, Default)]
pub(super) struct Complaints([Option<(Instant, u64)>; CLASSES]);

impl Complaints {
    /// Whether a line of this class may be written now: how many were not, since the last one.
    pub(super) fn speak(&mut self, class: Class, now: Instant) -> Option<u64> {
        let last = &mut self.0[class as usize];
        match last {
            Some((said, silent)) if now.saturating_duration_since(*said) < SILENCE => {
                *silent += 1;
                None
            }
            _ => Some(last.replace((now, 0)).map_or(0, |(_, silent)| silent)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_says_one_line_at_a_time_and_how_many_it_kept() {
        let mut complaints = Complaints::default();
        let start = Instant::now();
        assert_eq!(complaints.speak(Class::SecretRead, start), Some(0));
        assert_eq!(complaints.speak(Class::SecretRead, start), None);
        assert_eq!(complaints.speak(Class::SecretRead, start), None);
        assert_eq!(
            complaints.speak(Class::StatusWrite, start),
            Some(0),
            "another class"
        );
        assert_eq!(complaints.speak(Class::SecretRead, start + SILENCE), Some(2));
        assert_eq!(complaints.speak(Class::SecretRead, start + SILENCE * 2), Some(0));
    }
}
