//! SipHash-1-3 with 128 bits of output (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012; the 128-bit
//! output as in the authors' reference code).
//!
//! Our own rather than the `siphasher` crate's, which is its twin in the tests, because one more byte after the content
//! costs nothing here, and a second pass through the streaming state there: `BENCHMARKS.md` has both.

/// A state that has taken a whole number of 8-byte words, and the bytes that do not fill one yet.
#[derive(Clone, Copy)]
pub(crate) struct Sip13 {
    v: [u64; 4],
    /// The bytes of the word in the making, lowest first; the others are zero.
    tail: u64,
    /// Bytes taken so far. Only the low 8 bits of it enter the hash.
    length: u64,
}

impl Sip13 {
    pub(crate) fn new(key: u128) -> Self {
        let (k0, k1) = (key as u64, (key >> 64) as u64);
        Self {
            v: [
                k0 ^ 0x736f_6d65_7073_6575,
                k1 ^ 0x646f_7261_6e64_6f6d ^ 0xee,
                k0 ^ 0x6c79_6765_6e65_7261,
                k1 ^ 0x7465_6462_7974_6573,
            ],
            tail: 0,
            length: 0,
        }
    }

    /// Takes more bytes.
    pub(crate) fn write(&mut self, mut bytes: &[u8]) {
        let filled = (self.length % 8) as usize;
        self.length = self.length.wrapping_add(bytes.len() as u64);
        if filled > 0 {
            let (head, rest) = bytes.split_at(bytes.len().min(8 - filled));
            self.tail |= little_endian(head) << (8 * filled);
            if filled + head.len() < 8 {
                return;
            }
            self.v = absorb(self.v, self.tail);
            bytes = rest;
        }
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.v = absorb(self.v, u64::from_le_bytes(*word));
        }
        self.tail = little_endian(rest);
    }

    /// The hash of what was taken.
    pub(crate) fn end(self) -> End {
        end(self.v, self.tail | (self.length << 56))
    }

    /// The hash of what was taken, which must be a whole number of words, then `bytes`, then one byte more.
    #[inline(always)]
    pub(crate) fn end_with_suffix(&self, bytes: &[u8], suffix: u8) -> End {
        let mut v = self.v;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            v = absorb(v, u64::from_le_bytes(*word));
        }
        let mut tail = little_endian(rest) | u64::from(suffix) << (8 * rest.len());
        if rest.len() == 7 {
            v = absorb(v, tail);
            tail = 0;
        }
        let length = self.length.wrapping_add(bytes.len() as u64 + 1);
        end(v, tail | (length << 56))
    }

    /// The same for a content of one word.
    #[inline]
    pub(crate) fn end_with_word(&self, word: u64, suffix: u8) -> End {
        let length = self.length.wrapping_add(9);
        end(absorb(self.v, word), u64::from(suffix) | (length << 56))
    }
}

/// Fewer than 8 bytes as an integer.
#[inline]
fn little_endian(bytes: &[u8]) -> u64 {
    // Two overlapping reads instead of a loop over the bytes.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let shift = 8 * (bytes.len() - 4);
        return u64::from(u32::from_le_bytes(*first))
            | u64::from(u32::from_le_bytes(*last)) << shift;
    }
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(a) | u64::from(b) << 8,
        [a, b, c] => u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16,
        _ => 0,
    }
}

#[inline]
fn absorb(mut v: [u64; 4], word: u64) -> [u64; 4] {
    v[3] ^= word;
    v = round(v);
    v[0] ^= word;
    v
}

/// A hash with 64 of its bits still to be worked out, which few want.
#[derive(Clone, Copy)]
pub(crate) struct End([u64; 4]);

impl End {
    /// The first 64 bits.
    #[inline]
    pub(crate) fn low(&self) -> u64 {
        let [a, b, c, d] = self.0;
        a ^ b ^ c ^ d
    }

    /// All 128 bits, low and high.
    pub(crate) fn both(&self) -> (u64, u64) {
        let mut v = self.0;
        v[1] ^= 0xdd;
        let [a, b, c, d] = round(round(round(v)));
        (self.low(), a ^ b ^ c ^ d)
    }
}

#[inline]
fn end(v: [u64; 4], last: u64) -> End {
    let mut v = absorb(v, last);
    v[2] ^= 0xee;
    End(round(round(round(v))))
}

#[inline]
fn round([mut a, mut b, mut c, mut d]: [u64; 4]) -> [u64; 4] {
    a = a.wrapping_add(b);
    b = b.rotate_left(13) ^ a;
    a = a.rotate_left(32);
    c = c.wrapping_add(d);
    d = d.rotate_left(16) ^ c;
    a = a.wrapping_add(d);
    d = d.rotate_left(21) ^ a;
    c = c.wrapping_add(b);
    b = b.rotate_left(17) ^ c;
    c = c.rotate_left(32);
    [a, b, c, d]
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::Sip13;
    use alloc::vec::Vec;
    use core::hash::Hasher as _;
    use siphasher::sip128::{Hasher128 as _, SipHasher13};

    fn twin(key: u128, bytes: &[u8]) -> (u64, u64) {
        let mut twin = SipHasher13::new_with_key(&key.to_le_bytes());
        twin.write(bytes);
        let hash = twin.finish128();
        (hash.h1, hash.h2)
    }

    #[test]
    fn agrees_with_the_crate_at_every_length_and_every_cut() {
        let key = 0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100;
        let bytes: Vec<u8> = (0..300).map(|i| (i * 7 % 251) as u8).collect();
        for length in 0..bytes.len() {
            let content = &bytes[..length];
            let with_suffix: Vec<u8> = content.iter().copied().chain([9]).collect();
            assert_eq!(
                Sip13::new(key).end_with_suffix(content, 9).both(),
                twin(key, &with_suffix)
            );
            for cut in [0, 1, 3, 7, 8, 9, length / 2, length] {
                let cut = cut.min(length);
                let mut sip = Sip13::new(key);
                sip.write(&content[..cut]);
                sip.write(&content[cut..]);
                assert_eq!(
                    sip.end().both(),
                    twin(key, content),
                    "{length} cut at {cut}"
                );
            }
        }
    }
}
