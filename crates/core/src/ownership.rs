//! Who owns a key that several Credentials of one namespace hold: the oldest, then the first by name.

use crate::time::UnixSeconds;

/// Orders claimants of one key inside one namespace; the smallest owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Claim<'a> {
    /// `metadata.creationTimestamp`.
    pub created: UnixSeconds,
    /// `metadata.name`.
    pub name: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_owns_then_the_first_by_name() {
        let claim = |created, name| Claim {
            created: UnixSeconds(created),
            name,
        };
        for (claims, owner) in [
            (vec![claim(5, "b"), claim(9, "a")], "b"),
            (vec![claim(9, "a"), claim(5, "b")], "b"),
            (vec![claim(5, "b"), claim(5, "a"), claim(5, "c")], "a"),
            (vec![claim(5, "a-2"), claim(5, "a10")], "a-2"),
            (vec![claim(-1, "z"), claim(0, "a")], "z"),
        ] {
            assert_eq!(
                claims.iter().min().map(|claim| claim.name),
                Some(owner),
                "{claims:?}"
            );
        }
    }
}
