//! How the exact memory grows and shrinks, a segment at a time: `DESIGN.md` §6.

use alloc::vec::Vec;
use core::slice;

use super::Exact;
use crate::error::Error;
use crate::memory::segment::{narrow_is_enough, Entry, Segment, REACH};

/// Home lines of a segment: more are split in two. So what is built anew in one call fits in a second-level cache.
pub(super) const MAX_HOMES: usize = 1024;

/// The loads, in 64ths of the slots, for which a segment is built and beyond which it grows.
#[derive(Clone, Copy)]
pub(super) struct Loads {
    built: u64,
    full: u64,
}

/// Above 3/5 a tenth of the lookups, and more with every percent, read a second line, which misses the cache and the branch
/// predictor; so memory that is not capped buys speed. A small memory, in wide lines, lies in a nearer cache.
const NARROW: Loads = Loads {
    built: 29,
    full: 34,
};
const WIDE: Loads = Loads {
    built: 34,
    full: 41,
};

/// Whoever caps the ids wants them small.
const DENSE: Loads = Loads {
    built: 38,
    full: 44,
};

/// Below this load a segment that is full somewhere is crowded by accident or on purpose; to grow would not help.
const CROWDED_LOAD: u64 = 26;

/// The directory's limit, far beyond what fits in memory.
const MAX_DEPTH: u32 = 28;

impl Exact {
    /// Gives a key's segment more room if it is short of it, or the memory its first segment.
    pub(super) fn grow(&mut self, key: u64, front: u64, live: u64) -> Result<(), Error> {
        let number = self.number(key);
        let Some(segment) = self.segments.get(number) else {
            return self.start(front);
        };
        let (depth, homes) = (segment.depth(), segment.homes());
        let count = segment.count(front).max(live >> depth);
        if count < segment.load(CROWDED_LOAD) && homes > 2 * REACH {
            return Ok(());
        }
        let mut wanted = self.homes_for(count + 1, depth);
        if wanted <= homes && segment.is_narrow() == narrow_is_enough(depth, wanted) {
            // Crowded by accident. One line more would do, for a few calls.
            wanted = homes + homes / 16 + 1;
        }
        if wanted > MAX_HOMES && depth < MAX_DEPTH {
            self.split(number, front, count)
        } else {
            self.rebuild(number, wanted, front)
        }
    }

    fn start(&mut self, front: u64) -> Result<(), Error> {
        reserve_one(&mut self.directory)?;
        reserve_one(&mut self.segments)?;
        let mut segment = self.empty(0, 0, 1, front)?;
        self.fill(slice::from_mut(&mut segment), &[], front, &mut Vec::new())?;
        self.line_bytes += segment.bytes();
        self.segments.push(segment);
        self.directory.push(0);
        Ok(())
    }

    fn empty(&self, depth: u32, prefix: u64, homes: usize, front: u64) -> Result<Segment, Error> {
        let mut new = Segment::new(depth, prefix, homes, front.saturating_sub(1))?;
        new.limit_to(self.loads(new.is_narrow()).full);
        Ok(new)
    }

    /// Puts the entries of segments into new ones of one depth and neighbouring prefixes; those that find no room are left in
    /// `homeless`.
    fn fill(
        &self,
        new: &mut [Segment],
        from: &[usize],
        front: u64,
        homeless: &mut Vec<Entry>,
    ) -> Result<(), Error> {
        let Some((depth, prefix)) = new.first().map(|new| (new.depth(), new.prefix())) else {
            return Ok(());
        };
        let place = |key: u64| (key >> 1 >> (63 - depth)).wrapping_sub(prefix) as usize;
        for old in from.iter().filter_map(|number| self.segments.get(*number)) {
            let all = old.each(front, |(key, serial)| {
                let segment = new.get_mut(place(key));
                if segment.is_none_or(|segment| segment.keep_new(key, serial, front)) {
                    return true;
                }
                let room = reserve_one(homeless).is_ok();
                if room {
                    homeless.push((key, serial));
                }
                room
            });
            if !all {
                return Err(Error::OutOfMemory);
            }
        }
        for (key, serial) in self.stash.live(front) {
            if let Some(segment) = new.get_mut(place(key)) {
                segment.mark(key, serial, front);
            }
        }
        Ok(())
    }

    /// Takes in what [`fill`](Self::filled) left over. `reserved` insertions stay reserved.
    fn take_in(&mut self, homeless: &[Entry], front: u64) -> Result<(), Error> {
        if homeless.is_empty() {
            return Ok(());
        }
        self.stash.reserve(homeless.len() + self.reserved, front)?;
        self.ready = false;
        for (key, serial) in homeless {
            self.stash.insert(*key, *serial);
        }
        Ok(())
    }

    fn rebuild(&mut self, number: usize, homes: usize, front: u64) -> Result<(), Error> {
        let Some(old) = self.segments.get(number) else {
            return Ok(());
        };
        let (depth, prefix, bytes) = (old.depth(), old.prefix(), old.bytes());
        let mut homeless = Vec::new();
        let mut new = self.empty(depth, prefix, homes, front)?;
        self.fill(slice::from_mut(&mut new), &[number], front, &mut homeless)?;
        self.take_in(&homeless, front)?;
        self.replace(number, new, bytes);
        Ok(())
    }

    /// Puts a segment in the place of one or more of so many bytes.
    fn replace(&mut self, number: usize, new: Segment, bytes: usize) {
        self.line_bytes = self.line_bytes + new.bytes() - bytes;
        if let Some(place) = self.segments.get_mut(number) {
            *place = new;
        }
    }

