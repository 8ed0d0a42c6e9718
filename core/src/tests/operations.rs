//! Random operations on a window and on its naive twin, which must agree on every answer and every figure.

use alloc::vec::Vec;
use std::println;

use super::naive::Naive;
use crate::{Config, Millis, OnFull, Window};

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

fn config(random: &mut Random) -> Config {
    let buckets = random.pick(&[2, 3, 8, 60, 120, 186, 250]);
    let bucket = random.pick(&[1, 2, 7, 1000]);
    let mut config = if random.below(2) == 0 {
        Window::from_buckets(Millis(bucket), buckets)
    } else {
        Window::exact(Millis((buckets - 1) * bucket - random.below(bucket))).bucket(Millis(bucket))
    };
    if random.below(3) > 0 {
        config = config.max_ids(random.pick(&[1, 2, 3, 63, 64, 65, 130, 300]));
        if random.below(2) == 0 || buckets > 186 {
            config = config.on_full(OnFull::Reject);
        }
    }
    if random.below(3) == 0 {
        config = config.max_lateness(Millis(random.below(buckets * bucket)));
    }
    if random.below(4) == 0 {
        config = config.max_step(Millis(1 + random.below(3 * buckets * bucket)));
    }
    config
}

/// The next `now`: mostly a little on, now and then back, far back, far ahead.
fn next_now(random: &mut Random, now: u64, bucket: u64, buckets: u64) -> u64 {
    let ring = bucket * buckets;
    match random.below(40) {
        0..=19 => now,
        20..=29 => now + random.below(bucket + 1),
        30..=32 => now + bucket * random.below(4),
        33 => now + bucket * (buckets - 1 + random.below(3)) - random.below(2),
        34 => now + bucket * random.pick(&[2 * buckets, 255, 256, 257, 1 << 20]),
        35 | 36 => now.saturating_sub(random.below(2 * bucket)),
        37 => now.saturating_sub(random.below(ring + 2 * bucket)),
        38 => now.saturating_sub(ring + random.below(4 * ring)),
        _ => random.below(20 * ring),
    }
}

fn run(seed: u64, operations: u64) {
    let mut random = Random(seed);
    let config = config(&mut random);
    let mut window = config.clone().build().unwrap();
    let mut naive = Naive::new(config.clone());
    let shape = window.stats(crate::Now::Unsaid).unwrap();
    let (bucket, buckets) = (shape.bucket_ms, shape.buckets);
    let pool = random.pick(&[3, 20, 200, 2000]);
    let mut now = random.pick(&[0, 1, 1_000_000]);
    for operation in 0..operations {
        let context = || std::format!("seed {seed}, operation {operation}, {config:?}");
        now = next_now(&mut random, now, bucket, buckets);
        let id = 1 + random.below(pool);
        let told = Millis(now);
        match random.below(32) {
            0..=17 => {
                let at = (random.below(2) == 0)
                    .then(|| now.saturating_sub(random.below(2 * bucket * buckets)));
                let got = window.observe(id, told, at.map(Millis));
                assert_eq!(got, naive.observe(id, now, at), "{}", context());
            }
            18..=22 => {
                let many = random.pick(&[0, 1, 2, 5, 80]);
                let ids: Vec<u64> = (0..many).map(|_| 1 + random.below(pool)).collect();
                let got = window.observe_many(ids.iter().copied(), told);
                assert_eq!(got, naive.observe_many(&ids, now), "{}", context());
            }
            23..=25 => {
                let got = window.check(id, told).unwrap();
                assert_eq!(got, naive.check(id, now), "{}", context());
            }
            26 | 27 => assert_eq!(window.forget(id), Ok(naive.forget(id)), "{}", context()),
            28 if random.below(8) == 0 => {
                window.advance(told).unwrap();
                naive.advance(now);
            }
            29 if random.below(50) == 0 => {
                window.clear();
                naive.clear();
            }
            _ => {
                let mut got = window.stats(told).unwrap();
                got.memory_bytes = 0;
                assert_eq!(got, naive.stats(now), "{}", context());
                window.validate();
            }
        }
        assert_eq!(window.len(), naive.len(), "{}", context());
        naive.compact();
    }
}

/// How many operations: `FIRSTSEEN_OPERATIONS` raises it.
fn operations() -> u64 {
    let wanted = std::env::var("FIRSTSEEN_OPERATIONS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(400_000)
}

#[test]
fn a_window_and_its_naive_twin_agree_on_random_operations() {
    let runs = (operations() / 2_000).max(1);
    println!("{runs} runs of 2000 operations, seeds 0 to {}", runs - 1);
    for seed in 0..runs {
        run(seed, 2_000);
    }
}
