//! Pages: leaves of a few values, and splits of what outgrew a leaf.

use std::{array, mem, sync::Arc};

use crate::own;

/// Bits of a hash that the two fixed levels leave to pages.
pub(super) const REST_BITS: u32 = 52;
const SPLIT_BITS: u32 = 4;
const SPLIT_FANOUT: usize = 1 << SPLIT_BITS;
/// A leaf splits when it would hold more. Larger leaves make reads shorter and copies longer.
const LEAF_MAX: usize = 32;
/// A split becomes a leaf again when it holds no more than this; well below [`LEAF_MAX`], so that
/// a page at the edge does not split and merge for ever.
const MERGE_MAX: usize = 16;
/// By how much a leaf grows: doubling would leave a quarter of all memory empty.
const LEAF_STEP: usize = 2;

pub(super) enum Page<T> {
    Empty,
    Leaf(Arc<Leaf<T>>),
    Split(Arc<Split<T>>),
}

/// Hashes stand apart from values, so that a look-up reads one or two cache lines of them.
pub(super) struct Leaf<T> {
    hashes: Vec<u64>,
    values: Vec<T>,
}

#[derive(Clone)]
pub(super) struct Split<T> {
    len: usize,
    pages: [Page<T>; SPLIT_FANOUT],
}

impl<T> Page<T> {
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::Empty)
    }

    pub(super) fn find(&self, hash: u64, is: impl Fn(&T) -> bool) -> Option<&T> {
        let mut page = self;
        let mut rest = REST_BITS;
        loop {
            match page {
                Self::Empty => return None,
                Self::Leaf(leaf) => return leaf.values.get(leaf.position(hash, is)?),
                Self::Split(split) => {
                    page = &split.pages[branch(hash, rest)];
                    rest -= SPLIT_BITS;
                }
            }
        }
    }

    /// The values of the leaf in which this hash would stand, and how many low bits of hashes tell its
    /// places apart.
    pub(super) fn leaf_at(&self, hash: u64) -> (&[T], u32) {
        let mut page = self;
        let mut rest = REST_BITS;
        loop {
            match page {
                Self::Empty => return (&[], rest),
                Self::Leaf(leaf) => return (&leaf.values, rest),
                Self::Split(split) => {
                    page = &split.pages[branch(hash, rest)];
                    rest -= SPLIT_BITS;
                }
            }
        }
    }

    /// What it holds, for iteration: values, or pages below.
    pub(super) fn contents(&self) -> (&[T], &[Page<T>]) {
        match self {
            Self::Empty => (&[], &[]),
            Self::Leaf(leaf) => (&leaf.values, &[]),
            Self::Split(split) => (&[], &split.pages),
        }
    }
}

impl<T: Clone> Page<T> {
    pub(super) fn find_mut(
        &mut self,
        hash: u64,
        is: impl Fn(&T) -> bool,
        written: &mut usize,
    ) -> Option<&mut T> {
        let mut page = self;
        let mut rest = REST_BITS;
        loop {
            match page {
                Self::Empty => return None,
                Self::Leaf(leaf) => {
                    let at = leaf.position(hash, is)?;
                    return own(leaf, written).values.get_mut(at);
                }
                Self::Split(split) => {
                    page = &mut own(split, written).pages[branch(hash, rest)];
                    rest -= SPLIT_BITS;
                }
            }
        }
    }

    pub(super) fn for_each_mut(&mut self, change: &mut impl FnMut(&mut T), written: &mut usize) {
        match self {
            Self::Empty => {}
            Self::Leaf(leaf) => own(leaf, written).values.iter_mut().for_each(change),
            Self::Split(split) => {
                for page in &mut own(split, written).pages {
                    page.for_each_mut(change, written);
                }
            }
        }
    }

