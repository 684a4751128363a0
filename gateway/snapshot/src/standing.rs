//! Whether an object's owner or its deletion closes it.

/// What an object says of itself, whatever the time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It may pass.
    Open,
    /// `spec.disabled`.
    Disabled,
    /// Being deleted, disabled or not.
    Terminating,
}

impl Standing {
    pub(crate) fn new(disabled: bool, terminating: bool) -> Self {
        match (disabled, terminating) {
            (_, true) => Self::Terminating,
            (true, false) => Self::Disabled,
            (false, false) => Self::Open,
        }
    }
}
