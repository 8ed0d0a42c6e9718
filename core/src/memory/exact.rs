//! The exact memory: 64 bits of each fingerprint and its bucket, in cache lines.
//!
//! A directory, indexed by the first bits of a fingerprint, leads to segments of at most [`MAX_HOMES`] lines (extendible
//! hashing: Fagin, Nievergelt, Pippenger and Strong, 1979). A segment that is too full or too empty is built anew, split in two or
//! merged with its buddy, alone and in one call; so growth never copies everything, and memory follows the load down as well.

mod growth;

use alloc::vec::Vec;

use self::growth::MAX_HOMES;
use super::segment::{Look, Quick, Segment};
use super::stash::Stash;
use super::{sealed::Sealed, Kept, Memory};
use crate::config::Cap;
use crate::error::Error;
use crate::fingerprint::Key;

/// Remembers every id of the window: no false first within the promise, and a false duplicate only if the 64 kept
/// bits of two fingerprints agree, a chance of held / 2^64 per event.
///
/// A call reads one cache line, seldom two. Some 15 bytes per id, and 12 in a dense memory of millions.
#[derive(Clone, Default)]
pub struct Exact {
    /// Segment numbers, by the first `depth` bits of a fingerprint. Empty until the first id.
    directory: Vec<u32>,
    depth: u32,
    segments: Vec<Segment>,
    /// Segments of a window that expired whole, freed a few at a time.
    graveyard: Vec<Segment>,
    /// Whether to fill segments further.
    dense: bool,
    /// Entries that found no room where they belong.
    stash: Stash,
    /// Bytes of the segments' lines.
    line_bytes: usize,
    /// Segments still to be looked at, since the memory is too large for what it holds; the next one's number.
    debt: usize,
    cursor: usize,
    /// There is something to give back.
    chores: bool,
    /// Insertions that were promised not to fail.
    reserved: usize,
    /// The stash has room for one.
    ready: bool,
    /// A growth has failed for want of memory.
    starved: bool,
}

impl Exact {
    /// An empty memory; a dense one of millions takes a quarter less.
    pub(crate) fn new(dense: bool) -> Self {
        Self {
            dense,
            ..Self::default()
        }
    }

    #[inline]
    fn number(&self, key: u64) -> usize {
        let entry = (key >> 1 >> (63 - self.depth)) as usize;
        let number = self.directory.get(entry);
        number.map_or(usize::MAX, |number| *number as usize)
    }

    #[inline]
    fn find(&self, key: u64, front: u64) -> Look {
        match self.segments.get(self.number(key)) {
            Some(segment) => segment.look(key, front),
            None => Look::Absent {
                at: None,
                spilt: true,
            },
        }
    }

    /// Keeps an absent key, and sees to it that its segment has room.
    fn keep(&mut self, key: u64, serial: u64, front: u64, live: u64) {
        let number = self.number(key);
        let segment = self.segments.get_mut(number);
        let kept = segment
            .filter(|segment| live <= segment.limit())
            .is_some_and(|segment| segment.keep(key, None, serial, front));
        if !kept {
            self.keep_crowded(key, serial, front, live);
        }
    }

    /// [`Memory::look_or_insert`] where the home line does not tell.
    #[inline(never)]
    fn look_or_keep(&mut self, key: u64, serial: u64, front: u64, live: u64) -> Option<u64> {
        let number = self.number(key);
        if let Some(segment) = self.segments.get_mut(number) {
            match segment.look(key, front) {
                Look::Found { serial, .. } => return Some(serial),
                Look::Absent { at, spilt } => {
                    if spilt && !self.stash.is_empty() {
                        if let Some(serial) = self.stash.find(key, front) {
                            return Some(serial);
                        }
                    }
                    let fits = at.is_some_and(|at| at.is_home()) || live <= segment.limit();
                    if fits && !self.chores && segment.keep(key, at, serial, front) {
                        return None;
                    }
                }
            }
        }
        self.tend_and_keep(key, serial, front, live);
        None
    }

    /// Gives back what is not needed, then keeps a key.
    #[cold]
    fn tend_and_keep(&mut self, key: u64, serial: u64, front: u64, live: u64) {
        if self.debt > 0 {
            self.tend(front, live);
        }
        if !self.graveyard.is_empty() {
            self.bury();
        }
        self.chores = self.debt > 0 || !self.graveyard.is_empty();
        self.keep(key, serial, front, live);
    }

    /// Keeps a key in a segment that is full, or crowded where the key belongs.
    #[cold]
    fn keep_crowded(&mut self, key: u64, serial: u64, front: u64, live: u64) {
        let starved = self.grow(key, front, live).is_err();
        let number = self.number(key);
        let kept = self
            .segments
            .get_mut(number)
            .is_some_and(|segment| segment.keep(key, None, serial, front));
        if !kept {
            self.starved |= starved;
            self.ready = false;
            self.stash.insert(key, serial);
        }
    }
}

