//! A set of ids and a list of them per bucket: the usual exact design.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};

use super::Design;
use crate::stream::{Event, Load};

/// What the design keeps ids in.
pub(crate) trait Set: Default {
    type Id: Clone;
    fn add(&mut self, id: &Self::Id) -> bool;
    fn take(&mut self, id: &Self::Id);
    fn size(&self) -> usize;
}

impl<I: Clone + Eq + Hash> Set for HashSet<I> {
    type Id = I;
    fn add(&mut self, id: &I) -> bool {
        self.insert(id.clone())
    }
    fn take(&mut self, id: &I) {
        self.remove(id);
    }
    fn size(&self) -> usize {
        self.len()
    }
}

impl Set for hashbrown::HashSet<u64, Identity> {
    type Id = u64;
    fn add(&mut self, id: &u64) -> bool {
        self.insert(*id)
    }
    fn take(&mut self, id: &u64) {
        self.remove(id);
    }
    fn size(&self) -> usize {
        self.len()
    }
}

pub(crate) type Identity = BuildHasherDefault<AsIs>;

#[derive(Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

pub(crate) struct Reference<S: Set> {
    name: &'static str,
    bucket_ms: u64,
    set: S,
    buckets: VecDeque<Vec<S::Id>>,
    head: u64,
}

impl<S: Set> Reference<S> {
    pub(crate) fn new(name: &'static str, load: Load) -> Self {
        Self {
            name,
            bucket_ms: load.bucket_ms(),
            set: S::default(),
            buckets: VecDeque::from([Vec::new()]),
            head: 0,
        }
    }

    fn first(&mut self, id: &S::Id, now: u64) -> bool {
        let head = now / self.bucket_ms;
        while self.head < head {
            self.head += 1;
            self.buckets.push_back(Vec::new());
            if self.buckets.len() > 61 {
                for id in self.buckets.pop_front().unwrap_or_default() {
                    self.set.take(&id);
                }
            }
        }
        let first = self.set.add(id);
        if first {
            self.buckets.back_mut().unwrap().push(id.clone());
        }
        first
    }
}

impl<S: Set> Design<S::Id> for Reference<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, events: &[Event<S::Id>]) -> u64 {
        let first = |(id, now): &Event<S::Id>| u64::from(self.first(id, *now));
        events.iter().map(first).sum()
    }

    fn held(&mut self) -> u64 {
        self.set.size() as u64
    }
}

/// Texts, of which the reference is handed 64 bits of the standard library's hash.
pub(crate) struct Hashed<S: Set> {
    hash: RandomState,
    reference: Reference<S>,
}

impl<S: Set> Hashed<S> {
    pub(crate) fn new(name: &'static str, load: Load) -> Self {
        Self {
            hash: RandomState::new(),
            reference: Reference::new(name, load),
        }
    }
}

impl<S: Set<Id = u64>> Design<String> for Hashed<S> {
    fn name(&self) -> &'static str {
        self.reference.name
    }

    fn run(&mut self, events: &[Event<String>]) -> u64 {
        let first = |(id, now): &Event<String>| {
            u64::from(self.reference.first(&self.hash.hash_one(id), *now))
        };
        events.iter().map(first).sum()
    }

    fn held(&mut self) -> u64 {
        self.reference.set.size() as u64
    }
}
