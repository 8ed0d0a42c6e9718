//! Random operations on a window and on its naive twin, which must agree on every answer and every figure.

use alloc::string::String;
use alloc::vec::Vec;
use std::println;

use super::naive::Naive;
#[cfg(feature = "std")]
use super::subject::Sharded;
use super::subject::{Built, Claims, Plain, Subject};
use crate::memory::{Bloom, Exact, Memory, Simple};
use crate::sizing::BloomSize;
use crate::{Claim, Config, Key, Millis, Now, OnFull, Token, Window};

/// Where the choices come from: a seed (SplitMix64: Steele, Lea and Flood, 2014), or the bytes of a fuzzer.
pub(crate) enum Random<'a> {
    Seed(u64),
    Bytes(&'a [u8]),
}

impl Random<'_> {
    pub(crate) fn next(&mut self) -> u64 {
        match self {
            Self::Seed(seed) => {
                *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *seed;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                z ^ (z >> 31)
            }
            Self::Bytes(bytes) => {
                let (head, rest) = bytes.split_at(bytes.len().min(2));
                *bytes = rest;
                head.iter()
                    .fold(0, |value, byte| value << 8 | u64::from(*byte))
            }
        }
    }

    /// What a failure names, so that it can be repeated.
    fn seed(&self) -> Option<u64> {
        match self {
            Self::Seed(seed) => Some(*seed),
            Self::Bytes(_) => None,
        }
    }

    /// Whether a fuzzer's bytes are used up.
    fn is_over(&self) -> bool {
        matches!(self, Self::Bytes([]))
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// The window and the bucket of a ring of so many buckets.
fn ring(random: &mut Random<'_>, buckets: u64) -> (Millis, Millis) {
    let bucket = random.pick(&[1, 2, 7, 1000]);
    let window = (buckets - 1) * bucket - random.below(bucket);
    (Millis(window), Millis(bucket))
}

fn config(random: &mut Random<'_>) -> Config {
    let buckets = random.pick(&[2, 3, 8, 60, 120, 186, 250]);
    let (window, bucket) = ring(random, buckets);
    let mut config = if random.below(2) == 0 {
        Window::from_buckets(bucket, buckets)
    } else {
        Window::exact(window).bucket(bucket)
    };
    if random.below(3) > 0 {
        config = config.max_ids(random.pick(&[1, 2, 3, 63, 64, 65, 130, 300]));
        if random.below(2) == 0 || buckets > 186 {
            config = config.on_full(OnFull::Reject);
        }
    }
    limits(random, config, buckets * bucket.0)
}

/// Limits of time, for a ring of this length.
fn limits<M: Memory>(random: &mut Random<'_>, mut config: Config<M>, ring: u64) -> Config<M> {
    if random.below(3) == 0 {
        config = config.max_lateness(Millis(random.below(ring)));
    }
    if random.below(4) == 0 {
        config = config.max_step(Millis(1 + random.below(3 * ring)));
    }
    config
}

/// The next `now`: mostly a little on, now and then back, far back, far ahead.
fn next_now(random: &mut Random<'_>, now: u64, bucket: u64, buckets: u64) -> u64 {
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

pub(super) fn run<S: Built>(mut random: Random<'_>, operations: u64) {
    let seed = random.seed();
    let (window, config) = S::build(config(&mut random), &mut random);
    let naive = Naive::new(&config, config.size.max_ids, 60);
    compare(random, operations, window, naive, &(seed, config));
}

/// A Bloom filter so large that it is wrong about none of the few ids.
pub(super) fn run_bloom(mut random: Random<'_>, operations: u64) {
    let seed = random.seed();
    let buckets = random.pick(&[2, 3, 5, 8, 15, 60, 64, 250]);
    let (window, bucket) = ring(&mut random, buckets);
    // By which generations close, but not the filter's size.
    let expected = random.pick(&[1, 10, 30, 100, 1_000]);
    let mut config = Window::bloom(window, expected, 1e-6);
    if window.0.div_ceil(window.0.div_ceil(63)) + 1 != buckets || random.below(2) == 0 {
        config = config.bucket(bucket);
    }
    let config = limits(&mut random, config, buckets * bucket.0);
    let naive = Naive::new(&config, None, 63).with_generations(expected);
    let (valid, _) = config.clone().validate().unwrap();
    let size = BloomSize::new(20_000, buckets, 1e-6).unwrap();
    let window = Window::with_memory(valid, Bloom::new(size).unwrap());
    compare(random, operations, Plain(window), naive, &(seed, config));
}

/// A cuckoo filter so large that it is wrong about none of the few ids, and never full.
pub(super) fn run_cuckoo(mut random: Random<'_>, operations: u64) {
    let seed = random.seed();
    let buckets = random.pick(&[2, 3, 8, 60, 120, 250]);
    let (window, bucket) = ring(&mut random, buckets);
    let config = Window::cuckoo(window, 20_000, 1e-10).bucket(bucket);
    let config = limits(&mut random, config, buckets * bucket.0);
    let naive = Naive::new(&config, None, 60);
    let window = config.clone().build().unwrap();
    compare(random, operations, Plain(window), naive, &(seed, config));
}

fn compare<S: Subject>(
    mut random: Random<'_>,
    operations: u64,
    mut window: S,
    mut naive: Naive,
    case: &dyn core::fmt::Debug,
) {
    let shape = window.stats(Millis(0)).unwrap();
    let (bucket, buckets) = (shape.bucket_ms, shape.buckets);
    let pool = random.pick(&[3, 20, 200, 2000]);
    let mut now = random.pick(&[0, 1, 1_000_000]);
    let mut tokens = Vec::new();
    for operation in 0..operations {
        if random.is_over() {
            break;
        }
        let context = || std::format!("operation {operation}, {case:?}");
        now = next_now(&mut random, now, bucket, buckets);
        let id = 1 + random.below(pool);
        let told = Millis(now);
        match random.below(if S::CLAIMS { 44 } else { 32 }) {
            0..=17 => {
                let at = (random.below(2) == 0)
                    .then(|| now.saturating_sub(random.below(2 * bucket * buckets)));
                let got = window.observe(id, told, at.map(Millis));
                assert_eq!(got, naive.observe(id, now, at), "{}", context());
            }
            18..=22 => {
                let many = random.pick(&[0, 1, 2, 5, 80]);
                let ids: Vec<u64> = (0..many).map(|_| 1 + random.below(pool)).collect();
                let got = window.observe_many(&ids, told);
                assert_eq!(got, naive.observe_many(&ids, now), "{}", context());
            }
            23 => {
                let verdict = naive.check(id, 0);
                let held = verdict.acknowledge();
                assert_eq!(window.contains(id), Ok(held), "{}", context());
            }
            24 => {
                let ids: Vec<u64> = (0..random.below(20)).map(|i| 1 + (id + i) % pool).collect();
                let wanted: Vec<_> = ids.iter().map(|id| naive.check(*id, now)).collect();
                assert_eq!(window.check_many(&ids, told), Ok(wanted), "{}", context());
            }
            25 => assert_eq!(
                window.check(id, told),
                Ok(naive.check(id, now)),
                "{}",
                context()
            ),
            26 | 27 if S::FORGETS => {
                assert_eq!(window.forget(id), Ok(naive.forget(id)), "{}", context());
            }
            26 | 27 => assert_eq!(window.forget(id).unwrap_err().code(), "unsupported"),
            28 if random.below(8) == 0 => {
                window.advance(told).unwrap();
                naive.advance(now);
            }
            29 if random.below(50) == 0 => {
                window.clear();
                naive.clear();
            }
            32..=43 => {
                let Some(window) = window.window() else {
                    continue;
                };
                play_claims(&mut random, window, &mut naive, &mut tokens, now, id, pool)
                    .map_err(|wrong| std::format!("{wrong}, {}", context()))
                    .unwrap();
            }
            _ if !window.may_be_asked(operation) => {}
            _ => {
                let mut got = window.stats(told).unwrap();
                got.memory_bytes = 0;
                let mut expected = naive.stats(now);
                if !S::EXACT {
                    // It has none of its own on how full the filter is, and how good.
                    assert_eq!(got.fill_ratio > Some(0.0), got.held > 0, "{}", context());
                    assert!(got.estimated_false_drop_rate < 1e-6, "{}", context());
                    expected.fill_ratio = got.fill_ratio;
                    expected.estimated_false_drop_rate = got.estimated_false_drop_rate;
                }
                assert_eq!(got, expected, "{}", context());
            }
        }
        if window.may_be_asked(operation) {
            let every = if S::EXACT { 16 } else { 128 };
            if operation % every == 0 || matches!(random, Random::Bytes(_)) {
                window.validate();
            }
            assert_eq!(window.len(), naive.len(), "{}", context());
        }
        naive.compact();
    }
}

/// One call about claims. Tokens that are lost are kept among the others, and used again.
fn play_claims(
    random: &mut Random<'_>,
    window: &mut dyn Claims,
    naive: &mut Naive,
    tokens: &mut Vec<u64>,
    now: u64,
    id: u64,
    pool: u64,
) -> Result<(), String> {
    fn same<T: PartialEq + core::fmt::Debug>(got: T, expected: T) -> Result<(), String> {
        (got == expected)
            .then_some(())
            .ok_or_else(|| std::format!("{got:?} instead of {expected:?}"))
    }
    let plain = |claim: Claim| (claim.verdict, claim.token.map(|token| token.0));
    let told = Millis(now);
    let longest = random.pick(&[4, 50, 5_000, 100_000]);
    let lease = 1 + random.below(longest);
    let token = match tokens.len() as u64 {
        0 => random.below(3),
        len => tokens[random.below(len) as usize],
    };
    match random.below(12) {
        0..=4 => {
            let at = (random.below(4) == 0).then(|| now.saturating_sub(random.below(9_000)));
            let got = window.claim(id, Millis(lease), told, at.map(Millis));
            let got = got.map(plain);
            tokens.extend(got.iter().filter_map(|claim| claim.1));
            same(got, naive.claim(id, lease, now, at))?;
        }
        5 => {
            let ids: Vec<u64> = (0..random.below(12))
                .map(|_| 1 + random.below(pool))
                .collect();
            let got = window.claim_many(&ids, Millis(lease), told);
            let got = got.map(|claims| claims.into_iter().map(plain).collect::<Vec<_>>());
            tokens.extend(got.iter().flatten().filter_map(|claim| claim.1));
            same(got, naive.claim_many(&ids, lease, now))?;
        }
        6..=8 => same(window.commit(Token(token), told), naive.commit(token, now))?,
        9 => {
            let some: Vec<u64> = tokens.iter().copied().rev().take(4).collect();
            let named: Vec<Token> = some.iter().copied().map(Token).collect();
            same(
                window.commit_many(&named, told),
                naive.commit_many(&some, now),
            )?;
        }
        10 => same(window.release(Token(token)), naive.release(token))?,
        _ => same(
            window.renew(Token(token), Millis(lease), told),
            naive.renew(token, lease, now),
        )?,
    }
    if tokens.len() > 30 {
        tokens.remove(random.below(20) as usize);
    }
    Ok(())
}

/// How many operations: `FIRSTSEEN_OPERATIONS` raises it.
pub(super) fn operations() -> u64 {
    let wanted = std::env::var("FIRSTSEEN_OPERATIONS").ok();
    wanted.and_then(|text| text.parse().ok()).unwrap_or(400_000)
}

#[test]
fn a_window_and_its_naive_twin_agree_on_random_operations() {
    let runs = (operations() / 2_000).max(1);
    println!("{runs} runs of 2000 operations, seeds 0 to {}", runs - 1);
    for seed in 0..runs {
        run::<Plain<Exact>>(Random::Seed(seed), 2_000);
        run::<Plain<Simple>>(Random::Seed(seed), 200);
    }
}

#[cfg(feature = "std")]
#[test]
fn a_sharded_window_and_the_naive_twin_agree_on_random_operations() {
    let runs = (operations() / 4_000).max(1);
    for seed in 0..runs {
        run::<Sharded<Exact>>(Random::Seed(seed), 2_000);
        run::<Sharded<Simple>>(Random::Seed(seed), 200);
    }
}

#[test]
fn a_window_with_a_filter_and_its_naive_twin_agree_on_random_operations() {
    for seed in 0..(operations() / 4_000).max(1) {
        run_bloom(Random::Seed(seed), 2_000);
        run_cuckoo(Random::Seed(seed), 2_000);
    }
}

/// Many ids: segments grow, split, change their form, shrink and merge, and windows expire whole, all of it against the simple
/// memory.
fn run_large(seed: u64, rounds: u64, most: u64) {
    let mut random = Random::Seed(seed);
    let buckets = random.pick(&[2, 8, 60, 120, 250]);
    let config = Window::from_buckets(Millis(10), buckets);
    let valid = || config.clone().validate().unwrap();
    let mut fast = Window::with_memory(valid(), Exact::default());
    let mut simple = Window::with_memory(valid(), Simple::default());
    let (mut now, mut fresh) = (0, 0);
    for round in 0..rounds {
        let context = || std::format!("seed {seed}, round {round}, {buckets} buckets");
        // A burst, a steady load, a trickle, or a gap.
        let burst = random.pick(&[0, 1, 3, most / 100, most / 10]);
        now += random.pick(&[0, 1, 10, 10, 10, 11, 10 * buckets / 2, 10 * buckets]);
        let ids: Vec<u64> = (0..random.below(burst + 1))
            .map(|_| match random.below(4) {
                0 if fresh > 0 => random.below(fresh),
                _ => {
                    fresh += 1;
                    fresh - 1
                }
            })
            .collect();
        if random.below(2) == 0 {
            let got = fast.observe_many(ids.iter().copied(), Millis(now)).unwrap();
            let wanted = simple
                .observe_many(ids.iter().copied(), Millis(now))
                .unwrap();
            let differ = got.iter().zip(&wanted).position(|(a, b)| a != b);
            assert_eq!(differ, None, "{}", context());
        } else {
            for id in &ids {
                let got = fast.observe(*id, Millis(now), None).unwrap();
                let wanted = simple.observe(*id, Millis(now), None).unwrap();
                assert_eq!(got, wanted, "{}, id {id}", context());
            }
        }
        for _ in 0..random.below(20) {
            let id = random.below(fresh + 1);
            assert_eq!(fast.forget(id), simple.forget(id), "{}", context());
        }
        assert_eq!(fast.len(), simple.len(), "{}", context());
        if round % 8 == 0 {
            fast.validate();
        }
    }
}

#[test]
fn the_fast_memory_and_the_simple_one_agree_on_many_ids() {
    for seed in 0..operations() / 20_000 {
        run_large(seed, 60, 40_000);
    }
    run_large(1_000_000, 60, 2_000_000);
}

/// Fingerprints that agree in their first bits, as somebody could choose them who knows the secret: they crowd one place.
#[test]
fn fingerprints_that_crowd_one_place_are_remembered_like_any() {
    let mut random = Random::Seed(3);
    let config = Window::from_buckets(Millis(10), 8);
    let valid = || config.clone().validate().unwrap();
    let mut fast = Window::with_memory(valid(), Exact::default());
    let mut simple = Window::with_memory(valid(), Simple::default());
    let mut now = 0;
    for operation in 0..200_000_u64 {
        now += u64::from(random.below(400) == 0);
        let key = match random.below(4) {
            0 => 0xabcd_ef12_3400_0000 | random.below(3_000),
            1 => 0xabcd_ef12_0000_0000 | random.below(3_000) << 16,
            _ => random
                .below(operation + 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15),
        };
        let print = Key(key);
        let got = fast.record(print, Millis(now), None);
        assert_eq!(
            got,
            simple.record(print, Millis(now), None),
            "operation {operation}"
        );
        if operation % 2_000 == 0 {
            fast.validate();
        }
    }
    let bytes = fast.stats(Now::Unsaid).unwrap().memory_bytes;
    assert!(
        bytes < 64 * fast.len(),
        "{bytes} bytes for {} ids",
        fast.len()
    );
}

/// What the fuzzer starts from: bytes that are operations too.
#[test]
fn a_window_and_its_twin_agree_on_operations_from_bytes() {
    let mut random = Random::Seed(5);
    for length in [0, 1, 2, 3, 100, 5_000, 20_000] {
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        super::play(&bytes);
    }
}

/// So many ids that lines keep 48 bits of each: segments change to that form and back, and their bases move.
#[test]
fn narrow_lines_remember_like_wide_ones() {
    let valid = || Window::from_buckets(Millis(10), 250).validate().unwrap();
    let mut fast = Window::with_memory(valid(), Exact::default());
    let mut simple = Window::with_memory(valid(), Simple::default());
    let mut random = Random::Seed(11);
    let (mut fresh, mut most) = (0_u64, 0);
    for bucket in 0..900 {
        // 250 buckets hold five million; then the load falls to a hundredth.
        let load = if bucket < 300 { 20_000 } else { 200 };
        let now = Millis(bucket * 10);
        let ids: Vec<u64> = (0..load)
            .map(|_| match random.below(8) {
                0 if fresh > 0 => fresh - 1 - random.below(fresh.min(6_000_000)),
                _ => {
                    fresh += 1;
                    fresh - 1
                }
            })
            .collect();
        let got = fast.observe_many(ids.iter().copied(), now).unwrap();
        let wanted = simple.observe_many(ids.iter().copied(), now).unwrap();
        let differ = got.iter().zip(&wanted).position(|(a, b)| a != b);
        assert_eq!(differ, None, "bucket {bucket}");
        for _ in 0..20 {
            let id = random.below(fresh);
            assert_eq!(fast.forget(id), simple.forget(id), "bucket {bucket}");
        }
        assert_eq!(fast.len(), simple.len(), "bucket {bucket}");
        most = most.max(fast.narrow_segments());
        if bucket % 100 == 99 {
            fast.validate();
        }
    }
    assert!(most > 500, "{most} narrow segments at the most");
    assert_eq!(fast.narrow_segments(), 0, "the last ones are wide again");
}