impl core::fmt::Debug for Exact {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Exact({} segments)", self.segments.len())
    }
}

impl Sealed for Exact {}

impl Memory for Exact {
    type Size = Cap;

    #[inline]
    fn prefetch(&self, key: Key) {
        if let Some(segment) = self.segments.get(self.number(key.0)) {
            segment.prefetch(key.0);
        }
    }

    #[inline]
    fn look(&self, key: Key, front: u64) -> Option<u64> {
        match self.find(key.0, front) {
            Look::Found { serial, .. } => Some(serial),
            Look::Absent { spilt, .. } if !spilt || self.stash.is_empty() => None,
            Look::Absent { .. } => self.stash.find(key.0, front),
        }
    }

    #[inline]
    fn reserve(&mut self, more: usize, front: u64) -> Result<(), Error> {
        if self.starved {
            // The last growth failed. Before anything is recorded again, there must be memory for one.
            Segment::new(0, 0, MAX_HOMES, front)?;
            self.starved = false;
        }
        self.stash.reserve(more, front)?;
        self.reserved = more;
        self.ready = true;
        Ok(())
    }

    fn release(&mut self) {
        if self.stash.release() {
            self.reserved = 0;
            self.ready = false;
        }
    }

    #[inline]
    fn is_ready(&self) -> bool {
        self.ready
    }

    fn insert(&mut self, key: Key, serial: u64, front: u64, live: u64) -> bool {
        let key = key.0;
        if self.chores {
            self.tend_and_keep(key, serial, front, live);
        } else {
            self.keep(key, serial, front, live);
        }
        true
    }

    #[inline(always)]
    fn look_or_insert(&mut self, key: Key, serial: u64, front: u64, live: u64) -> Kept {
        let key = key.0;
        let number = self.number(key);
        if !self.chores {
            if let Some(segment) = self.segments.get_mut(number) {
                match segment.quick(key, serial, front) {
                    Quick::Found(serial) => return Kept::Before(serial),
                    Quick::Kept => return Kept::Now,
                    Quick::Unclear => {}
                }
            }
        }
        self.look_or_keep(key, serial, front, live).into()
    }

    fn remove(&mut self, key: Key, front: u64) {
        let key = key.0;
        match self.find(key, front) {
            Look::Found { at, .. } => {
                let number = self.number(key);
                if let Some(segment) = self.segments.get_mut(number) {
                    segment.clear(at);
                }
            }
            Look::Absent { .. } => self.stash.remove(key),
        }
    }

    fn retire(&mut self, front: u64, live: u64) {
        if live == 0 && self.graveyard.is_empty() {
            self.graveyard = core::mem::take(&mut self.segments);
            self.directory = Vec::new();
            self.depth = 0;
            self.debt = 0;
        }
        // Four times what full lines would need is what is worth the work; a few lines never are.
        let needed = live as usize * 64 / 9;
        if self.line_bytes > 4 * needed + 8192 && self.debt == 0 {
            self.debt = self.segments.len();
        }
        for _ in 0..self.debt.div_ceil(64) {
            self.tend(front, live);
        }
        if !self.graveyard.is_empty() {
            self.bury();
        }
        self.chores = self.debt > 0 || !self.graveyard.is_empty();
    }

    fn clear(&mut self) {
        *self = Self::new(self.dense);
    }

    fn memory_bytes(&self) -> usize {
        self.line_bytes
            + self.directory.capacity() * size_of::<u32>()
            + (self.segments.capacity() + self.graveyard.capacity()) * size_of::<Segment>()
            + self.stash.memory_bytes()
    }

    fn false_drop_rate(&self, held: u64, _: u64) -> f64 {
        held as f64 / 18_446_744_073_709_551_616.0
    }

    #[cfg(any(test, fuzzing))]
    fn narrow_segments(&self) -> usize {
        self.segments.iter().filter(|each| each.is_narrow()).count()
    }

    #[cfg(any(test, fuzzing))]
    fn validate(&self, front: u64, live: u64) {
        let mut count = self.stash.live(front).count() as u64;
        for (number, segment) in self.segments.iter().enumerate() {
            segment.each(front, |(key, serial)| {
                count += 1;
                assert_eq!(self.number(key), number, "the directory leads to the entry");
                let found = self.find(key, front);
                assert!(matches!(found, Look::Found { serial: s, .. } if s == serial));
                true
            });
        }
        for (key, _) in self.stash.live(front) {
            let found = self.find(key, front);
            assert!(
                matches!(found, Look::Absent { spilt: true, .. }),
                "{found:?}"
            );
        }
        assert_eq!(count, live);
        let lines = self.segments.iter().chain(&self.graveyard);
        assert_eq!(self.line_bytes, lines.map(Segment::bytes).sum::<usize>());
    }
}
