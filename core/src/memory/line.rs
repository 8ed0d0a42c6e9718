//! One cache line of slots. A slot is a remainder of a fingerprint and a one-byte tag, which counts buckets from the
//! segment's base; tag 0 is empty. The last byte marks entries that found no room here and lie further on: its high half is the
//! newest one's tag, in steps of 16, its low half a filter of four bits, so that most lookups of other keys need not go on.
//!
//! ```text
//! narrow  | 9 × 48 bits, in 3 planes of 16 | 9 tags | overflow |
//! wide    | 7 × 64 bits, in 4 planes of 16 | 7 tags | overflow |
//! ```
//!
//! A slot lives iff its tag is at least `least`, the tag of the oldest live bucket: expiry is this comparison.

use super::lanes::{at_least, equal_u16, Bytes};

/// The slots of a line, by what is kept of each fingerprint.
pub(super) trait Line: Copy {
    const SLOTS: u32;
    /// How many low bits of a fingerprint a slot keeps.
    const BITS: u32;
    const EMPTY: Self;

    fn bytes(&self) -> &Bytes;
    fn bytes_mut(&mut self) -> &mut Bytes;
    /// The slots, live or not, that may hold the key: those that do, and a few others.
    fn candidates(&self, key: u64) -> u32;
    /// What a slot keeps of a fingerprint: its low `BITS` bits.
    fn kept(&self, slot: u32) -> u64;
    fn keep(&mut self, slot: u32, key: u64);

    const ALL: u32 = (1 << Self::SLOTS) - 1;
    const TAGS: usize = 63 - Self::SLOTS as usize;
    const MASK: u64 = u64::MAX >> (64 - Self::BITS);

    /// The slots that live, one bit each.
    #[inline]
    fn live(&self, least: u8) -> u32 {
        at_least::<48>(self.bytes(), least) >> (Self::TAGS - 48) & Self::ALL
    }

    /// Whether this key may have overflown the line, and live.
    #[inline]
    fn overflown(&self, key: u64, least: u8) -> bool {
        let [.., mark] = *self.bytes();
        // Most lines never overflow.
        mark != 0 && mark & filter(key) != 0 && mark | 15 >= least
    }

    /// The live slot that holds the key.
    #[inline]
    fn find(&self, key: u64, live: u32) -> Option<u32> {
        let mut candidates = self.candidates(key) & live;
        while candidates != 0 {
            let slot = candidates.trailing_zeros();
            if self.kept(slot) == key & Self::MASK {
                return Some(slot);
            }
            candidates &= candidates - 1;
        }
        None
    }

    #[inline]
    fn tag(&self, slot: u32) -> u8 {
        let at = Self::TAGS + slot.min(Self::SLOTS - 1) as usize;
        self.bytes().get(at).copied().unwrap_or(0)
    }

    #[inline]
    fn set_tag(&mut self, slot: u32, tag: u8) {
        let at = Self::TAGS + slot.min(Self::SLOTS - 1) as usize;
        if let Some(byte) = self.bytes_mut().get_mut(at) {
            *byte = tag;
        }
    }

    /// Marks the line as overflown by a key of this tag.
    #[inline]
    fn mark(&mut self, key: u64, tag: u8, least: u8) {
        let [.., mark] = self.bytes_mut();
        let old = if *mark | 15 >= least { *mark } else { 0 };
        *mark = (old & 0xf0).max(tag & 0xf0) | old & 15 | filter(key);
    }

    /// Lowers every tag by `shift`; those below `least` become empty.
    fn rebase(&mut self, least: u8, shift: u8) {
        let slots = Self::SLOTS as usize;
        let tags = self.bytes_mut().iter_mut().skip(Self::TAGS).take(slots);
        for tag in tags {
            *tag = if *tag < least { 0 } else { *tag - shift };
        }
        let [.., mark] = self.bytes_mut();
        let newest = *mark | 15;
        *mark = if newest < least {
            0
        } else {
            newest.saturating_sub(shift) & 0xf0 | *mark & 15
        };
    }
}

/// The bit of a key in a line's filter. Any bits would do that do not choose the line.
#[inline]
fn filter(key: u64) -> u8 {
    1 << ((key >> 16) & 3)
}

/// `SLOTS` slots of `PLANES` × 16 bits: the low 16 bits of every slot first, then the next, so that they are compared at once.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Planes<const SLOTS: usize, const PLANES: usize>(Bytes);

/// 48 bits of each fingerprint.
pub(super) type Narrow = Planes<9, 3>;

/// All 64 bits of each fingerprint.
pub(super) type Wide = Planes<7, 4>;

impl<const SLOTS: usize, const PLANES: usize> Line for Planes<SLOTS, PLANES> {
    const SLOTS: u32 = SLOTS as u32;
    const BITS: u32 = 16 * PLANES as u32;
    const EMPTY: Self = Self([0; 64]);

    #[inline]
    fn bytes(&self) -> &Bytes {
        &self.0
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut Bytes {
        &mut self.0
    }

    #[inline]
    fn candidates(&self, key: u64) -> u32 {
        let low = key as u16;
        let eight = equal_u16::<0>(&self.0, low);
        if SLOTS <= 8 {
            return eight;
        }
        let ninth = u16::from_le_bytes([self.0[16], self.0[17]]);
        eight | u32::from(ninth == low) << 8
    }

    #[inline]
    fn kept(&self, slot: u32) -> u64 {
        (0..PLANES).fold(0, |key, plane| {
            let pair = self.0.get(at(SLOTS, plane, slot)..);
            let pair = pair.and_then(<[u8]>::first_chunk).copied();
            key | u64::from(u16::from_le_bytes(pair.unwrap_or_default())) << (16 * plane)
        })
    }

    #[inline]
    fn keep(&mut self, slot: u32, key: u64) {
        for plane in 0..PLANES {
            let pair = self.0.get_mut(at(SLOTS, plane, slot)..);
            if let Some(pair) = pair.and_then(<[u8]>::first_chunk_mut) {
                *pair = ((key >> (16 * plane)) as u16).to_le_bytes();
            }
        }
    }
}

/// Where the 16 bits of a slot are. The bound is never met; it spares the checks of the accesses.
#[inline]
fn at(slots: usize, plane: usize, slot: u32) -> usize {
    2 * (plane * slots + (slot as usize).min(slots - 1))
}