    fn split(&mut self, number: usize, front: u64, count: u64) -> Result<(), Error> {
        let Some(old) = self.segments.get(number) else {
            return Ok(());
        };
        let (depth, prefix, bytes) = (old.depth() + 1, old.prefix() << 1, old.bytes());
        if depth > self.depth {
            self.double()?;
        }
        reserve_one(&mut self.segments)?;
        let homes = self.homes_for(count / 2 + 1, depth);
        let mut homeless = Vec::new();
        let low = self.empty(depth, prefix, homes, front)?;
        let high = self.empty(depth, prefix | 1, homes, front)?;
        let mut new = [low, high];
        self.fill(&mut new, &[number], front, &mut homeless)?;
        self.take_in(&homeless, front)?;
        let [low, high] = new;
        self.replace(number, low, bytes);
        let added = self.segments.len();
        self.line_bytes += high.bytes();
        self.segments.push(high);
        self.point(added);
        Ok(())
    }

    /// One more bit of directory.
    fn double(&mut self) -> Result<(), Error> {
        let mut doubled = Vec::new();
        doubled
            .try_reserve_exact(2 * self.directory.len())
            .map_err(|_| Error::OutOfMemory)?;
        doubled.extend(self.directory.iter().flat_map(|number| [*number; 2]));
        self.directory = doubled;
        self.depth += 1;
        Ok(())
    }

    /// Points the directory at a segment, wherever its prefix leads to it.
    fn point(&mut self, number: usize) {
        let Some(segment) = self.segments.get(number) else {
            return;
        };
        let free_bits = self.depth - segment.depth();
        let from = (segment.prefix() as usize) << free_bits;
        for place in self.directory.iter_mut().skip(from).take(1 << free_bits) {
            *place = number as u32;
        }
    }

    /// Looks at the next segment, and gives back what it does not need.
    #[cold]
    pub(super) fn tend(&mut self, front: u64, live: u64) {
        self.debt = self.debt.saturating_sub(1);
        self.cursor += 1;
        if self.cursor >= self.segments.len() {
            self.cursor = 0;
        }
        let number = self.cursor;
        let Some(segment) = self.segments.get(number) else {
            return;
        };
        let expected = live >> segment.depth();
        let homes = self.homes_for(expected + 1, segment.depth());
        let merged = self.homes_for(2 * expected + 1, segment.depth().saturating_sub(1));
        // Without the memory for a smaller segment the large one serves on.
        if segment.depth() > 0 && merged <= MAX_HOMES / 4 {
            let _ = self.merge(number, merged, front);
        } else if segment.homes() > homes + homes / 2 {
            let _ = self.rebuild(number, homes, front);
        }
    }

    /// Unites a segment with its buddy, if that is not split further.
    fn merge(&mut self, number: usize, homes: usize, front: u64) -> Result<(), Error> {
        let Some(segment) = self.segments.get(number) else {
            return Ok(());
        };
        let (depth, prefix) = (segment.depth() - 1, segment.prefix() >> 1);
        let buddy = self.number((segment.prefix() ^ 1) << (63 - depth));
        let Some(other) = self.segments.get(buddy) else {
            return Ok(());
        };
        if other.depth() != segment.depth() || buddy == number {
            return Ok(());
        }
        let bytes = segment.bytes() + other.bytes();
        let mut homeless = Vec::new();
        let mut new = self.empty(depth, prefix, homes, front)?;
        self.fill(
            slice::from_mut(&mut new),
            &[number, buddy],
            front,
            &mut homeless,
        )?;
        self.take_in(&homeless, front)?;
        self.replace(number, new, bytes);
        self.point(number);
        self.segments.swap_remove(buddy);
        // The last segment has come to lie where the buddy was, unless that was the last itself.
        self.point(buddy);
        self.halve();
        Ok(())
    }

    /// One bit of directory less, while no segment needs it.
    fn halve(&mut self) {
        while self.depth > 0 && self.segments.iter().all(|s| s.depth() < self.depth) {
            let mut even = false;
            self.directory.retain(|_| {
                even = !even;
                even
            });
            self.depth -= 1;
        }
        if self.directory.capacity() > 4 * self.directory.len() {
            let mut small = Vec::new();
            if small.try_reserve_exact(self.directory.len()).is_ok() {
                small.extend_from_slice(&self.directory);
                self.directory = small;
            }
        }
    }

    /// Frees some of what a window that expired whole has left.
    #[cold]
    pub(super) fn bury(&mut self) {
        let some = (self.graveyard.len() / 32).max(32);
        let left = self.graveyard.len().saturating_sub(some);
        for segment in self.graveyard.drain(left..) {
            self.line_bytes -= segment.bytes();
        }
        if left == 0 {
            self.graveyard = Vec::new();
        }
    }
}

fn reserve_one<T>(vec: &mut Vec<T>) -> Result<(), Error> {
    vec.try_reserve(1).map_err(|_| Error::OutOfMemory)
}

impl Exact {
    fn loads(&self, narrow: bool) -> Loads {
        match (self.dense, narrow) {
            (true, _) => DENSE,
            (false, true) => NARROW,
            (false, false) => WIDE,
        }
    }

    /// Home lines that hold so many ids, in a segment of this depth, at the load for which segments are built.
    fn homes_for(&self, ids: u64, depth: u32) -> usize {
        let lines = |slots: u64, narrow: bool| {
            let built = self.loads(narrow).built;
            (ids * 64).div_ceil(slots * built).max(1) as usize
        };
        let narrow = lines(9, true);
        if narrow_is_enough(depth, narrow) {
            narrow
        } else {
            lines(7, false)
        }
    }
}
