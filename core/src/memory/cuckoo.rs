//! The cuckoo filter: a part of each fingerprint and its bucket, in one of two lines (Fan, Andersen, Kaminsky and Mitzenmacher,
//! "Cuckoo filter: practically better than Bloom", 2014), with a tag of the bucket so that entries expire by a comparison.
//!
//! ```text
//! line, 64 bytes   | S tags | S × the low 8 bits of a remainder | S × the r − 8 others, packed |      S = 512 / (r + 8)
//! ```
//!
//! A tag is the distance of a serial from the base of its segment of lines, 1 to 254; 0 is an empty slot. A slot whose tag is
//! below that of the oldest live bucket is free.

mod line;
mod moves;

use alloc::vec::Vec;

use self::line::Layout;
use super::table::Table;
use super::{sealed::Sealed, Kept, Memory};
use crate::config::Load;
use crate::error::Error;
use crate::fingerprint::Key;
use crate::sizing::CuckooSize;

/// Lines of a segment, which share a base: 2^8 of them.
const SEGMENT_BITS: u32 = 8;

/// The largest distance of a serial from its base.
const MAX_TAG: u64 = 254;

/// Remembers a part of each id's fingerprint: no false first within the promise, and a false drop at the rate configured.
///
/// A call reads two cache lines. Some 24 bits per expected id at a rate of 1 %, 28 at 0.1 %, allocated at once.
#[derive(Clone)]
pub struct Cuckoo {
    table: Table,
    /// By segment.
    bases: Vec<u64>,
    layout: Layout,
    size: CuckooSize,
}

/// Where an id can be, and what is kept of it.
#[derive(Clone, Copy)]
struct Place {
    lines: [u32; 2],
    remainder: u64,
}

/// A slot of a line.
#[derive(Clone, Copy)]
struct Slot {
    line: u32,
    slot: u32,
}

impl Cuckoo {
    /// # Errors
    /// `out_of_memory`.
    pub(crate) fn new(size: CuckooSize) -> Result<Self, Error> {
        let table = Table::new(size.lines)?;
        let segments = table.len().div_ceil(1 << SEGMENT_BITS);
        let mut bases = Vec::new();
        bases
            .try_reserve_exact(segments)
            .map_err(|_| Error::OutOfMemory)?;
        bases.resize(segments, 0);
        Ok(Self {
            table,
            bases,
            layout: Layout::new(size.remainder_bits),
            size,
        })
    }

    #[inline]
    fn place(&self, key: u64) -> Place {
        let remainder = key & (u64::MAX >> (64 - self.size.remainder_bits));
        let line = self.table.scale(key);
        Place {
            lines: [line, self.other(line, remainder)],
            remainder,
        }
    }

