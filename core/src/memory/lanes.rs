//! Comparing the slots of a line all at once, and prefetching one: the only file of this crate with `unsafe` in it.
//!
//! Each function has a portable twin that passes the same tests. The contract of the unsafe ones: they read 16 bytes inside
//! a 64-byte array, at an offset that the compiler checks.
#![expect(
    unsafe_code,
    reason = "unaligned vector loads and prefetches have no safe form; on x86_64 a call takes 3/4 of the portable time by them, a batch 1/4"
)]

/// What the lanes see: one cache line.
pub(super) type Bytes = [u8; 64];

/// Which of the 8 lanes of 16 bits from byte `AT` on equal `value`: one bit each.
#[inline]
pub(super) fn equal_u16<const AT: usize>(line: &Bytes, value: u16) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{
            _mm_cmpeq_epi16, _mm_movemask_epi8, _mm_packs_epi16, _mm_set1_epi16,
        };
        // SAFETY: SSE2 belongs to every x86_64.
        unsafe {
            let equal = _mm_cmpeq_epi16(load::<AT>(line), _mm_set1_epi16(value as i16));
            _mm_movemask_epi8(_mm_packs_epi16(equal, equal)) as u32 & 0xff
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    portable::equal_u16::<AT>(line, value)
}

/// Which of the 16 bytes from byte `AT` on are at least `least`: one bit each.
#[inline]
pub(super) fn at_least<const AT: usize>(line: &Bytes, least: u8) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_mm_cmpeq_epi8, _mm_max_epu8, _mm_movemask_epi8, _mm_set1_epi8};
        // SAFETY: SSE2 belongs to every x86_64.
        unsafe {
            let bytes = load::<AT>(line);
            let reached = _mm_cmpeq_epi8(_mm_max_epu8(bytes, _mm_set1_epi8(least as i8)), bytes);
            _mm_movemask_epi8(reached) as u32
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    portable::at_least::<AT>(line, least)
}

/// Which of the 32 bytes from byte `at` on, at most 32, equal `value`: one bit each.
#[inline]
pub(super) fn equal_u8(line: &Bytes, at: usize, value: u8) -> u32 {
    let at = at.min(32);
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{
            _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8,
        };
        // SAFETY: 32 + 32 bytes lie inside the line; the loads need no alignment; SSE2 belongs to every x86_64.
        unsafe {
            let value = _mm_set1_epi8(value as i8);
            let equal = |at: usize| {
                let bytes = _mm_loadu_si128(line.as_ptr().add(at).cast());
                _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, value)) as u32
            };
            equal(at) | equal(at + 16) << 16
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    portable::equal_u8(line, at, value)
}

