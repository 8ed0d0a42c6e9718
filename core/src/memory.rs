//! 4. What a window remembers with: one trait, so that a window is the same whatever its memory.

mod bloom;
mod cuckoo;
mod exact;
mod lanes;
mod line;
mod segment;
#[cfg(any(test, fuzzing))]
mod simple;
mod stash;
mod table;

use core::fmt::Debug;

use crate::error::Error;
use crate::fingerprint::Key;

pub use bloom::Bloom;
#[cfg(any(test, fuzzing))]
pub(crate) use bloom::FACTORS;
pub use cuckoo::Cuckoo;
pub use exact::Exact;
#[cfg(any(test, fuzzing))]
pub(crate) use simple::Simple;
pub(crate) use stash::Seeded;

/// A memory keeps fingerprints with the serial of their bucket. It knows nothing of time: whoever asks says from which
/// serial on (`front`) buckets are alive, and an entry of a lower serial is as good as absent.
///
/// Sealed: the windows of this crate are generic over it, but only this crate implements it.
pub trait Memory: sealed::Sealed {
    /// What bounds the memory, in a [`Config`](crate::Config).
    type Size: Clone + Debug;

    /// Whether what is found is a duplicate for certain.
    #[doc(hidden)]
    const EXACT: bool = true;

    /// Whether single fingerprints can be dropped.
    #[doc(hidden)]
    const FORGETS: bool = true;

    /// Whether an insertion can find no room.
    #[doc(hidden)]
    const FIXED: bool = false;

    /// Whether [`limit`](Self::limit) says anything.
    #[doc(hidden)]
    const LIMITED: bool = false;

    /// Asks for the memory where a fingerprint belongs, before it is needed.
    #[doc(hidden)]
    fn prefetch(&self, key: Key);

    /// The serial under which a fingerprint is kept alive.
    #[doc(hidden)]
    fn look(&self, key: Key, front: u64) -> Option<u64>;

    /// Makes sure that so many insertions cannot fail.
    #[doc(hidden)]
    fn reserve(&mut self, _more: usize, _front: u64) -> Result<(), Error> {
        Ok(())
    }

    /// Gives back what was reserved, unless it is little.
    #[doc(hidden)]
    fn release(&mut self) {}

    /// Whether one insertion needs no more memory, as far as a glance tells.
    #[doc(hidden)]
    fn is_ready(&self) -> bool {
        true
    }

    /// Keeps a fingerprint that is not kept alive; `live` are held then. Memory was reserved. `false` if there is no room, and
    /// nothing has changed.
    #[doc(hidden)]
    fn insert(&mut self, key: Key, serial: u64, front: u64, live: u64) -> bool;

    /// [`look`](Self::look), and if there is none, [`insert`](Self::insert).
    #[doc(hidden)]
    fn look_or_insert(&mut self, key: Key, serial: u64, front: u64, live: u64) -> Kept;

    /// Drops a fingerprint that is kept alive.
    #[doc(hidden)]
    fn remove(&mut self, key: Key, front: u64);

    /// Says that entries below `front` are dead and that `live` others are left: a chance to give memory back.
    #[doc(hidden)]
    fn retire(&mut self, _front: u64, _live: u64) {}

    /// Drops everything.
    #[doc(hidden)]
    fn clear(&mut self);

    /// Bytes allocated.
    #[doc(hidden)]
    fn memory_bytes(&self) -> usize;

    /// The chance that a new id is taken for one of `held` others, of serials from `front` on.
    #[doc(hidden)]
    fn false_drop_rate(&self, held: u64, front: u64) -> f64;

    /// How full the memory is, if it was built for a certain number of ids.
    #[doc(hidden)]
    fn fill_ratio(&self, _held: u64) -> Option<f64> {
        None
    }

    /// How many ids a bucket may take, beside the `others` alive, if not more is taken than the memory is good for.
    #[doc(hidden)]
    fn limit(&self, _others: impl Iterator<Item = u64>) -> u64 {
        u64::MAX
    }

    /// The same for the bucket of `serial`, remembered until that or `front` is another.
    #[doc(hidden)]
    fn limit_of(&mut self, _serial: u64, _front: u64, others: impl Iterator<Item = u64>) -> u64 {
        self.limit(others)
    }

    /// How many parts are of the form that keeps fewer bits.
    #[doc(hidden)]
    #[cfg(any(test, fuzzing))]
    fn narrow_segments(&self) -> usize {
        0
    }

    /// Checks what must always hold.
    #[doc(hidden)]
    #[cfg(any(test, fuzzing))]
    fn validate(&self, front: u64, live: u64);
}

/// What became of a fingerprint.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// It was kept already, under this serial.
    Before(u64),
    /// It is kept now.
    Now,
    /// There is no room for it.
    Not,
}

impl From<Option<u64>> for Kept {
    /// Of the serial found; what was not found was kept.
    #[inline]
    fn from(found: Option<u64>) -> Self {
        found.map_or(Self::Now, Self::Before)
    }
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
