//! The Bloom filter: eight generations in one table, a bit of each byte for each.
//!
//! ```text
//! line, 64 bytes   | 63 positions | tag |      bit s mod 8 of a position: set by an id of serial s
//! ```
//!
//! An id sets M positions in each of H lines. The AND of these H·M bytes answers for all generations at once. The tag is the low
//! byte of the newest serial that was written to the line: it tells which bits are of generations that still count.

mod shape;

use self::shape::Shape;
use super::lanes::Bytes;
use super::table::Table;
use super::{sealed::Sealed, Kept, Memory};
use crate::config::Load;
use crate::error::Error;
use crate::fingerprint::Key;
use crate::sizing::{BloomSize, MAX_GENERATIONS, POSITIONS};

/// Where the tag is.
const TAG: usize = POSITIONS as usize;

/// Odd factors: each gives an id another line and other positions.
pub(crate) const FACTORS: [u64; 5] = [
    1,
    0x9e37_79b9_7f4a_7c15,
    0xd6e8_feb8_6659_fd93,
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
];

/// Remembers ids in bits that they share: no false first within the promise, and a false drop at the rate configured.
///
/// A call reads two to five cache lines. Some 18 bits per expected id at a rate of 1 %, 24 at 0.1 %, allocated at once.
#[derive(Clone)]
pub struct Bloom {
    table: Table,
    size: BloomSize,
    shape: Shape,
    /// The newest serial that was recorded.
    newest: u64,
    /// By a line's tag, the bits in it that are of the last eight serials.
    valid: [u8; 256],
    /// By bit, how many positions the generation has set in all lines.
    set: [u64; 8],
    /// The next line to be cleaned in its turn.
    cursor: u32,
    /// How many ids the bucket takes before the rate is above its peak, worked out for this serial and front.
    limit: Option<(u64, u64, u64)>,
}

impl Bloom {
    /// # Errors
    /// `out_of_memory`.
    pub(crate) fn new(size: BloomSize) -> Result<Self, Error> {
        let mut bloom = Self {
            table: Table::new(size.lines)?,
            size,
            shape: Shape::of(&size),
            newest: 0,
            valid: [0; 256],
            set: [0; 8],
            cursor: 0,
            limit: None,
        };
        bloom.set_valid();
        Ok(bloom)
    }

    /// A line whose tag is d serials behind has nothing of the d newest, and its bits of ages d to 7 count.
    fn set_valid(&mut self) {
        self.valid = [0; 256];
        for behind in 0..MAX_GENERATIONS {
            let tag = self.newest.wrapping_sub(behind) as u8;
            let bits = (behind..MAX_GENERATIONS)
                .fold(0, |bits, age| bits | bit(self.newest.wrapping_sub(age)));
            if let Some(entry) = self.valid.get_mut(usize::from(tag)) {
                *entry = bits;
            }
        }
    }

    #[inline]
    fn valid(&self, line: &Bytes) -> u8 {
        self.valid.get(usize::from(line[TAG])).copied().unwrap_or(0)
    }

    /// The bits of the serials from `front` to the newest.
    #[inline]
    fn alive(&self, front: u64) -> u8 {
        let many = (self.newest + 1).saturating_sub(front).min(MAX_GENERATIONS);
        ((0xff00_u32 >> many) as u8).rotate_left((self.newest as u32 & 7) + 1)
    }

    /// The newest serial of these bits.
    #[inline]
    fn serial(&self, bits: u8) -> Option<u64> {
        // The newest serial's bit to the top: then leading zeros are its age.
        let by_age = bits.rotate_left(7 - (self.newest as u32 & 7));
        (bits != 0).then(|| self.newest - u64::from(by_age.leading_zeros()))
    }

    #[inline]
    fn prefetch_in<const H: usize, const M: usize>(&self, key: u64) {
        for factor in FACTORS.iter().take(H) {
            let spread = key.wrapping_mul(*factor);
            self.table.prefetch(self.table.scale(spread));
        }
    }

    #[inline]
    fn look_in<const H: usize, const M: usize>(&self, key: u64, front: u64) -> Option<u64> {
        let mut bits = self.alive(front);
        for factor in FACTORS.iter().take(H) {
            let spread = key.wrapping_mul(*factor);
            let line = self.table.get(self.table.scale(spread))?;
            bits &= self.valid(line);
            for place in positions::<M>(spread) {
                bits &= byte(line, place);
            }
        }
        self.serial(bits)
    }

    #[inline]
    fn insert_in<const H: usize, const M: usize>(&mut self, key: u64, serial: u64) {
        let mark = bit(serial);
        let Self { table, valid, .. } = self;
        let mut set = 0;
        for factor in FACTORS.iter().take(H) {
            let spread = key.wrapping_mul(*factor);
            let line = table.scale(spread);
            if let Some(line) = table.get_mut(line) {
                clean(line, valid, serial as u8);
                for place in positions::<M>(spread) {
                    if let Some(byte) = line.get_mut(place & 63) {
                        set += u64::from(*byte & mark == 0);
                        *byte |= mark;
                    }
                }
            }
        }
        if let Some(sum) = self.set.get_mut(serial as usize & 7) {
            *sum += set;
        }
    }

