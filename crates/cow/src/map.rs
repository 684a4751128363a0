//! A persistent hash map: a [`Table`] of pairs.

#[cfg(test)]
mod tests;

use std::{borrow::Borrow, fmt};

use crate::Table;

/// A hash map of which every clone is a version of its own. Cloning costs one pointer.
///
/// Each call takes the key's hash, 64 well-mixed bits, always the same for equal keys.
pub struct Map<K, V>(Table<(K, V)>);

impl<K, V> Map<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        Self(Table::new())
    }

    /// How many keys it holds.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value under a key. Allocates nothing.
    pub fn get<Q>(&self, hash: u64, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        self.0
            .find(hash, |(held, _)| held.borrow() == key)
            .map(|(_, value)| value)
    }

    /// All keys and values, in an order that means nothing.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// How many pages and inner nodes this version copied or made since it was last asked.
    pub fn take_written(&mut self) -> usize {
        self.0.take_written()
    }
}

impl<K: Clone + Eq, V: Clone> Map<K, V> {
    /// The value under a key, to be changed.
    pub fn get_mut<Q>(&mut self, hash: u64, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        let found = self.0.find_mut(hash, |(held, _)| held.borrow() == key);
        found.map(|(_, value)| value)
    }

    /// Sets the value under a key, and gives back the one it had.
    pub fn insert(&mut self, hash: u64, key: K, value: V) -> Option<V> {
        let replaced = self.0.insert(hash, (key, value), |held, new| held.0 == new.0);
        replaced.map(|(_, value)| value)
    }

    /// Takes out a key, and gives back its value.
    pub fn remove<Q>(&mut self, hash: u64, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + ?Sized,
    {
        let removed = self.0.remove(hash, |(held, _)| held.borrow() == key);
        removed.map(|(_, value)| value)
    }
}

impl<K, V> Clone for Map<K, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// Never shows a key or value: they may be secrets.
impl<K, V> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
