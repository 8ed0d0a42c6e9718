//! When a generation of a Bloom filter closes, so that a window's ids are spread over its generations however they come.

use crate::sizing::MAX_GENERATIONS;
use crate::time::Geometry;

/// The rule of `DESIGN.md` §8. Times are bucket indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Generations {
    /// Ids in a window.
    expected: u64,
    /// Ids in a generation at an even load.
    each: u64,
    /// Buckets in a generation at an even load.
    span: i64,
    /// Buckets of which a generation has no more: half a ring.
    half: i64,
    /// Buckets of the ring.
    buckets: i64,
}

impl Generations {
    pub(crate) fn new(expected: u64, each: u64, geometry: &Geometry) -> Self {
        Self {
            expected,
            each,
            span: span(geometry.buckets) as i64,
            half: geometry.buckets.div_ceil(2) as i64,
            buckets: geometry.buckets as i64,
        }
    }

    /// Whether time is up for a generation that was opened at `first` and in which so many ids were recorded.
    pub(crate) fn is_over(&self, head: i64, first: i64, recorded: u64) -> bool {
        let age = head - first;
        age >= self.half || age >= self.span && recorded >= self.each.div_ceil(2)
    }

    /// How many generations may be alive for one more to be opened, if the last id of the oldest is of bucket `last`.
    ///
    /// Never the eighth but where the oldest leaves within half a ring: so whatever comes, the newest can close within that.
    pub(crate) fn most(&self, head: i64, last: i64) -> u64 {
        let leaves_soon = head - last >= self.buckets - self.half;
        MAX_GENERATIONS - if leaves_soon { 1 } else { 2 }
    }

    /// After how many ids the newest generation closes, beside `others`, oldest first; none if it may not.
    pub(crate) fn closes_at(&self, most: u64, others: impl Iterator<Item = u64>) -> Option<u64> {
        let (alive, recorded) = others.fold((1, 0), |(n, sum), ids| (n + 1, sum + ids));
        // This one, and those that can still be opened.
        let takers = (most + 2_u64).checked_sub(alive).filter(|n| *n > 1)?;
        let to_come = self.expected.saturating_sub(recorded);
        Some(self.each.max(to_come.div_ceil(takers)))
    }
}

/// Buckets of a generation at an even load, in a ring of so many: as many as make the oldest of eight expire when a ninth opens.
pub(crate) fn span(buckets: u64) -> u64 {
    (buckets - 1).div_ceil(MAX_GENERATIONS - 1)
}
