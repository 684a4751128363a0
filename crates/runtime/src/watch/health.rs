//! Whether a collection is known, and what to say when that changes. Pure.

/// How it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Health {
    /// Listed or watched, or not tried yet.
    Working,
    /// The server does not know the kind.
    Missing,
    /// It fails, and why.
    Trouble(String),
}

impl Health {
    /// Takes the new state, and tells whether it is news.
    pub(super) fn becomes(&mut self, now: Self) -> bool {
        let news = *self != now;
        *self = now;
        news
    }
}
