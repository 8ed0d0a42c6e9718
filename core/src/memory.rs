//! 4. What a window remembers with: one trait, so that a window is the same whatever its memory.

mod exact;

use crate::error::Error;
use crate::fingerprint::Fingerprint;

pub use exact::Exact;

/// A memory keeps fingerprints with the serial of their bucket. It knows nothing of time: whoever asks says which serials
/// are alive, and an entry of a lower serial is as good as absent.
///
/// Sealed: the windows of this crate are generic over it, but only this crate implements it.
pub trait Memory: sealed::Sealed {
    /// The serial under which a fingerprint is kept, if that is not below `front`.
    #[doc(hidden)]
    fn find(&self, print: Fingerprint, front: u64) -> Option<u64>;

    /// Makes sure that the next `more` insertions need no allocation; `live` entries have a serial of `front` or more.
    #[doc(hidden)]
    fn reserve(&mut self, more: usize, front: u64, live: u64) -> Result<(), Error>;

    /// Keeps a fingerprint that is not kept alive. Room was reserved.
    #[doc(hidden)]
    fn insert(&mut self, print: Fingerprint, serial: u64);

    /// Drops a fingerprint that is kept alive.
    #[doc(hidden)]
    fn remove(&mut self, print: Fingerprint);

    /// Says that entries below `front` are dead and that `live` others are left: a chance to give memory back.
    #[doc(hidden)]
    fn retire(&mut self, front: u64, live: u64);

    /// Bytes allocated.
    #[doc(hidden)]
    fn memory_bytes(&self) -> usize;

    /// The chance that a new id is taken for one of `held` others.
    #[doc(hidden)]
    fn false_drop_rate(&self, held: u64) -> f64;

    /// Checks what must always hold.
    #[doc(hidden)]
    #[cfg(test)]
    fn validate(&self, front: u64, live: u64);
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
