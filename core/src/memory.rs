//! 4. What a window remembers with: one trait, so that a window is the same whatever its memory.

mod exact;
mod lanes;
mod line;
mod segment;
#[cfg(any(test, fuzzing))]
mod simple;
mod stash;

use crate::error::Error;
use crate::fingerprint::Key;

pub use exact::Exact;
#[cfg(any(test, fuzzing))]
pub(crate) use simple::Simple;
pub(crate) use stash::Seeded;

/// A memory keeps fingerprints with the serial of their bucket. It knows nothing of time: whoever asks says from which
/// serial on (`front`) buckets are alive, and an entry of a lower serial is as good as absent.
///
/// Sealed: the windows of this crate are generic over it, but only this crate implements it.
pub trait Memory: sealed::Sealed {
    /// Asks for the memory where a fingerprint belongs, before it is needed.
    #[doc(hidden)]
    fn prefetch(&self, key: Key);

    /// The serial under which a fingerprint is kept alive.
    #[doc(hidden)]
    fn look(&self, key: Key, front: u64) -> Option<u64>;

    /// Makes sure that so many insertions cannot fail.
    #[doc(hidden)]
    fn reserve(&mut self, more: usize, front: u64) -> Result<(), Error>;

    /// Gives back what was reserved, unless it is little.
    #[doc(hidden)]
    fn release(&mut self);

    /// Whether one insertion cannot fail, as far as a glance tells.
    #[doc(hidden)]
    fn is_ready(&self) -> bool;

    /// Keeps a fingerprint that is not kept alive; `live` are held then. Room was reserved.
    #[doc(hidden)]
    fn insert(&mut self, key: Key, serial: u64, front: u64, live: u64);

    /// [`look`](Self::look), and if there is none, [`insert`](Self::insert).
    #[doc(hidden)]
    fn look_or_insert(&mut self, key: Key, serial: u64, front: u64, live: u64) -> Option<u64>;

    /// Drops a fingerprint that is kept alive.
    #[doc(hidden)]
    fn remove(&mut self, key: Key, front: u64);

    /// Says that entries below `front` are dead and that `live` others are left: a chance to give memory back.
    #[doc(hidden)]
    fn retire(&mut self, front: u64, live: u64);

    /// Drops everything.
    #[doc(hidden)]
    fn clear(&mut self);

    /// Bytes allocated.
    #[doc(hidden)]
    fn memory_bytes(&self) -> usize;

    /// The chance that a new id is taken for one of `held` others.
    #[doc(hidden)]
    fn false_drop_rate(&self, held: u64) -> f64;

    /// How many parts are of the form that keeps fewer bits.
    #[doc(hidden)]
    #[cfg(any(test, fuzzing))]
    fn narrow_segments(&self) -> usize;

    /// Checks what must always hold.
    #[doc(hidden)]
    #[cfg(any(test, fuzzing))]
    fn validate(&self, front: u64, live: u64);
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
