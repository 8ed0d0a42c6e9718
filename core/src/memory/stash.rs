//! Entries that found no room where they belong: few, unless somebody chooses ids that crowd one place, or memory runs out.

use ahash::RandomState;
use hashbrown::HashMap;

use crate::error::Error;

/// A hash table of fingerprints and serials.
///
/// Its hash is seeded per process where that is possible: with the portable secret, strangers could otherwise choose ids
/// that crowd a place of it too. Dead entries stay until it is full; then one pass drops them.
#[derive(Clone, Default)]
pub(super) struct Stash {
    serials: HashMap<u64, u64, Seeded>,
}

/// A table for more entries than this is given back once it is nearly empty.
const LARGE: usize = 1024;

impl Stash {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.serials.is_empty()
    }

    pub(super) fn find(&self, key: u64, front: u64) -> Option<u64> {
        let serial = *self.serials.get(&key)?;
        (serial >= front).then_some(serial)
    }

    /// Makes sure that so many insertions need no allocation.
    #[inline]
    pub(super) fn reserve(&mut self, more: usize, front: u64) -> Result<(), Error> {
        let room = self.serials.capacity() - self.serials.len();
        if room >= more {
            return Ok(());
        }
        self.make_room(more, front)
    }

    #[cold]
    fn make_room(&mut self, more: usize, front: u64) -> Result<(), Error> {
        self.serials.retain(|_, serial| *serial >= front);
        self.release();
        let used = self.serials.len();
        let room = self.serials.capacity() - used;
        // A table that stays nearly full after the pass would make one again at once: let it grow.
        if room >= more && room >= used / 2 {
            return Ok(());
        }
        self.serials
            .try_reserve(more.max(used))
            .map_err(|_| Error::OutOfMemory)
    }

    /// Gives a large table back that is nearly empty, and says so.
    pub(super) fn release(&mut self) -> bool {
        let (entries, room) = (self.serials.len(), self.serials.capacity());
        let mut small = HashMap::default();
        if room <= LARGE || room < 8 * entries || small.try_reserve(entries).is_err() {
            return false;
        }
        small.extend(self.serials.drain());
        self.serials = small;
        true
    }

    pub(super) fn insert(&mut self, key: u64, serial: u64) {
        self.serials.insert(key, serial);
    }

    pub(super) fn remove(&mut self, key: u64) {
        self.serials.remove(&key);
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn clear(&mut self) {
        self.serials = HashMap::default();
    }

    pub(super) fn live(&self, front: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let entries = self.serials.iter().map(|(key, serial)| (*key, *serial));
        entries.filter(move |(_, serial)| *serial >= front)
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.serials.allocation_size()
    }
}

/// `ahash`'s random state; without `std` there is no randomness to be had, and a fixed one serves.
#[derive(Clone)]
pub(crate) struct Seeded(RandomState);

impl Default for Seeded {
    fn default() -> Self {
        #[cfg(feature = "std")]
        return Self(RandomState::new());
        #[cfg(not(feature = "std"))]
        return Self(RandomState::with_seed(0));
    }
}

impl core::hash::BuildHasher for Seeded {
    type Hasher = <RandomState as core::hash::BuildHasher>::Hasher;

    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }
}