    /// The other line of a remainder: the two add up to a hash of it, modulo the lines, so that the other's other is itself
    /// whatever their number.
    #[inline]
    fn other(&self, line: u32, remainder: u64) -> u32 {
        let sum = self
            .table
            .scale((remainder + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        match sum.checked_sub(line) {
            Some(other) => other,
            // Below the number of lines, since `sum` is less than `line`.
            None => (self.table.len() as u64 + u64::from(sum) - u64::from(line)) as u32,
        }
    }

    #[inline]
    fn base(&self, line: u32) -> u64 {
        let segment = (line >> SEGMENT_BITS) as usize;
        self.bases.get(segment).copied().unwrap_or(0)
    }

    /// The tag from which on a line's slots live.
    #[inline]
    fn least(&self, line: u32, front: u64) -> u8 {
        (front - self.base(line)).min(MAX_TAG + 1) as u8
    }

    /// The slots of a line that live, one bit each.
    #[inline]
    fn live(&self, line: u32, front: u64) -> u32 {
        let least = self.least(line, front);
        self.table
            .get(line)
            .map_or(0, |bytes| self.layout.live(bytes, least))
    }

    #[inline]
    fn find(&self, place: &Place, front: u64) -> Option<Slot> {
        place.lines.into_iter().find_map(|line| {
            let least = self.least(line, front);
            let bytes = self.table.get(line)?;
            let slot = self.layout.find(bytes, place.remainder, least)?;
            Some(Slot { line, slot })
        })
    }

    #[inline]
    fn serial(&self, at: Slot) -> u64 {
        let tag = self
            .table
            .get(at.line)
            .map_or(0, |bytes| self.layout.tag(bytes, at.slot));
        self.base(at.line) + u64::from(tag)
    }

    #[inline]
    fn remainder(&self, at: Slot) -> u64 {
        self.table
            .get(at.line)
            .map_or(0, |bytes| self.layout.remainder(bytes, at.slot))
    }

    /// Writes a slot.
    #[inline]
    fn put(&mut self, at: Slot, remainder: u64, serial: u64, front: u64) {
        if serial - self.base(at.line) > MAX_TAG {
            self.rebase(at.line, front);
        }
        let tag = (serial - self.base(at.line)) as u8;
        if let Some(bytes) = self.table.get_mut(at.line) {
            self.layout.put(bytes, at.slot, remainder, tag);
        }
    }

    /// Lowers the tags of a line's segment as far as they go: those of the dead become 0.
    #[cold]
    fn rebase(&mut self, line: u32, front: u64) {
        let segment = line >> SEGMENT_BITS;
        let Some(base) = self.bases.get_mut(segment as usize) else {
            return;
        };
        let by = (front - 1 - *base).min(255) as u8;
        *base = front - 1;
        for line in 0..1 << SEGMENT_BITS {
            let line = u64::from(segment) << SEGMENT_BITS | line;
            let bytes = u32::try_from(line)
                .ok()
                .and_then(|line| self.table.get_mut(line));
            if let Some(bytes) = bytes {
                self.layout.lower(bytes, by);
            }
        }
    }

    /// Keeps what is not kept, if there is room or room can be made.
    #[inline]
    fn keep(&mut self, place: &Place, serial: u64, front: u64) -> bool {
        let [one, other] = place.lines;
        let (in_one, in_other) = (self.live(one, front), self.live(other, front));
        // The emptier one, so that lines fill alike.
        let (line, live) = if in_one.count_ones() <= in_other.count_ones() {
            (one, in_one)
        } else {
            (other, in_other)
        };
        if live == self.layout.all() {
            return self.make_room(place, serial, front);
        }
        let slot = live.trailing_ones();
        self.put(Slot { line, slot }, place.remainder, serial, front);
        true
    }
}

impl core::fmt::Debug for Cuckoo {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Cuckoo({:?})", self.size)
    }
}

impl Sealed for Cuckoo {}

impl Memory for Cuckoo {
    type Size = Load;
    const EXACT: bool = false;
    const FIXED: bool = true;

    #[inline]
    fn prefetch(&self, key: Key) {
        for line in self.place(key.0).lines {
            self.table.prefetch(line);
        }
    }

    #[inline]
    fn look(&self, key: Key, front: u64) -> Option<u64> {
        let found = self.find(&self.place(key.0), front)?;
        Some(self.serial(found))
    }

    fn insert(&mut self, key: Key, serial: u64, front: u64, _: u64) -> bool {
        self.keep(&self.place(key.0), serial, front)
    }

    #[inline]
    fn look_or_insert(&mut self, key: Key, serial: u64, front: u64, _: u64) -> Kept {
        let place = self.place(key.0);
        match self.find(&place, front) {
            Some(found) => Kept::Before(self.serial(found)),
            None if self.keep(&place, serial, front) => Kept::Now,
            None => Kept::Not,
        }
    }

    fn remove(&mut self, key: Key, front: u64) {
        if let Some(at) = self.find(&self.place(key.0), front) {
            if let Some(bytes) = self.table.get_mut(at.line) {
                self.layout.set_tag(bytes, at.slot, 0);
            }
        }
    }

    fn clear(&mut self) {
        self.table.clear();
    }

    fn memory_bytes(&self) -> usize {
        self.table.memory_bytes() + self.bases.capacity() * size_of::<u64>()
    }

    fn false_drop_rate(&self, held: u64, _: u64) -> f64 {
        self.size.false_drop_rate(held)
    }

    fn fill_ratio(&self, held: u64) -> Option<f64> {
        let slots = self.size.lines as f64 * f64::from(self.size.slots);
        Some(held as f64 / slots)
    }

    #[cfg(any(test, fuzzing))]
    fn validate(&self, front: u64, live: u64) {
        let mut count = 0;
        for line in 0..self.table.len() as u32 {
            assert!(self.base(line) < front, "a base is below every live serial");
            let slots = self.live(line, front);
            count += u64::from(slots.count_ones());
            for slot in (0..self.size.slots).filter(|slot| slots >> slot & 1 == 1) {
                let at = Slot { line, slot };
                let remainder = self.remainder(at);
                let other = self.other(line, remainder);
                assert_eq!(self.other(other, remainder), line);
                let place = Place {
                    lines: [line, other],
                    remainder,
                };
                let found = self
                    .find(&place, front)
                    .map(|found| (found.line, found.slot));
                assert_eq!(found, Some((line, slot)), "an entry is kept once");
            }
        }
        assert_eq!(count, live);
    }
}
