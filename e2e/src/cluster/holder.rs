//! Somebody with a key that is known by its hash, so that no operator is needed; and many of them.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use super::Namespace;
use crate::{
    client::Request,
    keys,
    manifest::{Manifest, consumer, credential},
};

/// How many clients make many objects.
const CLIENTS: usize = 10;

/// Somebody with a key.
#[derive(Clone, Debug)]
pub struct Holder {
    /// The Consumer.
    pub consumer: Manifest,
    /// Its Credential.
    pub credential: Manifest,
    /// The key.
    pub key: String,
}

impl Holder {
    /// Not yet in any cluster.
    pub fn new(name: &str) -> Self {
        Self::of(name, name)
    }

    /// A Credential of this name for a Consumer of another.
    pub fn of(owner: &str, name: &str) -> Self {
        let key = keys::key(name);
        Self {
            consumer: consumer(owner),
            credential: credential(name, owner).sha256(&key),
            key,
        }
    }

    /// A new one in a namespace.
    pub fn put(namespace: &Namespace<'_>, name: &str) -> Self {
        let holder = Self::new(name);
        namespace.put(&holder.manifests());
        holder
    }

    /// Many Credentials of one Consumer in a namespace.
    pub fn put_many(namespace: &Namespace<'_>, owner: &str, many: usize) -> Vec<Self> {
        namespace.put(&[consumer(owner)]);
        let holders: Vec<_> = (0..many)
            .map(|n| Self::of(owner, &format!("{owner}-{n:05}")))
            .collect();
        side_by_side(&holders, |holder| namespace.create(&holder.credential));
        holders
    }

    /// The Consumer and the Credential.
    pub fn manifests(&self) -> [Manifest; 2] {
        [self.consumer.clone(), self.credential.clone()]
    }

    /// A request to `app.test` with the key.
    pub fn request(&self) -> Request {
        Request::get("/").key(&self.key)
    }
}

/// Does something with each of these, a few at a time.
pub fn side_by_side<T: Sync>(items: &[T], what: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    what(item);
                }
            });
        }
    });
}
