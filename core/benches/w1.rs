//! The stream W1, on this crate and beside it on the reference designs, interleaved in one run:
//! u64 ids, 100 k events/s of simulated time, a window of 60 s in buckets of 1 s, 10 % redeliveries, 5.4 M ids held.
//!
//! `cargo bench -p firstseen --bench w1 [-- EVENTS_IN_MILLIONS [WINDOW_SECONDS [EVENTS_PER_SECOND]]]` prints a Markdown table.
//! CPU nanoseconds per event over the whole stream, growth and expiry included.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark fails by panicking"
)]
#![allow(dead_code, reason = "the designs are shared with `texts.rs`")]

#[path = "w1/allocations.rs"]
mod allocations;
#[path = "w1/designs.rs"]
mod designs;
#[path = "w1/runner.rs"]
mod runner;
#[path = "w1/stream.rs"]
mod stream;

use runner::Runner;
use stream::{Load, Stream};

fn main() {
    let numbers: Vec<u64> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let at = |place: usize, otherwise: u64| numbers.get(place).copied().unwrap_or(otherwise);
    let (millions, window, rate) = (at(0, 40), at(1, 60), at(2, 100_000));
    let load = Load {
        rate,
        window_ms: window * 1000,
    };
    let mut runners: Vec<Runner> = designs::ALL.map(|make| Runner::new(make, load)).into();
    let mut stream = Stream::new(load);
    let chunks = millions * 2;
    let steady_from = (4 * window * rate).div_ceil(500_000).min(chunks - 1);
    for chunk in 0..chunks {
        let events = stream.next(500_000);
        for runner in &mut runners {
            runner.run(&events, chunk >= steady_from);
        }
    }
    println!(
        "{} events, window {window} s in buckets of {} ms, {rate} events/s, 10 % redeliveries; steady: the last {}\n",
        chunks * 500_000,
        load.bucket_ms(),
        (chunks - steady_from) * 500_000,
    );
    println!("| design | steady, ns | whole, ns | held | bytes per id |");
    println!("|---|---:|---:|---:|---:|");
    for runner in &mut runners {
        println!(
            "| {} | {:.1} | {:.1} | {} | {:.1} |",
            runner.name(),
            runner.steady.each(),
            runner.whole.each(),
            runner.held(),
            runner.bytes_per_id(),
        );
    }
    runner::agree(&runners);
}
