//! A rotating pair of classic Bloom filters, the usual way to let one forget.

use std::hash::{BuildHasher, Hasher};

use fastbloom::BloomFilter;

/// Two filters for a window each; the older is cleared when the window is over.
pub(crate) struct Pair {
    newer: BloomFilter<Identity>,
    older: BloomFilter<Identity>,
    window_ms: u64,
    window: u64,
}

impl Pair {
    /// Half the rate each, since their rates add up.
    pub(crate) fn new(each: u64, rate: f64, window_ms: u64) -> Self {
        let filter = || {
            BloomFilter::with_false_pos(rate / 2.0)
                .hasher(Identity)
                .expected_items(each as usize)
        };
        Self {
            newer: filter(),
            older: filter(),
            window_ms,
            window: 0,
        }
    }

    pub(crate) fn first(&mut self, bits: u64, now: u64) -> bool {
        if now / self.window_ms != self.window {
            self.window = now / self.window_ms;
            std::mem::swap(&mut self.newer, &mut self.older);
            self.newer.clear();
        }
        let seen = self.newer.contains(&bits) || self.older.contains(&bits);
        if !seen {
            self.newer.insert(&bits);
        }
        !seen
    }

    pub(crate) fn bytes(&self) -> u64 {
        (self.newer.num_bits() + self.older.num_bits()) as u64 / 8
    }
}

/// The keys are hashes already.
#[derive(Clone, Default)]
struct Identity;

struct Passed(u64);

impl BuildHasher for Identity {
    type Hasher = Passed;

    fn build_hasher(&self) -> Passed {
        Passed(0)
    }
}

impl Hasher for Passed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0 << 8 | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, bits: u64) {
        self.0 = bits;
    }
}

/// A hash of an id.
pub(crate) fn mix(id: u64) -> u64 {
    let mut z = id.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
