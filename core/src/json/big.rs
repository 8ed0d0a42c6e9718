//! Integers of up to 4096 bits: what it takes to read any decimal literal exactly, and to write any double in its fewest digits.
//!
//! Nothing is inlined here: it is rarely called, and the WebAssembly module should stay small.

use core::cmp::Ordering;

const WORDS: usize = 128;

/// An unsigned integer. The callers' bounds keep it below 2^4096.
#[derive(Clone, Copy)]
pub(super) struct Big {
    /// Lowest first; zero from `length` on.
    words: [u32; WORDS],
    /// Up to the highest word that is not zero.
    length: usize,
}

impl Big {
    #[inline(never)]
    pub(super) fn new(value: u64) -> Self {
        let mut big = Self {
            words: [0; WORDS],
            length: 0,
        };
        big.multiply(1, (value >> 32) as u32);
        big.multiply(1 << 31, 0);
        big.multiply(2, value as u32);
        big
    }

    /// The integer that these decimal digits write.
    pub(super) fn of_digits(digits: &[u8]) -> Self {
        let mut big = Self::new(0);
        for chunk in digits.chunks(9) {
            let value = chunk
                .iter()
                .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
            big.multiply(10_u32.pow(chunk.len() as u32), value);
        }
        big
    }

    pub(super) fn is_zero(&self) -> bool {
        self.length == 0
    }

    /// The number of bits up to the highest that is set.
    #[inline(never)]
    pub(super) fn bits(&self) -> i32 {
        let top = self.words().last().map_or(0, |top| top.leading_zeros());
        32 * self.length as i32 - top as i32
    }

    /// `self · factor + more`.
    #[inline(never)]
    pub(super) fn multiply(&mut self, factor: u32, more: u32) {
        let mut carry = more;
        for word in self.words.iter_mut().take(self.length) {
            let product = u64::from(*word) * u64::from(factor) + u64::from(carry);
            *word = product as u32;
            carry = (product >> 32) as u32;
        }
        if carry > 0 {
            if let Some(word) = self.words.get_mut(self.length) {
                *word = carry;
                self.length += 1;
            }
        }
    }

    /// `self · 10^power`.
    pub(super) fn multiply_by_ten(&mut self, power: u32) {
        for _ in 0..power / 9 {
            self.multiply(1_000_000_000, 0);
        }
        self.multiply(10_u32.pow(power % 9), 0);
    }

    /// `self · 2^power`.
    pub(super) fn double(&mut self, power: u32) {
        for _ in 0..power / 31 {
            self.multiply(1 << 31, 0);
        }
        self.multiply(1 << (power % 31), 0);
    }

    /// Leaves the remainder of `self / by` and answers the quotient, which must be below 2^28.
    #[inline(never)]
    pub(super) fn divide(&mut self, by: &Self) -> u32 {
        // By the 32 highest bits of the divisor the quotient is at most two too small.
        let at = (by.bits() - 32).max(0).unsigned_abs();
        let divisor = by.bits_from(at) + u64::from(at > 0);
        let mut quotient = self.bits_from(at).checked_div(divisor).unwrap_or(0) as u32;
        self.subtract(by, quotient);
        while *self >= *by {
            self.subtract(by, 1);
            quotient += 1;
        }
        quotient
    }

    /// The 64 bits from this one on.
    fn bits_from(&self, at: u32) -> u64 {
        let word = |index: u32| {
            self.words
                .get(index as usize)
                .map_or(0, |word| u64::from(*word))
        };
        let (first, shift) = (at / 32, at % 32);
        let low = word(first) | word(first + 1) << 32;
        low >> shift | (word(first + 2) << 32) << (32 - shift)
    }

    /// `self - other · times`, which must not be negative.
    #[inline(never)]
    pub(super) fn subtract(&mut self, other: &Self, times: u32) {
        let mut carry = 0;
        for (word, other) in self.words.iter_mut().zip(&other.words).take(self.length) {
            let product = u64::from(*other) * u64::from(times) + carry;
            let (less, under) = word.overflowing_sub(product as u32);
            *word = less;
            carry = (product >> 32) + u64::from(under);
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.words().last() == Some(&0) {
            self.length -= 1;
        }
    }

    fn words(&self) -> &[u32] {
        self.words.get(..self.length).unwrap_or_default()
    }
}

impl PartialEq for Big {
    fn eq(&self, other: &Self) -> bool {
        self.words() == other.words()
    }
}

impl Eq for Big {}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Big {
    #[inline(never)]
    fn cmp(&self, other: &Self) -> Ordering {
        let by_length = self.length.cmp(&other.length);
        by_length.then_with(|| self.words().iter().rev().cmp(other.words().iter().rev()))
    }
}
