//! Iteration over all values of one version.

use std::{iter::FusedIterator, slice, sync::Arc};

use super::{Root, Shard, page::Page};

/// Iterates over a table's values.
pub struct Iter<'t, T> {
    shards: slice::Iter<'t, Option<Arc<Shard<T>>>>,
    /// One level of pages each; as deep as pages are split.
    pages: Vec<slice::Iter<'t, Page<T>>>,
    values: slice::Iter<'t, T>,
    left: usize,
}

impl<'t, T> Iter<'t, T> {
    pub(super) fn new(root: &'t Root<T>, len: usize) -> Self {
        Self {
            shards: root.iter(),
            pages: Vec::new(),
            values: [].iter(),
            left: len,
        }
    }
}

impl<'t, T> Iterator for Iter<'t, T> {
    type Item = &'t T;

    fn next(&mut self) -> Option<&'t T> {
        loop {
            if let Some(value) = self.values.next() {
                self.left -= 1;
                return Some(value);
            }
            let Some(level) = self.pages.last_mut() else {
                let shard = self.shards.by_ref().flatten().next()?;
                self.pages.push(shard.iter());
                continue;
            };
            match level.next() {
                Some(page) => {
                    let (values, below) = page.contents();
                    self.values = values.iter();
                    if !below.is_empty() {
                        self.pages.push(below.iter());
                    }
                }
                None => drop(self.pages.pop()),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<T> FusedIterator for Iter<'_, T> {}

impl<T> std::fmt::Debug for Iter<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Iter")
            .field("left", &self.left)
            .finish_non_exhaustive()
    }
}
