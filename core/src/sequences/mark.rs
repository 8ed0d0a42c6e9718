//! One producer's memory: the high-water mark, and a bit for each of the last numbers.
//!
//! The bits are a ring over the numbers themselves: number n has bit n mod 64·words, so nothing is ever shifted. Moving
//! the mark on clears the bits of the numbers that it passed, a word at a time (as RFC 6479 does, but by masks, so that
//! no word need be spare).

use super::verdict::SequenceVerdict;

/// A view of a producer's row.
pub(super) struct Mark<'a> {
    /// The highest number seen in this epoch.
    pub(super) high: &'a mut u64,
    pub(super) epoch: &'a mut u64,
    /// None at width 0, where the mark alone decides.
    pub(super) bits: &'a mut [u64],
}

impl Mark<'_> {
    /// Begins an epoch at a number.
    #[inline]
    pub(super) fn begin(&mut self, seq: u64, epoch: u64) {
        (*self.high, *self.epoch) = (seq, epoch);
        self.bits.fill(0);
        self.set(seq);
    }

    /// Judges a number, and records it if it is first.
    #[inline]
    pub(super) fn judge(&mut self, seq: u64, epoch: u64, width: u64) -> SequenceVerdict {
        if epoch != *self.epoch {
            if epoch < *self.epoch {
                return SequenceVerdict::Fenced;
            }
            self.begin(seq, epoch);
            return SequenceVerdict::First { gap: 0 };
        }
        let high = *self.high;
        if seq > high {
            self.clear(high + 1, seq);
            self.set(seq);
            *self.high = seq;
            return SequenceVerdict::First {
                gap: seq - high - 1,
            };
        }
        if seq == high {
            return SequenceVerdict::Duplicate;
        }
        if high - seq >= width {
            return SequenceVerdict::Stale;
        }
        if self.set(seq) {
            SequenceVerdict::Duplicate
        } else {
            SequenceVerdict::First { gap: 0 }
        }
    }

    /// The word in which the numbers of a block of 64 have their bits.
    #[inline]
    fn word(&mut self, block: u64) -> Option<&mut u64> {
        match &mut *self.bits {
            [] => None,
            [word] => Some(word),
            words => {
                let place = block % words.len() as u64;
                words.get_mut(place as usize)
            }
        }
    }

    /// Sets a number's bit; whether it was set already.
    #[inline]
    fn set(&mut self, seq: u64) -> bool {
        let bit = 1 << (seq % 64);
        let Some(word) = self.word(seq / 64) else {
            return false;
        };
        let was = *word & bit != 0;
        *word |= bit;
        was
    }

    /// Clears the bits of the numbers from `first` to `last`, which are in order. O(words).
    #[inline]
    fn clear(&mut self, first: u64, last: u64) {
        if last - first >= self.bits.len() as u64 * 64 {
            self.bits.fill(0);
            return;
        }
        for block in first / 64..=last / 64 {
            let mut mask = u64::MAX;
            if block == first / 64 {
                mask &= u64::MAX << (first % 64);
            }
            if block == last / 64 {
                mask &= u64::MAX >> (63 - last % 64);
            }
            if let Some(word) = self.word(block) {
                *word &= !mask;
            }
        }
    }
}
