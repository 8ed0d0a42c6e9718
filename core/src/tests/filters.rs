//! The filters against naive twins, which are wrong in the same places: sets of positions, and a map of what is kept.

use std::collections::{HashMap, HashSet};
use std::vec::Vec;

use super::operations::Random;
use crate::memory::{Bloom, Cuckoo, Kept, Memory, FACTORS};
use crate::sizing::{BloomSize, CuckooSize};
use crate::Key;

fn scale(part: u64, lines: u64) -> u64 {
    ((u128::from(part) * u128::from(lines)) >> 64) as u64
}

fn mix(id: u64) -> u64 {
    Random::Seed(id).next()
}

/// By serial, the positions that are set.
struct NaiveBloom {
    size: BloomSize,
    set: HashMap<u64, HashSet<(u64, u64)>>,
}

impl NaiveBloom {
    fn positions(&self, key: u64) -> Vec<(u64, u64)> {
        let mut positions = Vec::new();
        for factor in &FACTORS[..self.size.lines_per_id as usize] {
            let spread = key.wrapping_mul(*factor);
            let mut digits = spread % (1 << 32);
            for _ in 0..self.size.positions_per_line {
                positions.push((scale(spread, self.size.lines), (digits * 63) >> 32));
                digits = digits * 63 % (1 << 32);
            }
        }
        positions
    }

    fn look(&self, key: u64, front: u64, newest: u64) -> Option<u64> {
        let positions = self.positions(key);
        (front..=newest).rev().find(|serial| {
            let set = self.set.get(serial);
            set.is_some_and(|set| positions.iter().all(|position| set.contains(position)))
        })
    }
}

/// Plays on a Bloom filter of so many lines, and returns how many ids were taken for others.
fn play_bloom(size: BloomSize, ids: u64, seed: u64, operations: u64) -> u64 {
    let mut bloom = Bloom::new(size).unwrap();
    let mut naive = NaiveBloom {
        size,
        set: HashMap::new(),
    };
    let mut random = Random::Seed(seed);
    let mut truth: HashMap<u64, u64> = HashMap::new();
    // A serial is new when something is recorded under it, as in a window.
    let (mut serial, mut front, mut used) = (1, 1, false);
    let mut drops = 0;
    for operation in 0..operations {
        match random.below(64) {
            0..=2 if used => (serial, used) = (serial + 1, false),
            3 => front += random.below(9),
            4 if random.below(200) == 0 => {
                bloom.clear();
                naive.set.clear();
                truth.clear();
            }
            _ => {}
        }
        // Everything expired: the next serial is the front.
        let newest = if used { serial } else { serial - 1 };
        if front > newest {
            (front, serial, used) = (newest + 1, newest + 1, false);
        }
        front = front.max(serial.saturating_sub(7));
        naive.set.retain(|serial, _| *serial >= front);
        let key = mix(random.below(ids) ^ (serial / 50) << 40);
        let newest = if used { serial } else { serial - 1 };
        let expected = naive.look(key, front, newest);
        assert_eq!(
            bloom.look(Key(key), front),
            expected,
            "operation {operation}"
        );
        let held = truth.get(&key).is_some_and(|serial| *serial >= front);
        assert!(expected.is_some() || !held, "a false first");
        drops += u64::from(expected.is_some() && !held);
        if random.below(4) == 0 {
            continue;
        }
        let kept = bloom.look_or_insert(Key(key), serial, front, 0);
        assert_eq!(kept, Kept::from(expected), "operation {operation}");
        if expected.is_none() {
            let positions = naive.positions(key);
            naive.set.entry(serial).or_default().extend(positions);
            truth.insert(key, serial);
            used = true;
        }
        if operation % 10_000 == 0 {
            bloom.validate(front, u64::from(used));
        }
    }
    drops
}

