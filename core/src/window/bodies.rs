//! Digests of bodies, by id: so that the same id with another body is told.

use alloc::collections::VecDeque;
use core::hash::BuildHasher;

use hashbrown::HashTable;

use super::Window;
use crate::error::Error;
use crate::fingerprint::Key;
use crate::id::Id;
use crate::memory::{Memory, Seeded};
use crate::time::{Millis, Now};
use crate::verdict::Verdict;

/// By bucket, so that what expires is dropped with it whole.
#[derive(Default)]
pub(super) struct Bodies {
    buckets: VecDeque<Bucket>,
    /// For the next bucket, so that what is recorded has a place already.
    spare: HashTable<Digest>,
    hasher: Seeded,
}

struct Bucket {
    serial: u64,
    digests: HashTable<Digest>,
}

#[derive(Clone, Copy)]
struct Digest {
    key: Key,
    body: u64,
}

impl Bodies {
    fn hash(&self, key: Key) -> u64 {
        self.hasher.hash_one(key.0)
    }

    fn place(&self, serial: u64) -> Option<usize> {
        self.buckets
            .binary_search_by_key(&serial, |b| b.serial)
            .ok()
    }

    fn find(&self, serial: u64, key: Key) -> Option<u64> {
        let bucket = self.buckets.get(self.place(serial)?)?;
        let found = bucket.digests.find(self.hash(key), |d| d.key == key)?;
        Some(found.body)
    }

    /// Makes sure that one more digest needs no memory, whether in the newest bucket or in another.
    fn reserve(&mut self) -> Result<(), Error> {
        let hasher = &self.hasher;
        let hash = |digest: &Digest| hasher.hash_one(digest.key.0);
        let newest = self.buckets.back_mut().map(|bucket| &mut bucket.digests);
        for table in newest.into_iter().chain([&mut self.spare]) {
            table.try_reserve(1, hash).map_err(|_| Error::OutOfMemory)?;
        }
        let more = self.buckets.try_reserve(1);
        more.map_err(|_| Error::OutOfMemory)
    }

    /// Keeps the digest of an id recorded under the newest serial. Memory was reserved.
    fn insert(&mut self, serial: u64, key: Key, body: u64) {
        if self.buckets.back().is_none_or(|b| b.serial < serial) {
            let digests = core::mem::take(&mut self.spare);
            self.buckets.push_back(Bucket { serial, digests });
        }
        let hash = self.hash(key);
        let hasher = &self.hasher;
        if let Some(bucket) = self.buckets.back_mut() {
            let rehash = |digest: &Digest| hasher.hash_one(digest.key.0);
            bucket
                .digests
                .insert_unique(hash, Digest { key, body }, rehash);
        }
    }

    pub(super) fn remove(&mut self, serial: u64, key: Key) {
        let (place, hash) = (self.place(serial), self.hash(key));
        let bucket = place.and_then(|place| self.buckets.get_mut(place));
        if let Some(bucket) = bucket {
            if let Ok(found) = bucket.digests.find_entry(hash, |d| d.key == key) {
                found.remove();
            }
        }
    }

    /// Drops the digests of buckets below `front`.
    pub(super) fn retire(&mut self, front: u64) {
        while self.buckets.front().is_some_and(|b| b.serial < front) {
            self.buckets.pop_front();
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let tables = self.buckets.iter().map(|bucket| &bucket.digests);
        let tables = tables.chain([&self.spare]).map(HashTable::allocation_size);
        tables.sum::<usize>() + self.buckets.capacity() * size_of::<Bucket>()
    }
}

impl<M: Memory> Window<M> {
    /// Drops the digests of what is no longer held.
    pub(super) fn retire_bodies(&mut self) {
        let front = self.ring.front();
        if let Some(bodies) = &mut self.bodies {
            bodies.retire(front);
        }
    }

    /// As [`observe`](Self::observe), with the event's body: where the id was seen with another one, the verdict is
    /// [`Conflict`](Verdict::Conflict) instead of `duplicate`. For windows with [`detect_conflicts`](crate::Config::detect_conflicts).
    ///
    /// The body is what it is to you: the bytes as they came, or a canonical form of them. Of an id that was recorded without a body (by
    /// any other call) every body is the same. 64 bits of each body's keyed hash are kept: two bodies are taken for one with a chance of 2^-64.
    ///
    /// # Errors
    /// As [`observe`](Self::observe); `unsupported` in a window that does not detect conflicts.
    ///
    /// ```
    /// use firstseen::{Millis, Verdict, Window};
    ///
    /// let mut window = Window::exact(Millis(60_000)).detect_conflicts(true).build()?;
    /// let mut observe = |body| window.observe_body("evt_1", body, Millis(0), None);
    /// assert_eq!(observe(b"amount=1")?, Verdict::First);
    /// assert_eq!(observe(b"amount=1")?, Verdict::Duplicate { age: Millis(0) });
    /// assert_eq!(observe(b"amount=9")?, Verdict::Conflict { age: Millis(0) });
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    pub fn observe_body<'a>(
        &mut self,
        id: impl Into<Id<'a>>,
        body: &[u8],
        now: impl Into<Now>,
        at: Option<Millis>,
    ) -> Result<Verdict, Error> {
        let key = self.printer.key(id)?;
        self.record_body(key, body, now, at)
    }

    /// [`observe_body`](Self::observe_body) of a key made by the [`fingerprinter`](Self::fingerprinter).
    ///
    /// # Errors
    /// As [`observe_body`](Self::observe_body), but for the id's.
    pub fn record_body(
        &mut self,
        key: Key,
        body: &[u8],
        now: impl Into<Now>,
        at: Option<Millis>,
    ) -> Result<Verdict, Error> {
        let now = now.into();
        now.checked()?;
        at.map(|at| at.checked("at")).transpose()?;
        let Some(bodies) = &mut self.bodies else {
            return Err(Error::Unsupported {
                call: "observe with a body",
                accepted: "a window that detects conflicts",
            });
        };
        bodies.reserve()?;
        let body = self.printer.digest(body);
        let verdict = self.record(key, now, at)?;
        let (Some(serial), Some(bodies)) = (self.alive(key), &mut self.bodies) else {
            return Ok(verdict);
        };
        match verdict {
            Verdict::First => bodies.insert(serial, key, body),
            Verdict::Duplicate { age }
                if bodies.find(serial, key).is_some_and(|kept| kept != body) =>
            {
                self.counts.duplicate -= 1;
                self.counts.conflict += 1;
                return Ok(Verdict::Conflict { age });
            }
            _ => {}
        }
        Ok(verdict)
    }
}