/// Asks for a line before it is needed.
#[inline]
pub(super) fn prefetch<T>(line: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing that a program can see, and the address is a reference's.
    unsafe {
        use core::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(line).cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; the instruction changes no register and no memory.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{0}]", in(reg) core::ptr::from_ref(line), options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = line;
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn load<const AT: usize>(line: &Bytes) -> core::arch::x86_64::__m128i {
    const { assert!(AT + 16 <= 64, "16 bytes lie inside the line") };
    // SAFETY: the assertion above; the load needs no alignment.
    unsafe { core::arch::x86_64::_mm_loadu_si128(line.as_ptr().add(AT).cast()) }
}

/// The same in plain arithmetic on 64-bit words.
#[cfg(any(test, not(target_arch = "x86_64")))]
pub(super) mod portable {
    use super::Bytes;

    const HIGH_BYTES: u64 = 0x8080_8080_8080_8080;
    const HIGH_PAIRS: u64 = 0x8000_8000_8000_8000;

    pub(crate) fn equal_u16<const AT: usize>(line: &Bytes, value: u16) -> u32 {
        let pattern = u64::from(value) * 0x0001_0001_0001_0001;
        let [low, high] = words(line, AT);
        let zero = |word: u64| {
            // The high bit of each lane that is zero; exact, unlike the shorter form with a borrow.
            let folded = (word & !HIGH_PAIRS).wrapping_add(!HIGH_PAIRS);
            !(folded | word) & HIGH_PAIRS
        };
        // Gathers bits 15, 31, 47 and 63 into 0 to 3.
        let gather =
            |bits: u64| ((bits >> 15).wrapping_mul(0x0001_0002_0004_0008) >> 48) as u32 & 15;
        gather(zero(low ^ pattern)) | gather(zero(high ^ pattern)) << 4
    }

    pub(crate) fn at_least<const AT: usize>(line: &Bytes, least: u8) -> u32 {
        let [low, high] = words(line, AT);
        let pattern = u64::from(least) * 0x0101_0101_0101_0101;
        let reached = |word: u64| {
            // Per byte: the low 7 bits compared by a subtraction that cannot borrow, then the high bits.
            let low_bits = (word | HIGH_BYTES) - (pattern & !HIGH_BYTES);
            (word & !pattern | !(word ^ pattern) & low_bits) & HIGH_BYTES
        };
        gather_bytes(reached(low)) | gather_bytes(reached(high)) << 8
    }

    pub(crate) fn equal_u8(line: &Bytes, at: usize, value: u8) -> u32 {
        let pattern = u64::from(value) * 0x0101_0101_0101_0101;
        let zero = |word: u64| {
            let folded = (word & !HIGH_BYTES) + !HIGH_BYTES;
            !(folded | word) & HIGH_BYTES
        };
        let [first, second] = words(line, at);
        let [third, fourth] = words(line, at + 16);
        [first, second, third, fourth]
            .into_iter()
            .rev()
            .fold(0, |bits, word| {
                bits << 8 | gather_bytes(zero(word ^ pattern))
            })
    }

    /// Gathers the high bit of each byte.
    fn gather_bytes(bits: u64) -> u32 {
        ((bits >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    }

    #[inline]
    fn words(line: &Bytes, at: usize) -> [u64; 2] {
        let word = |at: usize| {
            let mut bytes = [0; 8];
            for (byte, from) in bytes.iter_mut().zip(line.iter().skip(at)) {
                *byte = *from;
            }
            u64::from_le_bytes(bytes)
        };
        [word(at), word(at + 8)]
    }
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::{at_least, equal_u16, equal_u8, portable, Bytes};

    fn check<const AT: usize>(line: &Bytes, value: u16, least: u8) {
        let lane = |i: usize| u16::from_le_bytes([line[AT + 2 * i], line[AT + 2 * i + 1]]);
        let naive = (0..8)
            .map(|i| u32::from(lane(i) == value) << i)
            .sum::<u32>();
        assert_eq!(equal_u16::<AT>(line, value), naive, "{line:?} {value}");
        assert_eq!(
            portable::equal_u16::<AT>(line, value),
            naive,
            "{line:?} {value}"
        );
        let naive = (0..16)
            .map(|i| u32::from(line[AT + i] >= least) << i)
            .sum::<u32>();
        assert_eq!(at_least::<AT>(line, least), naive, "{line:?} {least}");
        let got = portable::at_least::<AT>(line, least);
        assert_eq!(got, naive, "{line:?} {least}");
        for at in [AT.min(32), (value & 31) as usize] {
            let naive = (0..32)
                .map(|i| u32::from(line[at + i] == least) << i)
                .sum::<u32>();
            assert_eq!(equal_u8(line, at, least), naive, "{line:?} {least}");
            assert_eq!(portable::equal_u8(line, at, least), naive, "{line:?}");
        }
    }

    #[test]
    fn vector_and_portable_lanes_agree_with_a_loop() {
        let mut random = 1_u64;
        let mut next = || {
            random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (random >> 33) as u32
        };
        for round in 0..20_000 {
            // Few different bytes, so that lanes are often equal.
            let spread = [2, 3, 256][round % 3];
            let line: Bytes = core::array::from_fn(|_| {
                let byte = next() % spread;
                if next() % 4 == 0 {
                    255 - byte as u8
                } else {
                    byte as u8
                }
            });
            let value = (next() % spread + 256 * (next() % spread)) as u16;
            check::<0>(&line, value, next() as u8);
            check::<18>(&line, value, (next() % spread) as u8);
            check::<36>(&line, u16::MAX, u8::MAX);
            check::<48>(&line, value, next() as u8);
        }
    }
}
