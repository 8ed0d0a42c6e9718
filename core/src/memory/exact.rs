//! The exact memory: 64 bits of each fingerprint and its bucket's serial, in one hash table.

use ahash::RandomState;
use hashbrown::HashMap;

use super::{sealed::Sealed, Memory};
use crate::error::Error;
use crate::fingerprint::Fingerprint;

/// Remembers every id of the window: no false first within the promise, and a false duplicate only if the 64 kept
/// bits of two fingerprints agree, a chance of held / 2^64 per event.
///
/// Expired entries stay in the table until it is full or mostly dead; then one pass drops them all. So a call is O(1)
/// amortised, and the table is at most some eight times what is held.
#[derive(Clone, Default)]
pub struct Exact {
    /// The hash is seeded per process where that is possible: with the portable secret, strangers could otherwise
    /// choose ids that share a place in the table.
    serials: HashMap<u64, u64, RandomStateOrFixed>,
}

/// Tables below this many entries are not worth shrinking.
const SMALL: usize = 64;

impl Exact {
    fn drop_dead(&mut self, front: u64) {
        self.serials.retain(|_, serial| *serial >= front);
    }
}

impl core::fmt::Debug for Exact {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Exact({} entries)", self.serials.len())
    }
}

impl Sealed for Exact {}

impl Memory for Exact {
    #[inline]
    fn find(&self, print: Fingerprint, front: u64) -> Option<u64> {
        let serial = *self.serials.get(&print.low64())?;
        (serial >= front).then_some(serial)
    }

    #[inline]
    fn reserve(&mut self, more: usize, front: u64, live: u64) -> Result<(), Error> {
        if self.serials.capacity() - self.serials.len() >= more {
            return Ok(());
        }
        if live < self.serials.len() as u64 {
            self.drop_dead(front);
        }
        let (capacity, used) = (self.serials.capacity(), self.serials.len());
        // A table that stays nearly full after the pass would make one again at once: let it grow.
        if capacity - used >= more.max(capacity / 4) && capacity > 0 {
            return Ok(());
        }
        self.serials
            .try_reserve(more.max(used))
            .map_err(|_| Error::OutOfMemory)
    }

    #[inline]
    fn insert(&mut self, print: Fingerprint, serial: u64) {
        self.serials.insert(print.low64(), serial);
    }

    fn remove(&mut self, print: Fingerprint) {
        self.serials.remove(&print.low64());
    }

    fn retire(&mut self, front: u64, live: u64) {
        let capacity = self.serials.capacity();
        if capacity <= SMALL || live >= (capacity / 8) as u64 {
            return;
        }
        let mut small = HashMap::with_hasher(self.serials.hasher().clone());
        // Without the memory for a smaller table the large one serves on.
        if small.try_reserve(2 * live as usize).is_ok() {
            small.extend(self.serials.drain().filter(|(_, serial)| *serial >= front));
            self.serials = small;
        }
    }

    fn memory_bytes(&self) -> usize {
        self.serials.allocation_size()
    }

    fn false_drop_rate(&self, held: u64) -> f64 {
        held as f64 / 18_446_744_073_709_551_616.0
    }

    #[cfg(test)]
    fn validate(&self, front: u64, live: u64) {
        let alive = self.serials.values().filter(|serial| **serial >= front);
        assert_eq!(alive.count() as u64, live);
    }
}

/// `ahash`'s random state; without `std` there is no randomness to be had, and a fixed one serves.
#[derive(Clone)]
struct RandomStateOrFixed(RandomState);

impl Default for RandomStateOrFixed {
    fn default() -> Self {
        #[cfg(feature = "std")]
        return Self(RandomState::new());
        #[cfg(not(feature = "std"))]
        return Self(RandomState::with_seed(0));
    }
}

impl core::hash::BuildHasher for RandomStateOrFixed {
    type Hasher = <RandomState as core::hash::BuildHasher>::Hasher;

    fn build_hasher(&self) -> Self::Hasher {
        self.0.build_hasher()
    }
}
