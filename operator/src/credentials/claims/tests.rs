use super::*;

fn claimant(created: i64, namespace: &str, name: &str) -> Claimant {
    Claimant {
        created: UnixSeconds(created),
        name: ObjectName::new(namespace, name),
    }
}

fn digest(byte: u8) -> Digest {
    Digest([byte; 32])
}

struct Fixture(Claims);

impl Fixture {
    /// Those that the change touches.
    fn add(&mut self, claimant: &Claimant, digests: &[u8]) -> Vec<String> {
        let mut touched = BTreeSet::new();
        let digests: Vec<_> = digests.iter().copied().map(digest).collect();
        self.0.add(claimant, &digests, &mut touched);
        touched.iter().map(ToString::to_string).collect()
    }

    fn remove(&mut self, claimant: &Claimant, digests: &[u8]) -> Vec<String> {
        let mut touched = BTreeSet::new();
        let digests: Vec<_> = digests.iter().copied().map(digest).collect();
        self.0.remove(claimant, &digests, &mut touched);
        touched.iter().map(ToString::to_string).collect()
    }

    fn owner(&self, claimant: &Claimant) -> Option<&str> {
        self.0.owner_before(claimant, &[digest(1)])
    }
}

#[test]
fn the_oldest_of_a_namespace_owns_and_others_follow_it() {
    let mut f = Fixture(Claims::default());
    let [a, b, c] = [1, 2, 3].map(|n| claimant(n, "shop", &format!("c{n}")));
    assert_eq!(f.add(&b, &[1]), [""; 0]);
    assert_eq!(f.add(&c, &[1]), [""; 0], "the owner is the same");
    assert_eq!(f.owner(&c), Some("c2"));
    assert_eq!(f.owner(&b), None);
    assert_eq!(f.add(&a, &[1]), ["shop/c2", "shop/c3"], "an older one takes over");
    assert_eq!((f.owner(&b), f.owner(&c)), (Some("c1"), Some("c1")));
    assert_eq!(f.remove(&b, &[1]), [""; 0], "one that owns nothing goes");
    assert_eq!(f.remove(&a, &[1]), ["shop/c3"], "the owner goes");
    assert_eq!(f.owner(&c), None);
}

#[test]
fn namespaces_do_not_see_each_other() {
    let mut f = Fixture(Claims::default());
    for namespace in ["a", "b", "c"] {
        assert_eq!(f.add(&claimant(1, namespace, "x"), &[1]), [""; 0]);
        assert_eq!(f.add(&claimant(2, namespace, "y"), &[1]), [""; 0]);
    }
    assert_eq!(f.owner(&claimant(2, "b", "y")), Some("x"));
    assert_eq!(f.owner(&claimant(1, "b", "x")), None);
    assert_eq!(f.owner(&claimant(9, "bb", "z")), None);
    assert_eq!(f.remove(&claimant(1, "b", "x"), &[1]), ["b/y"]);
}

#[test]
fn one_that_does_not_claim_yet_sees_who_owns() {
    let mut f = Fixture(Claims::default());
    f.add(&claimant(5, "shop", "old"), &[1]);
    assert_eq!(f.owner(&claimant(6, "shop", "new")), Some("old"));
    assert_eq!(f.owner(&claimant(5, "shop", "a-first-by-name")), None);
}

#[test]
fn what_is_claimed_no_more_leaves_nothing_behind() {
    let mut f = Fixture(Claims::default());
    let a = claimant(1, "shop", "a");
    f.add(&a, &[1, 2]);
    f.add(&a, &[1, 2]);
    f.remove(&a, &[1, 2, 3]);
    assert!(f.0.0.is_empty());
}
