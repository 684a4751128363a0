//! How many objects, and references between them, are looked at: tests hold a change to what it may cost.

#[cfg(test)]
thread_local! {
    static LOOKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// One more is looked at. Nothing, but in tests.
pub(super) fn look() {
    #[cfg(test)]
    LOOKS.set(LOOKS.get() + 1);
}

/// How many were looked at since this was last asked, by this thread.
#[cfg(test)]
pub(super) fn take_looks() -> usize {
    LOOKS.take()
}
