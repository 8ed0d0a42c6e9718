//! How much an exact window takes at most.

use super::{check_buckets, check_ids, in_ring};
use crate::error::Error;

/// An exact window's size: nothing is set aside for it, and this is what it grows to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExactSize {
    /// The ids held at full load: ceil(`expected_ids`·N/(N−1)).
    pub held: u64,
}

/// Ids up to which the lines of a growing memory may be wide: [`ExactSize::bytes`].
const WIDE: u64 = 2_200_000;

/// Ids that a segment may be built anew with.
const SEGMENT: u64 = 4_400;

/// For the list of buckets, and for batches of up to 256 ids, which are promised not to fail halfway.
const FIXED: u64 = 16 * 1024;

impl ExactSize {
    /// For so many ids in a window of N `buckets`, 2 to 250 of them.
    ///
    /// # Errors
    /// `invalid_config` for an `expected_ids` of 0 or of 2^41 and more; for another number of buckets.
    pub fn new(expected_ids: u64, buckets: u64) -> Result<Self, Error> {
        check_buckets(buckets)?;
        check_ids(expected_ids)?;
        Ok(Self {
            held: in_ring(expected_ids, buckets),
        })
    }

    /// Bytes at the peak, when a part of the memory has just grown and its old lines are still there. An upper bound for a window
    /// without `max_ids` whose `secret` the ids' authors do not know, called with single ids or with batches of at most 256; for
    /// each id of a larger batch add 39. What is allocated between peaks is a tenth less, and more.
    ///
    /// By `DESIGN.md` §6, a segment of wide lines is built for 34/64 of 7 slots a line: 64·64 / (34·7) = 17.22 bytes an id; one
    /// of narrow lines for 29/64 of 9, 15.70. A segment is built for at least 1,900 ids and has 7 lines more, and its places in two
    /// lists: together a third of a byte. As segments are built for the ids that they have, where that is more than their
    /// share, a hundredth is added. That is less than 18 and 16.25. A growing memory has wide lines until
    /// 2^19 narrow ones would do, which is at 2.14 million ids.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let wide = 18 * self.held.min(WIDE);
        let narrow = (65 * self.held).div_ceil(4);
        wide.max(narrow) + 15 * self.held.min(SEGMENT) + FIXED
    }

    /// The chance that a new id is taken for one of `held` others: the 64 bits that are kept of each must agree.
    #[must_use]
    pub fn false_drop_rate(&self, held: u64) -> f64 {
        held as f64 / 18_446_744_073_709_551_616.0
    }
}
