//! Which namespaces' credentials a policy admits, and which of several wins (a namespace is a tenant).

/// The namespaces that a policy looks for credentials in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The policy's own namespace: if admitted, its credential wins over those of others.
    pub own: Box<str>,
    /// All that are admitted.
    pub namespaces: Namespaces,
}

/// `AuthPolicy.spec.consumerNamespaces`, resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Namespaces {
    /// `"*"`.
    All,
    /// These (sorted; a policy's default is its own alone).
    These(Box<[Box<str>]>),
}

impl Admission {
    /// Whether credentials of this namespace count.
    pub fn admits(&self, namespace: &str) -> bool {
        match &self.namespaces {
            Namespaces::All => true,
            Namespaces::These(list) => list.iter().any(|n| &**n == namespace),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_counts_if_it_is_listed_or_all_are() {
        let admission = |namespaces| Admission {
            own: "shop".into(),
            namespaces,
        };
        let listed = admission(Namespaces::These(Box::new(["blog".into(), "shop".into()])));
        assert!(listed.admits("blog") && listed.admits("shop"));
        assert!(!listed.admits("sho") && !listed.admits("shop2") && !listed.admits(""));
        assert!(admission(Namespaces::All).admits("anything"));
        assert!(
            !admission(Namespaces::These(Box::new([]))).admits("shop"),
            "not even its own by itself"
        );
    }
}
