//! The layout of a line: tags, low bytes of remainders, and their other bits.

use crate::memory::lanes::{at_least, equal_u8, Bytes};

/// S slots of r bits.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    slots: u32,
    /// r − 8: the bits of a remainder beside its low byte.
    width: u32,
    /// A bit for each slot.
    all: u32,
}

impl Layout {
    pub(super) fn new(remainder_bits: u32) -> Self {
        let slots = (512 / (remainder_bits + 8)).min(32);
        Self {
            slots,
            width: remainder_bits - 8,
            all: u32::MAX >> (32 - slots),
        }
    }

    #[inline]
    pub(super) fn all(&self) -> u32 {
        self.all
    }

    #[inline]
    pub(super) fn slots(&self) -> u32 {
        self.slots
    }

    /// The slots that live, one bit each.
    #[inline]
    pub(super) fn live(&self, line: &Bytes, least: u8) -> u32 {
        let reached = at_least::<0>(line, least) | at_least::<16>(line, least) << 16;
        reached & self.all
    }

    /// The live slot that holds a remainder.
    #[inline]
    pub(super) fn find(&self, line: &Bytes, remainder: u64, least: u8) -> Option<u32> {
        let low = equal_u8(line, self.slots as usize, remainder as u8);
        let mut candidates = low & self.live(line, least);
        while candidates != 0 {
            let slot = candidates.trailing_zeros();
            if self.high(line, slot) == remainder >> 8 {
                return Some(slot);
            }
            candidates &= candidates - 1;
        }
        None
    }

    #[inline]
    pub(super) fn tag(&self, line: &Bytes, slot: u32) -> u8 {
        line.get(slot as usize & 63).copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn set_tag(&self, line: &mut Bytes, slot: u32, tag: u8) {
        if let Some(byte) = line.get_mut(slot as usize & 63) {
            *byte = tag;
        }
    }

    #[inline]
    pub(super) fn remainder(&self, line: &Bytes, slot: u32) -> u64 {
        let low = self.tag(line, self.slots + slot);
        self.high(line, slot) << 8 | u64::from(low)
    }

    #[inline]
    pub(super) fn put(&self, line: &mut Bytes, slot: u32, remainder: u64, tag: u8) {
        self.set_tag(line, slot, tag);
        self.set_tag(line, self.slots + slot, remainder as u8);
        let (byte, shift) = self.field(slot);
        if let Some(word) = line.get_mut(byte..).and_then(<[u8]>::first_chunk_mut) {
            let others = u64::from_le_bytes(*word) & !(self.mask() << shift);
            *word = (others | (remainder >> 8) << shift).to_le_bytes();
        }
    }

    /// Lowers every tag, to 0 at the least.
    pub(super) fn lower(&self, line: &mut Bytes, by: u8) {
        for tag in line.iter_mut().take(self.slots as usize) {
            *tag = tag.saturating_sub(by);
        }
    }

    /// The bits of a remainder beside its low byte.
    #[inline]
    fn high(&self, line: &Bytes, slot: u32) -> u64 {
        let (byte, shift) = self.field(slot);
        let word = line.get(byte..).and_then(<[u8]>::first_chunk).copied();
        u64::from_le_bytes(word.unwrap_or_default()) >> shift & self.mask()
    }

    /// Where these bits are: the first byte of a word of 8 inside the line, and their place in it.
    #[inline]
    fn field(&self, slot: u32) -> (usize, u32) {
        let bit = 16 * self.slots + slot * self.width;
        let byte = (bit / 8).min(56);
        // Without other bits there is no place for them, and none is needed.
        (byte as usize, (bit - 8 * byte) & 63)
    }

    #[inline]
    fn mask(&self) -> u64 {
        (1 << self.width) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    #[test]
    fn slots_of_every_width_keep_what_is_put_and_leave_the_others_alone() {
        for bits in 8..=40 {
            let layout = Layout::new(bits);
            assert!(layout.slots * (bits + 8) <= 512);
            let kept = |slot: u32, round: u32| {
                let mixed = (u64::from(slot + 1) << 32 | u64::from(round + 1))
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15);
                (
                    (mixed >> 5) & (u64::MAX >> (64 - bits)),
                    (mixed >> 56) as u8,
                )
            };
            let mut line = [0; 64];
            for round in 0..2 {
                for slot in 0..layout.slots {
                    let (remainder, tag) = kept(slot, round);
                    layout.put(&mut line, slot, remainder, tag);
                    for other in 0..layout.slots {
                        let expected = match (other <= slot, round) {
                            (true, round) => kept(other, round),
                            (false, 1) => kept(other, 0),
                            (false, _) => (0, 0),
                        };
                        let got = (layout.remainder(&line, other), layout.tag(&line, other));
                        assert_eq!(got, expected, "{bits} bits, slot {other} after {slot}");
                    }
                }
            }
        }
    }
}
