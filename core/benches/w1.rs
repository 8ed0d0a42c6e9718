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

#[path = "w1/designs.rs"]
mod designs;
#[path = "w1/stream.rs"]
mod stream;

use std::time::Duration;

use stream::Stream;

/// CPU time of this process so far.
fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn main() {
    let numbers: Vec<u64> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let at = |place: usize, otherwise: u64| numbers.get(place).copied().unwrap_or(otherwise);
    let (millions, window, rate) = (at(0, 40), at(1, 60), at(2, 100_000));
    let mut designs = designs::all(window * 1000);
    let mut stream = Stream::new(rate, window * 1000);
    let chunks = millions * 2;
    let steady_from = (4 * window * rate).div_ceil(500_000).min(chunks - 1);
    let mut steady = vec![Duration::ZERO; designs.len()];
    let mut whole = steady.clone();
    let mut firsts = vec![0_u64; designs.len()];
    for chunk in 0..chunks {
        let events = stream.next(500_000);
        for (place, design) in designs.iter_mut().enumerate() {
            let start = cpu();
            firsts[place] += design.run(&events);
            let spent = cpu() - start;
            whole[place] += spent;
            if chunk >= steady_from {
                steady[place] += spent;
            }
        }
    }
    let events = chunks * 500_000;
    let steady_events = (chunks - steady_from) * 500_000;
    println!(
        "{events} events, window {window} s in buckets of {} ms, {rate} events/s, 10 % redeliveries; steady: the last {steady_events}\n",
        (window * 1000).div_ceil(60),
    );
    println!("| design | steady, ns | whole, ns | held | bytes per id |");
    println!("|---|---|---|---|---|");
    for (place, design) in designs.iter().enumerate() {
        let ns = |spent: Duration, events: u64| spent.as_nanos() as f64 / events as f64;
        let (held, bytes) = design.held_and_bytes();
        let each = if held > 0 {
            bytes as f64 / held as f64
        } else {
            0.0
        };
        println!(
            "| {} | {:.1} | {:.1} | {held} | {each:.1} |",
            design.name(),
            ns(steady[place], steady_events),
            ns(whole[place], events),
        );
        if design.exact() {
            let reference = firsts[0];
            assert_eq!(
                firsts[place],
                reference,
                "{} answers as the reference",
                design.name()
            );
        }
    }
}
