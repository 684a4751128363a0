//! Whether a budget holds, as far as the figures can tell. Pure.

/// What can be said of a quantity that may be at most so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All of its interval is within.
    Holds,
    /// All of its interval is beyond.
    Fails,
    /// It cannot be told, which is never called held.
    Undecided,
}

impl Verdict {
    /// Judges a 95 % interval.
    pub fn of((low, high): (f64, f64), most: f64) -> Self {
        if high <= most {
            Self::Holds
        } else if low > most {
            Self::Fails
        } else {
            Self::Undecided
        }
    }

    /// In tables and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::Undecided => "undecided",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_told_is_not_called_held() {
        assert_eq!(Verdict::of((0.9, 1.1), 2.0), Verdict::Holds);
        assert_eq!(Verdict::of((1.5, 2.5), 2.0), Verdict::Undecided);
        assert_eq!(Verdict::of((2.1, 2.5), 2.0), Verdict::Fails);
        assert_eq!(Verdict::of((f64::NAN, f64::NAN), 2.0), Verdict::Undecided);
    }
}
