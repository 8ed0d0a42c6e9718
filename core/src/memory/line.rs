//! One cache line of slots. A slot is a remainder of a fingerprint and a one-byte tag, which counts buckets from the
//! segment's base; tag 0 is empty. The last byte is the tag of the newest entry that found no room here and lies further on.
//!
//! ```text
//! narrow  | 9 × 48 bits: low, middle and high 16 in planes of their own | 9 tags | overflow |
//! wide    | 7 × 64 bits                                                 | 7 tags | overflow |
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
        at_least(self.bytes(), least) >> (Self::TAGS - 48) & Self::ALL
    }

    /// The slots that live, and in the next bit whether a live entry overflowed this line.
    #[inline]
    fn live_and_overflow(&self, least: u8) -> u32 {
        at_least(self.bytes(), least) >> (Self::TAGS - 48)
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
        self.bytes()
            .get(Self::TAGS + slot as usize)
            .copied()
            .unwrap_or(0)
    }

    #[inline]
    fn set_tag(&mut self, slot: u32, tag: u8) {
        if let Some(byte) = self.bytes_mut().get_mut(Self::TAGS + slot as usize) {
            *byte = tag;
        }
    }

    /// Marks the line as overflown by an entry of this tag.
    #[inline]
    fn mark(&mut self, tag: u8) {
        let [.., overflow] = self.bytes_mut();
        *overflow = tag.max(*overflow);
    }

    /// Lowers every tag by `shift`; those below `least` become empty.
    fn rebase(&mut self, least: u8, shift: u8) {
        let tags = self.bytes_mut().iter_mut().skip(Self::TAGS);
        for tag in tags {
            *tag = if *tag < least {
                0
            } else {
                tag.wrapping_sub(shift)
            };
        }
    }
}

#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Narrow(Bytes);

impl Line for Narrow {
    const SLOTS: u32 = 9;
    const BITS: u32 = 48;
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
        let ninth = u16::from_le_bytes([self.0[16], self.0[17]]);
        equal_u16::<0>(&self.0, low) | u32::from(ninth == low) << 8
    }

    #[inline]
    fn kept(&self, slot: u32) -> u64 {
        let plane = |plane: usize| {
            let at = plane * 18 + 2 * slot as usize;
            let pair = self.0.get(at..).and_then(<[u8]>::first_chunk);
            u64::from(u16::from_le_bytes(pair.copied().unwrap_or_default()))
        };
        plane(0) | plane(1) << 16 | plane(2) << 32
    }

    #[inline]
    fn keep(&mut self, slot: u32, key: u64) {
        for plane in 0..3 {
            let at = plane * 18 + 2 * slot as usize;
            if let Some(pair) = self.0.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                *pair = ((key >> (16 * plane)) as u16).to_le_bytes();
            }
        }
    }
}

#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Wide(Bytes);

impl Line for Wide {
    const SLOTS: u32 = 7;
    const BITS: u32 = 64;
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
        let (words, _) = self.0.as_chunks::<8>();
        let slots = words.iter().take(7).enumerate();
        slots.fold(0, |found, (slot, word)| {
            found | u32::from(u64::from_le_bytes(*word) == key) << slot
        })
    }

    #[inline]
    fn kept(&self, slot: u32) -> u64 {
        let at = 8 * slot as usize;
        let word = self.0.get(at..).and_then(<[u8]>::first_chunk);
        u64::from_le_bytes(word.copied().unwrap_or_default())
    }

    #[inline]
    fn keep(&mut self, slot: u32, key: u64) {
        let at = 8 * slot as usize;
        if let Some(word) = self.0.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
            *word = key.to_le_bytes();
        }
    }
}
