//! Ids as texts of 36 bytes, in the stream W1: this crate, with its keyed fingerprint, beside the reference design with
//! 64 bits of the standard library's hash, and with the texts themselves.
//!
//! `cargo bench -p firstseen --bench texts [-- WINDOWS [EVENTS_PER_SECOND]]` prints a Markdown table: CPU nanoseconds per event
//! in the windows after the fourth (after the first, if fewer are asked for), the designs taking turns every half million events.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark fails by panicking"
)]
#![allow(dead_code, reason = "the designs are shared with `w1.rs`")]

#[path = "w1/allocations.rs"]
mod allocations;
#[path = "w1/designs.rs"]
mod designs;
#[path = "w1/runner.rs"]
mod runner;
#[path = "w1/stream.rs"]
mod stream;

use std::collections::HashSet;

use designs::ours::{Layer, Ours};
use designs::reference::{Hashed, Reference};
use designs::Maker;
use runner::Runner;
use stream::{Event, Load, Stream};

const DESIGNS: [Maker<String>; 4] = [
    |load| {
        Box::new(Hashed::<HashSet<u64>>::new(
            "(a) of 64 bits of std's hash",
            load,
        ))
    },
    |load| Box::new(Reference::<HashSet<String>>::new("(a) of String", load)),
    |load| Box::new(Ours::new("first_seen", load, Layer::Public)),
    |load| Box::new(Ours::new("first_seen_many by 256", load, Layer::PublicMany)),
];

/// In the form of a UUID: the id of W1 twice, so that two texts differ wherever their ids do.
fn text((id, now): &Event) -> Event<String> {
    let other = id.rotate_left(29);
    let text = format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        id >> 32,
        id >> 16 & 0xffff,
        id & 0xffff,
        other >> 48,
        other & 0xffff_ffff_ffff,
    );
    (text, *now)
}

fn main() {
    let numbers: Vec<u64> = std::env::args()
        .filter_map(|arg| arg.parse().ok())
        .collect();
    let at = |place: usize, otherwise: u64| numbers.get(place).copied().unwrap_or(otherwise);
    let (windows, rate) = (at(0, 5).max(2), at(1, 100_000));
    let load = Load {
        rate,
        window_ms: 60_000,
    };
    let warm = if windows > 4 { 4 } else { 1 };
    let mut runners: Vec<Runner<String>> = DESIGNS.map(|make| Runner::new(make, load)).into();
    let mut stream = Stream::new(load);
    for (windows, steady) in [(warm, false), (windows - warm, true)] {
        let mut left = windows * 60 * rate;
        while left > 0 {
            let events: Vec<_> = stream.next(left.min(500_000)).iter().map(text).collect();
            left -= events.len() as u64;
            for runner in &mut runners {
                runner.run(&events, steady);
            }
        }
    }
    println!(
        "ids of 36 bytes, {rate} events/s, a window of 60 s; {} windows after {warm} to warm up\n",
        windows - warm
    );
    println!("| design | ns | held | bytes per id | first_seen_many is quicker by |");
    println!("|---|---:|---:|---:|---:|");
    let batch = runners[3].steady.each();
    for runner in &mut runners {
        println!(
            "| {} | {:.1} | {} | {:.1} | {:.1} |",
            runner.name(),
            runner.steady.each(),
            runner.held(),
            runner.bytes_per_id(),
            runner.steady.each() / batch,
        );
    }
    runner::agree(&runners);
}
