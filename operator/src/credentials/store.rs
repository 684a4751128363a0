//! Objects of one kind as lists and watches tell of them: an epoch mark on each, and a sweep when a list
//! was complete. A list that breaks removes nothing and forgets nothing.

use std::collections::HashMap;

use latchkey_core::object::ObjectName;

/// Which objects one list names: those of a namespace, or (`None`) all.
pub(super) type Scope = Option<String>;

/// Objects of one kind.
#[derive(Debug)]
pub(super) struct Store<T> {
    held: HashMap<ObjectName, Held<T>>,
    /// The epoch of the list that runs, by its scope.
    lists: HashMap<Scope, u64>,
    epoch: u64,
}

#[derive(Debug)]
struct Held<T> {
    value: T,
    seen: u64,
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Self {
            held: HashMap::new(),
            lists: HashMap::new(),
            epoch: 0,
        }
    }
}

impl<T> Store<T> {
    pub(super) fn get(&self, name: &ObjectName) -> Option<&T> {
        self.held.get(name).map(|held| &held.value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&ObjectName, &T)> {
        self.held.iter().map(|(name, held)| (name, &held.value))
    }

    /// Holds this from now on; gives back what was held before.
    pub(super) fn insert(&mut self, name: ObjectName, value: T) -> Option<T> {
        let seen = self.epoch;
        self.held
            .insert(name, Held { value, seen })
            .map(|held| held.value)
    }

    /// Changes what is held. Says nothing of whether a list named it.
    pub(super) fn update(&mut self, name: &ObjectName, change: impl FnOnce(&mut T)) {
        if let Some(held) = self.held.get_mut(name) {
            change(&mut held.value);
        }
    }

    /// Gives back what was held.
    pub(super) fn remove(&mut self, name: &ObjectName) -> Option<T> {
        self.held.remove(name).map(|held| held.value)
    }

    /// A complete list begins, or begins afresh.
    pub(super) fn list_begin(&mut self, scope: &Scope) {
        self.epoch += 1;
        self.lists.insert(scope.clone(), self.epoch);
    }

    /// The list was complete: removes what was not named since it began, and gives back its names. An end
    /// without a beginning proves nothing.
    #[must_use]
    pub(super) fn list_end(&mut self, scope: &Scope) -> Vec<ObjectName> {
        let Some(epoch) = self.lists.remove(scope) else {
            return Vec::new();
        };
        let listed = |name: &ObjectName| scope.as_ref().is_none_or(|scope| *scope == name.namespace);
        let unseen =
            |(name, held): (&ObjectName, &Held<T>)| (held.seen < epoch && listed(name)).then(|| name.clone());
        self.held.iter().filter_map(unseen).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(namespace: &str, name: &str) -> ObjectName {
        ObjectName::new(namespace, name)
    }

    fn filled(names: &[(&str, &str)]) -> Store<()> {
        let mut store = Store::default();
        for (namespace, object) in names {
            store.insert(name(namespace, object), ());
        }
        store
    }

    #[test]
    fn a_complete_list_names_all_there_is() {
        let mut store = filled(&[("n", "a"), ("n", "b")]);
        store.list_begin(&None);
        store.insert(name("n", "b"), ());
        store.insert(name("n", "c"), ());
        assert_eq!(store.list_end(&None), [name("n", "a")]);
    }

    #[test]
    fn a_list_that_begins_twice_forgets_nothing_that_was_to_go() {
        let mut store = filled(&[("n", "a"), ("n", "b")]);
        store.list_begin(&None);
        store.insert(name("n", "a"), ());
        store.list_begin(&None);
        store.insert(name("n", "b"), ());
        assert_eq!(store.list_end(&None), [name("n", "a")]);
    }

    #[test]
    fn a_list_speaks_of_its_own_namespace_alone() {
        let mut store = filled(&[("m", "a"), ("n", "a")]);
        let scope = Some("n".to_owned());
        store.list_begin(&scope);
        store.list_begin(&Some("m".to_owned()));
        assert_eq!(store.list_end(&scope), [name("n", "a")]);
    }

    #[test]
    fn what_is_applied_while_a_list_runs_was_seen() {
        let mut store = filled(&[]);
        store.list_begin(&Some("n".to_owned()));
        store.list_begin(&Some("m".to_owned()));
        store.insert(name("n", "a"), ());
        assert!(store.list_end(&Some("n".to_owned())).is_empty());
    }

    #[test]
    fn an_end_without_a_beginning_removes_nothing() {
        let mut store = filled(&[("n", "a")]);
        assert!(store.list_end(&None).is_empty());
        store.list_begin(&None);
        assert_eq!(store.list_end(&None).len(), 1);
        assert!(store.list_end(&None).is_empty());
    }
}
