//! The events of W1, seeded.

/// One event: a random-looking id and its time in milliseconds.
pub(crate) type Event = (u64, u64);

pub(crate) struct Stream {
    events: u64,
    fresh: u64,
    rate: u64,
    /// Redeliveries are of ids at most this many ids old: half a window.
    reach: u64,
    random: u64,
}

impl Stream {
    pub(crate) fn new(rate: u64, window_ms: u64) -> Self {
        Self {
            events: 0,
            fresh: 0,
            rate,
            reach: (rate * window_ms / 2000).max(1),
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
