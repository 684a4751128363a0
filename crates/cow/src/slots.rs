//! A persistent array by small numbers.
//!
//! Leaves of 16 values behind as many levels of 64 as the highest index needs, so that a change
//! copies one path whatever the size. Leaves are small because copying one touches each value.

#[cfg(test)]
mod tests;

use std::{array, fmt, sync::Arc};

use crate::own;

const FANOUT_BITS: u32 = 6;
const FANOUT: usize = 1 << FANOUT_BITS;
const LEAF_BITS: u32 = 4;
/// Slots in a leaf.
pub const LEAF: usize = 1 << LEAF_BITS;

/// An array of which every clone is a version of its own. Cloning costs one pointer.
///
/// Any index may be vacant. Memory follows the highest index in use, so hand out low ones first.
pub struct Slots<T> {
    root: Option<Node<T>>,
    /// Levels of inner nodes above the leaves.
    depth: u32,
    len: usize,
    written: usize,
}

enum Node<T> {
    Inner(Arc<[Option<Node<T>>; FANOUT]>),
    Leaf(Arc<[Option<T>; LEAF]>),
}

impl<T> Slots<T> {
    /// An array of vacant slots.
    pub fn new() -> Self {
        Self {
            root: None,
            depth: 0,
            len: 0,
            written: 0,
        }
    }

    /// How many slots are not vacant.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether all slots are vacant.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What stands in a slot. Allocates nothing.
    pub fn get(&self, index: u32) -> Option<&T> {
        if !self.reaches(index) {
            return None;
        }
        let mut node = self.root.as_ref()?;
        let mut level = self.depth;
        loop {
            match node {
                Node::Inner(below) => {
                    node = below[branch(index, level)].as_ref()?;
                    level -= 1;
                }
                Node::Leaf(values) => return values[place(index)].as_ref(),
            }
        }
    }

    /// What stands in the leaf of a slot, from its first slot on (a leaf begins at a multiple of [`LEAF`];
    /// none if all of it is vacant), and the first slot beyond what is known by that; `None` after the last.
    ///
    /// Whoever begins at 0 and goes on with what this gives passes every slot that is filled all the
    /// while, however much else changes between two calls.
    pub fn leaf_at(&self, index: u32) -> (&[Option<T>], Option<u32>) {
        if !self.reaches(index) {
            return (&[], None);
        }
        let mut node = self.root.as_ref();
        let mut level = self.depth;
        loop {
            let beyond = |level| {
                let bits = LEAF_BITS + FANOUT_BITS * level;
                let last = u64::from(index) | ((1_u64 << bits) - 1);
                u32::try_from(last + 1).ok().filter(|next| self.reaches(*next))
            };
            match node {
                None => return (&[], beyond(level)),
                Some(Node::Inner(below)) => {
                    node = below[branch(index, level)].as_ref();
                    level -= 1;
                }
                Some(Node::Leaf(values)) => return (&values[..], beyond(0)),
            }
        }
    }

    /// Whether this is the very version that the other one is, and no more than a clone of it.
    pub fn is_version(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (None, None) => true,
            (Some(Node::Inner(own)), Some(Node::Inner(other))) => Arc::ptr_eq(own, other),
            (Some(Node::Leaf(own)), Some(Node::Leaf(other))) => Arc::ptr_eq(own, other),
            _ => false,
        }
    }

    /// How many nodes this version copied or made since it was last asked.
    pub fn take_written(&mut self) -> usize {
        std::mem::take(&mut self.written)
    }

    fn reaches(&self, index: u32) -> bool {
        u64::from(index) >> (LEAF_BITS + FANOUT_BITS * self.depth) == 0
    }
}

impl<T: Clone> Slots<T> {
    /// What stands in a slot, to be changed.
    pub fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        // A vacant slot must not copy its path.
        self.get(index)?;
        let mut node = self.root.as_mut()?;
        let mut level = self.depth;
        loop {
            match node {
                Node::Inner(below) => {
                    node = own(below, &mut self.written)[branch(index, level)].as_mut()?;
                    level -= 1;
                }
                Node::Leaf(values) => return own(values, &mut self.written)[place(index)].as_mut(),
            }
        }
    }

    /// Puts a value into a slot, and gives back what stood there.
    pub fn set(&mut self, index: u32, value: T) -> Option<T> {
        while !self.reaches(index) {
            self.deepen();
        }
        let written = &mut self.written;
        let mut level = self.depth;
        let mut node = self.root.get_or_insert_with(|| Node::made(level, written));
        loop {
            match node {
                Node::Inner(below) => {
                    let child = &mut own(below, written)[branch(index, level)];
                    level -= 1;
                    node = child.get_or_insert_with(|| Node::made(level, written));
                }
                Node::Leaf(values) => {
                    let replaced = own(values, written)[place(index)].replace(value);
                    self.len += usize::from(replaced.is_none());
                    return replaced;
                }
            }
        }
    }

    /// Makes a slot vacant, and gives back what stood there.
    pub fn clear(&mut self, index: u32) -> Option<T> {
        // A vacant slot must not copy its path.
        self.get(index)?;
        let cleared = self.root.as_mut()?.clear(self.depth, index, &mut self.written)?;
        self.len -= 1;
        if self.len == 0 {
            self.root = None;
            self.depth = 0;
        }
        Some(cleared)
    }

    fn deepen(&mut self) {
        self.depth += 1;
        if let Some(top) = self.root.take() {
            let mut below = array::from_fn(|_| None);
            below[0] = Some(top);
            self.written += 1;
            self.root = Some(Node::Inner(Arc::new(below)));
        }
    }
}

impl<T> Node<T> {
    /// An empty node with this many levels below it.
    fn made(level: u32, written: &mut usize) -> Self {
        *written += 1;
        if level == 0 {
            Self::Leaf(Arc::new(array::from_fn(|_| None)))
        } else {
            Self::Inner(Arc::new(array::from_fn(|_| None)))
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Inner(below) => below.iter().all(Option::is_none),
            Self::Leaf(values) => values.iter().all(Option::is_none),
        }
    }
}

impl<T: Clone> Node<T> {
    fn clear(&mut self, level: u32, index: u32, written: &mut usize) -> Option<T> {
        match self {
            Self::Inner(below) => {
                let slot = &mut own(below, written)[branch(index, level)];
                let child = slot.as_mut()?;
                let cleared = child.clear(level - 1, index, written);
                if child.is_empty() {
                    *slot = None;
                }
                cleared
            }
            Self::Leaf(values) => own(values, written)[place(index)].take(),
        }
    }
}

/// Which child of an inner node that has this many levels below it, leaves included.
fn branch(index: u32, level: u32) -> usize {
    (index >> (LEAF_BITS + FANOUT_BITS * (level - 1))) as usize & (FANOUT - 1)
}

/// Which value of a leaf.
fn place(index: u32) -> usize {
    index as usize & (LEAF - 1)
}

impl<T> Clone for Node<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Inner(below) => Self::Inner(Arc::clone(below)),
            Self::Leaf(values) => Self::Leaf(Arc::clone(values)),
        }
    }
}

impl<T> Clone for Slots<T> {
    fn clone(&self) -> Self {
        Self {
            root: self.root.clone(),
            depth: self.depth,
            len: self.len,
            written: 0,
        }
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Never shows a value: it may be a secret.
impl<T> fmt::Debug for Slots<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slots")
            .field("len", &self.len)
            .finish_non_exhaustive()
    }
}
