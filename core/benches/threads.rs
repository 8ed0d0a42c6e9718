//! Two threads on one window: the stream W1 (see `w1.rs`), split among them, on a sharded window and on what else threads share.
//!
//! `cargo bench -p firstseen --bench threads [-- EVENTS_IN_MILLIONS [THREADS]]` prints a Markdown table. The designs take turns
//! every half million events; a design's threads begin each turn together. Wall and CPU nanoseconds per event, in the steady state: from
//! the second window on.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark fails by panicking"
)]

#[path = "threads/designs.rs"]
mod designs;
#[path = "w1/stream.rs"]
#[allow(dead_code, reason = "the stream is shared with `w1.rs`")]
mod stream;

use std::time::{Duration, Instant};

use designs::Design;
use stream::{Event, Load, Stream};

const TURN: u64 = 500_000;
const WINDOW_MS: u64 = 60_000;
const RATE: u64 = 100_000;

/// CPU time of this process so far.
fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Runs a turn's events in so many threads, each of which takes every so manyth run of 256.
fn run(design: &dyn Design, parts: &[Vec<Event>]) -> u64 {
    if let [all] = parts {
        return design.run(all);
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts
            .iter()
            .map(|part| scope.spawn(|| design.run(part)))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    })
}

fn split(events: &[Event], threads: usize) -> Vec<Vec<Event>> {
    let mut parts = vec![Vec::new(); threads];
    for (number, run) in events.chunks(256).enumerate() {
        parts[number % threads].extend_from_slice(run);
    }
    parts
}

fn main() {
    let numbers: Vec<u64> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let at = |place: usize, otherwise: u64| numbers.get(place).copied().unwrap_or(otherwise);
    let (turns, most) = (at(0, 18) * 1_000_000 / TURN, at(1, 2) as usize);
    let load = Load {
        rate: RATE,
        window_ms: WINDOW_MS,
    };
    let steady_from = (WINDOW_MS * RATE / 1000 / TURN).min(turns - 1);
    let designs = designs::all(WINDOW_MS, most);
    let mut stream = Stream::new(load);
    let mut spent = vec![(Duration::ZERO, Duration::ZERO); designs.len()];
    let mut firsts = vec![0; designs.len()];
    for turn in 0..turns {
        let events = stream.next(TURN);
        let (one, more) = (split(&events, 1), split(&events, most));
        for (place, (threads, design)) in designs.iter().enumerate() {
            let parts = if *threads == 1 { &one } else { &more };
            let (wall, before) = (Instant::now(), cpu());
            firsts[place] += run(design.as_ref(), parts);
            if turn >= steady_from {
                spent[place].0 += wall.elapsed();
                spent[place].1 += cpu() - before;
            }
        }
    }
    let steady = (turns - steady_from) * TURN;
    println!(
        "{} events of W1; the last {steady} are measured\n",
        turns * TURN
    );
    println!("| design | threads | wall, ns | CPU, ns | million events/s | firsts |");
    println!("|---|---:|---:|---:|---:|---:|");
    for (place, (threads, design)) in designs.iter().enumerate() {
        let ns = |spent: Duration| spent.as_nanos() as f64 / steady as f64;
        let (wall, cpu) = (ns(spent[place].0), ns(spent[place].1));
        println!(
            "| {} | {threads} | {wall:.1} | {cpu:.1} | {:.1} | {} |",
            design.name(),
            1e3 / wall,
            firsts[place]
        );
    }
}
