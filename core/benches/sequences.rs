//! Sequences: a call, and the bytes that a producer and an event cost: `cargo bench -p firstseen --bench sequences`.
//!
//! Beside them a bitmap of consecutive integer ids, as `SETBIT` keeps it in Redis: one growing string per producer.
#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use std::hint::black_box;
use std::time::Instant;

use firstseen::{Millis, Now, Sequences, SequencesConfig, Window};

const PRODUCERS: u64 = 1_000_000;
const CALLS: u64 = 4_000_000;
const ROUNDS: usize = 5;

/// SplitMix64 (Steele, Lea and Flood, 2014).
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A call: the producer, random, so that every call goes to another place in memory, and its next number. One in ten is a
/// redelivery of one of the producer's last numbers, or swapped with the one before.
fn stream() -> Vec<(u32, u32)> {
    let mut next = vec![1_u32; PRODUCERS as usize];
    let mut event = |call: u64| {
        let random = mix(call);
        let producer = random % PRODUCERS;
        let next = next.get_mut(producer as usize).unwrap();
        let seq = match (random >> 40) % 20 {
            0 => *next - 1,
            1 => *next + 1,
            _ => *next,
        };
        *next = (*next).max(seq + 1);
        (producer as u32, seq)
    };
    (0..CALLS * ROUNDS as u64).map(&mut event).collect()
}

struct Run {
    name: &'static str,
    sequences: Sequences,
    timed: bool,
    calls: u64,
    best: f64,
}

impl Run {
    fn new(name: &'static str, config: SequencesConfig) -> Self {
        let timed = config.idle.is_some();
        let mut sequences = config.build().unwrap();
        for producer in 0..PRODUCERS {
            let now = if timed { Millis(0).into() } else { Now::Unsaid };
            sequences.first_seen(producer as u32, 0, 0, now).unwrap();
        }
        Self {
            name,
            sequences,
            timed,
            calls: 0,
            best: f64::INFINITY,
        }
    }

    /// One call after another.
    fn round(&mut self, events: &[(u32, u32)]) {
        let start = Instant::now();
        let mut firsts = 0;
        for (producer, seq) in events {
            self.calls += 1;
            let now = if self.timed {
                // Ten thousand calls a millisecond.
                Millis(self.calls / 10_000).into()
            } else {
                Now::Unsaid
            };
            let first = self.sequences.first_seen(*producer, (*seq).into(), 0, now);
            firsts += u64::from(first.unwrap());
        }
        black_box(firsts);
        let ns = start.elapsed().as_secs_f64() * 1e9 / CALLS as f64;
        self.best = self.best.min(ns);
    }
}

fn calls() {
    let day = Millis(86_400_000);
    let mut runs = [
        Run::new("width 0", Sequences::with_width(0)),
        Run::new("width 64", Sequences::with_width(64)),
        Run::new("width 1024", Sequences::with_width(1024)),
        Run::new("width 64, `idle`", Sequences::with_width(64).idle(day)),
        Run::new(
            "width 64, `max_producers`",
            Sequences::with_width(64).max_producers(PRODUCERS),
        ),
    ];
    for events in stream().chunks(CALLS as usize) {
        for run in &mut runs {
            run.round(events);
        }
    }
    println!("| {PRODUCERS} producers | ns per call | bytes per producer |\n|---|---:|---:|");
    for run in &runs {
        let stats = run.sequences.stats(Now::Unsaid).unwrap();
        let bytes = stats.memory_bytes as f64 / stats.held as f64;
        println!("| {} | {:.1} | {bytes:.1} |", run.name, run.best);
    }
}

/// A string of bits that grows with the highest one set: what Redis keeps under one key.
#[derive(Default)]
struct Bitmap(Vec<u8>);

impl Bitmap {
    fn first_seen(&mut self, bit: u64) -> bool {
        let (byte, mask) = ((bit / 8) as usize, 1 << (bit % 8));
        if self.0.len() <= byte {
            self.0.resize(byte + 1, 0);
        }
        let Some(byte) = self.0.get_mut(byte) else {
            return false;
        };
        let first = *byte & mask == 0;
        *byte |= mask;
        first
    }
}

/// Bytes per event after so many consecutive numbers of a thousand producers.
fn bytes_per_id() {
    const FEW: u64 = 1_000;
    println!("\n| numbers from each of {FEW} producers | sequences, width 1024 | bitmap | exact window |");
    println!("|---:|---:|---:|---:|");
    for events in [100, 1_000, 10_000, 100_000] {
        let mut sequences = Sequences::with_width(1024).build().unwrap();
        let mut bitmaps: Vec<Bitmap> = (0..FEW).map(|_| Bitmap::default()).collect();
        for seq in 0..events {
            for (producer, bitmap) in bitmaps.iter_mut().enumerate() {
                let first = sequences.first_seen(producer as u64, seq, 0, Now::Unsaid);
                assert!(first.unwrap() && bitmap.first_seen(seq));
            }
        }
        let bytes = sequences.stats(Now::Unsaid).unwrap().memory_bytes;
        let bitmap: usize = bitmaps.iter().map(|bitmap| bitmap.0.len()).sum();
        // As many ids as a window holds at most here; beyond that its bytes per id stay what they are.
        let held = (FEW * events).min(1_000_000);
        let mut window = Window::exact(Millis(60_000)).build().unwrap();
        for id in 0..held {
            window.first_seen(id, Millis(0)).unwrap();
        }
        let window = window.stats(Now::Unsaid).unwrap().memory_bytes;
        let per = |bytes: f64, ids: u64| bytes / ids as f64;
        println!(
            "| {events} | {:.4} | {:.4} | {:.2} |",
            per(bytes as f64, FEW * events),
            per(bitmap as f64, FEW * events),
            per(window as f64, held),
        );
    }
}

fn main() {
    calls();
    bytes_per_id();
}