    /// `rest` counts the bits of the hash that no level above has used.
    pub(super) fn insert(
        &mut self,
        hash: u64,
        rest: u32,
        value: T,
        same: impl Fn(&T, &T) -> bool,
        written: &mut usize,
    ) -> Option<T> {
        match self {
            Self::Empty => {
                *written += 1;
                *self = Self::Leaf(Arc::new(Leaf {
                    hashes: vec![hash],
                    values: vec![value],
                }));
                None
            }
            Self::Leaf(arc) => {
                let leaf = own(arc, written);
                if let Some(at) = leaf.position(hash, |held| same(held, &value)) {
                    return leaf.values.get_mut(at).map(|held| mem::replace(held, value));
                }
                leaf.push(hash, value);
                // Values whose whole hash is equal cannot be told apart by splitting.
                if leaf.values.len() > LEAF_MAX && rest >= SPLIT_BITS {
                    *self = Self::split(mem::take(leaf), rest, written);
                }
                None
            }
            Self::Split(split) => {
                let split = own(split, written);
                let page = &mut split.pages[branch(hash, rest)];
                let replaced = page.insert(hash, rest - SPLIT_BITS, value, same, written);
                split.len += usize::from(replaced.is_none());
                replaced
            }
        }
    }

    pub(super) fn remove(
        &mut self,
        hash: u64,
        rest: u32,
        is: impl Fn(&T) -> bool,
        written: &mut usize,
    ) -> Option<T> {
        match self {
            Self::Empty => None,
            Self::Leaf(leaf) => {
                let at = leaf.position(hash, is)?;
                let leaf = own(leaf, written);
                leaf.hashes.swap_remove(at);
                let removed = leaf.values.swap_remove(at);
                if leaf.values.is_empty() {
                    *self = Self::Empty;
                }
                Some(removed)
            }
            Self::Split(split) => {
                let split = own(split, written);
                let page = &mut split.pages[branch(hash, rest)];
                let removed = page.remove(hash, rest - SPLIT_BITS, is, written)?;
                split.len -= 1;
                if split.len <= MERGE_MAX {
                    let mut leaf = Leaf::with_capacity(split.len);
                    split.pages.iter_mut().for_each(|page| page.drain_into(&mut leaf));
                    *written += 1;
                    *self = Self::Leaf(Arc::new(leaf));
                }
                Some(removed)
            }
        }
    }

    fn split(leaf: Leaf<T>, rest: u32, written: &mut usize) -> Self {
        *written += 1;
        let mut split = Split {
            len: leaf.values.len(),
            pages: array::from_fn(|_| Self::Empty),
        };
        for (hash, value) in leaf.hashes.into_iter().zip(leaf.values) {
            // Nothing is the same as anything else here: the leaf held each value once.
            split.pages[branch(hash, rest)].insert(hash, rest - SPLIT_BITS, value, |_, _| false, written);
        }
        Self::Split(Arc::new(split))
    }

    fn drain_into(&mut self, leaf: &mut Leaf<T>) {
        match self {
            Self::Empty => {}
            Self::Leaf(held) => {
                // Copies only what another version holds too.
                let held = mem::take(Arc::make_mut(held));
                leaf.hashes.extend(held.hashes);
                leaf.values.extend(held.values);
            }
            Self::Split(split) => {
                let pages = &mut Arc::make_mut(split).pages;
                pages.iter_mut().for_each(|page| page.drain_into(leaf));
            }
        }
    }
}

/// Which page below a split that is reached with `rest` unused bits.
#[allow(clippy::cast_possible_truncation, reason = "masked to four bits")]
fn branch(hash: u64, rest: u32) -> usize {
    (hash >> (rest - SPLIT_BITS)) as usize & (SPLIT_FANOUT - 1)
}

impl<T> Leaf<T> {
    fn with_capacity(capacity: usize) -> Self {
        Self {
            hashes: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity),
        }
    }

    fn position(&self, hash: u64, is: impl Fn(&T) -> bool) -> Option<usize> {
        let mut candidates = self.hashes.iter().zip(&self.values);
        candidates.position(|(held, value)| *held == hash && is(value))
    }

    fn push(&mut self, hash: u64, value: T) {
        if self.values.len() == self.values.capacity() {
            self.hashes.reserve_exact(LEAF_STEP);
            self.values.reserve_exact(LEAF_STEP);
        }
        self.hashes.push(hash);
        self.values.push(value);
    }
}

impl<T> Default for Leaf<T> {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

/// A copy has room for one more: most copies are made to add a value.
impl<T: Clone> Clone for Leaf<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::with_capacity(self.values.len() + 1);
        copy.hashes.extend_from_slice(&self.hashes);
        copy.values.extend_from_slice(&self.values);
        copy
    }
}

impl<T> Clone for Page<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Empty => Self::Empty,
            Self::Leaf(leaf) => Self::Leaf(Arc::clone(leaf)),
            Self::Split(split) => Self::Split(Arc::clone(split)),
        }
    }
}
