//! Which collections are watched, and which of them have been complete once.

use std::collections::HashMap;

use latchkey_runtime::watch::{Collection, Content};

use super::{Config, store::Scope, world::Kind};

/// A collection: which kind, and where.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Source {
    pub(super) kind: Kind,
    pub(super) scope: Scope,
}

const KINDS: [Kind; 3] = [Kind::Credential, Kind::Consumer, Kind::Secret];

/// The kind of a collection that is watched, by its plural name.
pub fn kind_of(plural: &str) -> Option<&'static str> {
    let kind = KINDS.into_iter().find(|kind| kind.plural() == plural);
    kind.map(Kind::as_str)
}

/// All collections that are to be watched. Only Credentials are read whole.
pub(super) fn sources(config: &Config) -> Vec<(Source, Collection)> {
    let all = [None];
    let some: Vec<Scope> = config.namespaces.iter().cloned().map(Some).collect();
    let scopes = if some.is_empty() { &all[..] } else { &some };
    let pairs = scopes
        .iter()
        .flat_map(|scope| KINDS.into_iter().map(move |kind| (kind, scope)));
    pairs
        .map(|(kind, scope)| {
            let scope = scope.clone();
            let collection = collection(kind, &scope, config);
            (Source { kind, scope }, collection)
        })
        .collect()
}

fn collection(kind: Kind, scope: &Scope, config: &Config) -> Collection {
    let (api_version, content) = match kind {
        Kind::Credential => ("latchkey.dev/v1alpha1", Content::Whole),
        Kind::Consumer => ("latchkey.dev/v1alpha1", Content::Metadata),
        Kind::Secret => ("v1", Content::Metadata),
    };
    let labels = match kind {
        Kind::Secret => config.secret_selector.clone(),
        Kind::Credential | Kind::Consumer => None,
    };
    Collection {
        api_version,
        plural: kind.plural(),
        namespace: scope.clone(),
        labels,
        name: None,
        content,
    }
}

/// Which lists have been complete once, by scope. What concerns a Credential lies in its own namespace, so
/// one namespace need not wait for another.
#[derive(Debug, Default)]
pub(super) struct Synced(HashMap<Scope, Vec<Kind>>);

impl Synced {
    /// A list was complete. Says whether its scope has thereby become complete.
    pub(super) fn complete(&mut self, source: &Source) -> bool {
        let kinds = self.0.entry(source.scope.clone()).or_default();
        if kinds.contains(&source.kind) {
            return false;
        }
        kinds.push(source.kind);
        kinds.len() == KINDS.len()
    }

    /// Whether this very list has been complete once.
    pub(super) fn has(&self, source: &Source) -> bool {
        self.0
            .get(&source.scope)
            .is_some_and(|kinds| kinds.contains(&source.kind))
    }

    /// Whether all is known that concerns the Credentials of a namespace.
    pub(super) fn covers(&self, namespace: &str) -> bool {
        let complete = |scope: &Scope| self.0.get(scope).is_some_and(|kinds| kinds.len() == KINDS.len());
        complete(&None) || complete(&Some(namespace.to_owned()))
    }
}

impl Kind {
    /// The CRD of the kind, if it has one that is ours.
    pub(super) fn crd(self) -> Option<&'static str> {
        match self {
            Self::Credential => Some("credentials.latchkey.dev"),
            Self::Consumer => Some("consumers.latchkey.dev"),
            Self::Secret => None,
        }
    }

    /// The kind's name.
    fn as_str(self) -> &'static str {
        match self {
            Self::Credential => "Credential",
            Self::Consumer => "Consumer",
            Self::Secret => "Secret",
        }
    }

    /// The kind's plural name.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Credential => "credentials",
            Self::Consumer => "consumers",
            Self::Secret => "secrets",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(kind: Kind, namespace: &str) -> Source {
        let scope = Some(namespace.to_owned());
        Source { kind, scope }
    }

    #[test]
    fn a_namespace_is_covered_once_all_its_lists_were_complete() {
        let mut synced = Synced::default();
        assert!(!synced.complete(&source(Kind::Secret, "n")));
        assert!(!synced.complete(&source(Kind::Secret, "n")));
        assert!(!synced.complete(&source(Kind::Credential, "n")));
        assert!(!synced.covers("n"));
        assert!(!synced.complete(&source(Kind::Consumer, "m")));
        assert!(synced.complete(&source(Kind::Consumer, "n")), "once");
        assert!(!synced.complete(&source(Kind::Consumer, "n")), "not twice");
        assert!(synced.covers("n") && !synced.covers("m"));
    }

    #[test]
    fn only_the_namespaces_that_are_named_are_asked_for_and_labels_only_of_secrets() {
        let mut config = Config {
            namespaces: Vec::new(),
            secret_selector: Some("app=shop".to_owned()),
            min_key_length: 16,
            concurrency: 1,
        };
        let all = sources(&config);
        assert_eq!(all.len(), 3);
        assert!(all.iter().all(|(_, collection)| collection.namespace.is_none()));
        for (source, collection) in &all {
            assert_eq!(collection.labels.is_some(), source.kind == Kind::Secret);
            let whole = collection.content == Content::Whole;
            assert_eq!(whole, source.kind == Kind::Credential);
        }
        config.namespaces = vec!["a".to_owned(), "b".to_owned()];
        let some = sources(&config);
        assert_eq!(some.len(), 6);
        assert!(some.iter().all(|(_, collection)| collection.namespace.is_some()));
    }
}
