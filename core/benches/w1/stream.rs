//! The events of W1, seeded.

/// One event: a random-looking id and its time in milliseconds.
pub(crate) type Event<I = u64> = (I, u64);

/// How many events, and for how long an id is remembered.
#[derive(Clone, Copy)]
pub(crate) struct Load {
    /// Events a second of simulated time.
    pub(crate) rate: u64,
    pub(crate) window_ms: u64,
}

impl Load {
    /// The width of a bucket: that of this crate's default.
    pub(crate) fn bucket_ms(self) -> u64 {
        self.window_ms.div_ceil(60)
    }

    /// How many ids a steady window holds: nine of ten events are first, and it has between 60 and 61 full buckets.
    pub(crate) fn held(self) -> u64 {
        self.rate * self.bucket_ms() * 9 * 121 / 20_000
    }
}

pub(crate) struct Stream {
    events: u64,
    fresh: u64,
    rate: u64,
    /// Redeliveries are of ids at most this many ids old: half a window.
    reach: u64,
    random: u64,
}

impl Stream {
    pub(crate) fn new(load: Load) -> Self {
        Self {
            events: 0,
            fresh: 0,
            rate: load.rate,
            reach: (load.rate * load.window_ms / 2000).max(1),
            random: 7,
        }
    }

    pub(crate) fn next(&mut self, count: u64) -> Vec<Event> {
        (0..count).map(|_| self.event()).collect()
    }

    fn event(&mut self) -> Event {
        let now = self.events * 1000 / self.rate;
        self.events += 1;
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let random = mix(self.random);
        let number = if random.is_multiple_of(10) && self.fresh > 0 {
            let back = (random >> 8) % self.reach.min(self.fresh);
            self.fresh - 1 - back
        } else {
            self.fresh += 1;
            self.fresh - 1
        };
        (mix(number ^ 0x5851_f42d_4c95_7f2d), now)
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(mut z: u64) -> u64 {
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