#[test]
fn a_bloom_filter_and_its_naive_twin_agree_on_random_operations() {
    let sizes = [
        (2, 3, 4, 200),
        (2, 4, 4, 300),
        (2, 4, 4_000, 500),
        (2, 4, 10, 2_000),
        (3, 4, 6, 300),
        (4, 4, 9, 300),
        (5, 4, 10, 400),
    ];
    let mut drops = 0;
    for (seed, (lines_per_id, positions_per_line, lines, ids)) in sizes.into_iter().enumerate() {
        let size = BloomSize {
            lines,
            lines_per_id,
            positions_per_line,
            each: ids,
            held: ids,
            peak: 1.0,
        };
        drops += play_bloom(size, ids, seed as u64, 200_000);
    }
    assert!(
        drops > 1_000,
        "the twins were wrong together: {drops} times"
    );
}

/// What tells ids apart: their two lines in any order, and the remainder.
fn identity(size: CuckooSize, key: u64) -> (u64, u64, u64) {
    let remainder = key % (1 << size.remainder_bits);
    let line = scale(key, size.lines);
    let sum = scale(
        (remainder + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        size.lines,
    );
    let other = (size.lines + sum - line) % size.lines;
    (line.min(other), line.max(other), remainder)
}

/// Plays on a cuckoo filter, and returns how often it was full.
fn play_cuckoo(size: CuckooSize, buckets: u64, ids: u64, seed: u64, operations: u64) -> u64 {
    let mut cuckoo = Cuckoo::new(size).unwrap();
    let mut naive: HashMap<(u64, u64, u64), u64> = HashMap::new();
    let mut keys: HashMap<(u64, u64, u64), u64> = HashMap::new();
    let mut random = Random::Seed(seed);
    let (mut serial, mut front) = (1_u64, 1_u64);
    let mut full = 0;
    for operation in 0..operations {
        let context = || std::format!("operation {operation}, {size:?}, {buckets} buckets");
        match random.below(100) {
            0..=4 => serial += 1,
            5 => serial += random.below(8),
            6 => front = serial,
            7 if random.below(300) == 0 => {
                cuckoo.clear();
                naive.clear();
            }
            _ => {}
        }
        front = front.max((serial + 1).saturating_sub(buckets));
        let key = mix(random.below(ids));
        let id = identity(size, key);
        keys.insert(id, key);
        let expected = naive.get(&id).copied().filter(|serial| *serial >= front);
        assert_eq!(cuckoo.look(Key(key), front), expected, "{}", context());
        match random.below(8) {
            0 => {
                cuckoo.remove(Key(key), front);
                naive.remove(&id);
            }
            1 => {}
            _ => match cuckoo.look_or_insert(Key(key), serial, front, 0) {
                Kept::Before(found) => assert_eq!(Some(found), expected, "{}", context()),
                Kept::Now => {
                    assert_eq!(expected, None, "{}", context());
                    naive.insert(id, serial);
                }
                Kept::Not => {
                    assert_eq!(expected, None, "{}", context());
                    full += 1;
                }
            },
        }
        if operation % 5_000 == 0 || full % 1_000 == 1 {
            naive.retain(|_, serial| *serial >= front);
            cuckoo.validate(front, naive.len() as u64);
            for (id, serial) in &naive {
                assert_eq!(
                    cuckoo.look(Key(keys[id]), front),
                    Some(*serial),
                    "{}",
                    context()
                );
            }
        }
    }
    full
}

#[test]
fn a_cuckoo_filter_and_its_naive_twin_agree_on_random_operations() {
    let sizes = [
        (3, 2, 16, 200),
        (1, 8, 16, 60),
        (2, 60, 16, 120),
        (7, 250, 24, 300),
        (100, 60, 32, 4_000),
        (5, 250, 12, 400),
        (2_051, 8, 20, 60_000),
        (3, 60, 40, 90),
        (1, 2, 8, 80),
    ];
    let mut full = 0;
    for (seed, (lines, buckets, remainder_bits, ids)) in sizes.into_iter().enumerate() {
        let size = CuckooSize {
            lines,
            remainder_bits,
            slots: (512 / (remainder_bits + 8)).min(32),
            held: ids,
        };
        full += play_cuckoo(size, buckets, ids, seed as u64, 150_000);
    }
    assert!(full > 1_000, "full {full} times");
}