    /// Makes a serial the newest.
    #[cold]
    fn open(&mut self, serial: u64) {
        while self.newest < serial {
            self.newest += 1;
            self.set_valid();
            if let Some(sum) = self.set.get_mut(self.newest as usize & 7) {
                *sum = 0;
            }
            // Every line has its turn in 128 generations, so that no tag comes round to mean another generation.
            let (valid, tag) = (self.valid, self.newest as u8);
            for _ in 0..self.table.len().div_ceil(128) {
                if let Some(line) = self.table.get_mut(self.cursor) {
                    clean(line, &valid, tag);
                }
                self.cursor += 1;
                if self.cursor as usize >= self.table.len() {
                    self.cursor = 0;
                }
            }
        }
    }
}

/// The bit of a serial.
#[inline]
fn bit(serial: u64) -> u8 {
    1 << (serial & 7)
}

#[inline]
fn byte(line: &Bytes, place: usize) -> u8 {
    line.get(place & 63).copied().unwrap_or(0)
}

/// Clears the bits of a line that no longer count, so that the generation of `tag` can be written.
#[inline]
fn clean(line: &mut Bytes, valid: &[u8; 256], tag: u8) {
    if line[TAG] == tag {
        return;
    }
    let keep = valid.get(usize::from(line[TAG])).copied().unwrap_or(0);
    for byte in line.iter_mut() {
        *byte &= keep;
    }
    line[TAG] = tag;
}

/// The first digits of the low 32 bits as a fraction, in base 63.
#[inline]
fn positions<const M: usize>(spread: u64) -> [usize; M] {
    let mut rest = spread & 0xffff_ffff;
    core::array::from_fn(|_| {
        rest *= POSITIONS;
        let place = (rest >> 32) as usize;
        rest &= 0xffff_ffff;
        place
    })
}

impl core::fmt::Debug for Bloom {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Bloom({:?})", self.size)
    }
}

impl Sealed for Bloom {}

impl Memory for Bloom {
    type Size = Load;
    const EXACT: bool = false;
    const FORGETS: bool = false;
    const LIMITED: bool = true;

    #[inline]
    fn prefetch(&self, key: Key) {
        self.shape.prefetch(self, key.0);
    }

    #[inline]
    fn look(&self, key: Key, front: u64) -> Option<u64> {
        self.shape.look(self, key.0, front)
    }

    fn insert(&mut self, key: Key, serial: u64, _: u64, _: u64) -> bool {
        if serial != self.newest {
            self.open(serial);
        }
        let shape = self.shape;
        shape.insert(self, key.0, serial);
        true
    }

    #[inline]
    fn look_or_insert(&mut self, key: Key, serial: u64, front: u64, live: u64) -> Kept {
        match self.look(key, front) {
            Some(serial) => Kept::Before(serial),
            None => {
                self.insert(key, serial, front, live);
                Kept::Now
            }
        }
    }

    /// A bit may be another id's too.
    fn remove(&mut self, _: Key, _: u64) {}

    fn limit(&self, others: impl Iterator<Item = u64>) -> u64 {
        self.size.room(others)
    }

    fn limit_of(&mut self, serial: u64, front: u64, others: impl Iterator<Item = u64>) -> u64 {
        match self.limit {
            Some((s, f, limit)) if (s, f) == (serial, front) => limit,
            _ => {
                let limit = self.limit(others);
                self.limit = Some((serial, front, limit));
                limit
            }
        }
    }

    fn clear(&mut self) {
        self.table.clear();
        self.set = [0; 8];
        self.limit = None;
    }

    fn memory_bytes(&self) -> usize {
        self.table.memory_bytes()
    }

    fn false_drop_rate(&self, _: u64, front: u64) -> f64 {
        let alive = self.alive(front);
        let set = (0..).zip(self.set).filter(|(bit, _)| alive >> bit & 1 == 1);
        self.size.rate_when_set(set.map(|(_, set)| set))
    }

    fn fill_ratio(&self, held: u64) -> Option<f64> {
        Some(held as f64 / self.size.held as f64)
    }

    #[cfg(any(test, fuzzing))]
    fn validate(&self, front: u64, live: u64) {
        assert!(live == 0 || front <= self.newest);
        assert!(self.newest < front + MAX_GENERATIONS);
        assert_eq!(self.table.len() as u64, self.size.lines);
        let mut set = [0; 8];
        // No bit that counts is of a generation that was not written to the line since its tag.
        for line in (0..self.table.len() as u32).filter_map(|line| self.table.get(line)) {
            let behind = (self.newest as u8).wrapping_sub(line[TAG]);
            let valid = self.valid(line);
            assert!(valid == 0 || behind < 8, "a tag {behind} behind");
            for byte in line.iter().take(TAG) {
                for (bit, sum) in set.iter_mut().enumerate() {
                    *sum += u64::from(byte & valid) >> bit & 1;
                }
            }
        }
        assert_eq!(set, self.set);
        assert_eq!(self.valid(&[self.newest as u8; 64]), 255);
    }
}
