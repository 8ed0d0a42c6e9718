//! Filters: bits per expected id, the rate of lost ids, and what an event costs, beside a rotating pair of classic Bloom
//! filters (the `fastbloom` crate) and the exact memory. All run interleaved on the same keys.
//!
//! `cargo run --release -p firstseen-curve --bin filters [-- IDS_IN_A_WINDOW]` prints a Markdown table.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark fails by panicking"
)]

mod pair;

use std::time::Duration;

use firstseen::{Fingerprint, Key, Memory, Millis, Now, Window};

use self::pair::{mix, Pair};

const WINDOW_MS: u64 = 60_000;
/// Events in a turn of each design.
const CHUNK: usize = 50_000;
const BATCH: usize = 256;

/// A key of the stream: whether it is new, and its time.
struct Event {
    key: Key,
    bits: u64,
    new: bool,
    now: Millis,
}

/// 10 % of the events are redeliveries from the last window.
struct Stream {
    each: u64,
    fresh: u64,
    random: u64,
}

impl Stream {
    fn next(&mut self, count: usize) -> Vec<Event> {
        (0..count)
            .map(|_| {
                self.random = mix(self.random);
                let new = !self.random.is_multiple_of(10) || self.fresh == 0;
                let id = if new {
                    self.fresh += 1;
                    self.fresh
                } else {
                    let back = (self.random >> 8) % (self.each / 2).min(self.fresh).max(1);
                    self.fresh - back
                };
                let bits = mix(id);
                let key = Fingerprint::from_bytes(u128::from(bits).to_le_bytes()).key();
                Event {
                    key,
                    bits,
                    new,
                    now: self.now(),
                }
            })
            .collect()
    }

    /// Evenly in time, so that a window has as many new ids as it is to have.
    fn now(&self) -> Millis {
        Millis((u128::from(self.fresh) * u128::from(WINDOW_MS) / u128::from(self.each)) as u64)
    }
}

/// What is measured. `judge` says of each event whether it was first.
trait Design {
    fn judge(&mut self, events: &[Event], answers: &mut Vec<bool>);
    fn bytes(&self) -> u64;
}

struct Single<M: Memory>(Window<M>);

impl<M: Memory> Design for Single<M> {
    fn judge(&mut self, events: &[Event], answers: &mut Vec<bool>) {
        for event in events {
            let verdict = self.0.record(event.key, event.now, None).unwrap();
            answers.push(verdict.is_first());
        }
    }

    fn bytes(&self) -> u64 {
        self.0.stats(Now::Unsaid).unwrap().memory_bytes
    }
}

struct Batch<M: Memory>(Window<M>);

impl<M: Memory> Design for Batch<M> {
    fn judge(&mut self, events: &[Event], answers: &mut Vec<bool>) {
        let mut keys = Vec::with_capacity(BATCH);
        for chunk in events.chunks(BATCH) {
            keys.clear();
            keys.extend(chunk.iter().map(|event| event.key));
            let sink = |verdict: firstseen::Verdict| answers.push(verdict.is_first());
            self.0.record_many(&keys, chunk[0].now, sink).unwrap();
        }
    }

    fn bytes(&self) -> u64 {
        self.0.stats(Now::Unsaid).unwrap().memory_bytes
    }
}

impl Design for Pair {
    fn judge(&mut self, events: &[Event], answers: &mut Vec<bool>) {
        answers.extend(
            events
                .iter()
                .map(|event| self.first(event.bits, event.now.0)),
        );
    }

    fn bytes(&self) -> u64 {
        Self::bytes(self)
    }
}

fn designs(each: u64) -> Vec<(String, Box<dyn Design>)> {
    let window = Millis(WINDOW_MS);
    let mut designs: Vec<(String, Box<dyn Design>)> = Vec::new();
    for rate in [0.01, 0.001] {
        let bloom = || Window::bloom(window, each, rate).build().unwrap();
        let cuckoo = || Window::cuckoo(window, each, rate).build().unwrap();
        let named = |name: &str| format!("{name}, {} %", rate * 100.0);
        designs.push((
            named("`fastbloom`, a rotating pair"),
            Box::new(Pair::new(each, rate, WINDOW_MS)),
        ));
        designs.push((named("bloom, one at a time"), Box::new(Single(bloom()))));
        designs.push((named("bloom, 256 a call"), Box::new(Batch(bloom()))));
        designs.push((named("cuckoo, one at a time"), Box::new(Single(cuckoo()))));
        designs.push((named("cuckoo, 256 a call"), Box::new(Batch(cuckoo()))));
    }
    let exact = || Window::exact(window).build().unwrap();
    designs.push(("exact, one at a time".to_owned(), Box::new(Single(exact()))));
    designs.push(("exact, 256 a call".to_owned(), Box::new(Batch(exact()))));
    designs
}

/// CPU time of this process so far.
fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[derive(Clone, Copy, Default)]
struct Sums {
    time: Duration,
    events: u64,
    new: u64,
    lost: u64,
    missed: u64,
}

fn main() {
    let argument = std::env::args().nth(1).and_then(|text| text.parse().ok());
    let each: u64 = argument.unwrap_or(1_000_000);
    let mut designs = designs(each);
    let mut sums = vec![Sums::default(); designs.len()];
    let mut stream = Stream {
        each,
        fresh: 0,
        random: 1,
    };
    let mut answers = Vec::with_capacity(CHUNK);
    while stream.fresh < 4 * each {
        // The second window is the first that is full.
        let counts = stream.fresh > 5 * each / 4;
        let events = stream.next(CHUNK);
        for ((_, design), sums) in designs.iter_mut().zip(&mut sums) {
            answers.clear();
            let start = cpu();
            design.judge(&events, &mut answers);
            let spent = cpu() - start;
            if counts {
                sums.time += spent;
                sums.events += events.len() as u64;
                for (event, first) in events.iter().zip(&answers) {
                    sums.new += u64::from(event.new);
                    sums.lost += u64::from(event.new && !first);
                    sums.missed += u64::from(!event.new && *first);
                }
            }
        }
    }
    println!(
        "{each} new ids in a window of 60 s, evenly, and 10 % redeliveries of the last half\n"
    );
    println!("| design | ns per event | bits per expected id | new ids lost |");
    println!("|---|---:|---:|---:|");
    for ((name, design), sums) in designs.iter().zip(&sums) {
        // An id that was lost at first may be first later; others may not.
        assert!(sums.missed <= sums.lost, "{name}: a false first");
        println!(
            "| {name} | {:.1} | {:.1} | {:.4} % |",
            sums.time.as_nanos() as f64 / sums.events as f64,
            design.bytes() as f64 * 8.0 / each as f64,
            sums.lost as f64 / sums.new as f64 * 100.0,
        );
    }
}
