//! Single calls, and the stream W1 whole, by divan: `cargo bench -p firstseen --bench calls`.
//!
//! `w1.rs` runs the designs on W1 interleaved, in steady state and with what they hold; here each runs alone.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark fails by panicking"
)]
#![allow(dead_code, reason = "the designs are shared with `w1.rs`")]

#[path = "w1/designs.rs"]
mod designs;
#[path = "w1/stream.rs"]
mod stream;

use std::hash::Hasher as _;

use divan::{black_box, Bencher};
use firstseen::{Fingerprinter, Millis, Part, Secret, SteadyClock, Window};
use siphasher::sip128::{Hasher128 as _, SipHasher13};

fn main() {
    divan::main();
}

const TEXT: &str = "evt_1PqRsTuVwXyZ0123456789abcd";

#[divan::bench_group]
mod fingerprint {
    use super::*;

    fn ours() -> Fingerprinter {
        Fingerprinter::new(&Secret::default())
    }

    #[divan::bench]
    fn text_30_bytes(bencher: Bencher<'_, '_>) {
        let printer = ours();
        bencher.bench(|| printer.fingerprint(black_box(TEXT)));
    }

    #[divan::bench]
    fn text_30_bytes_key_only(bencher: Bencher<'_, '_>) {
        let printer = ours();
        bencher.bench(|| printer.key(black_box(TEXT)));
    }

    #[divan::bench]
    fn integer_key_only(bencher: Bencher<'_, '_>) {
        let printer = ours();
        bencher.bench(|| printer.key(black_box(7_u64)));
    }

    #[divan::bench]
    fn text_30_bytes_by_the_siphasher_crate(bencher: Bencher<'_, '_>) {
        let start = SipHasher13::new_with_key(&[0; 16]);
        bencher.bench(|| {
            let mut hasher = start;
            hasher.write(black_box(TEXT.as_bytes()));
            hasher.write_u8(1);
            hasher.finish128()
        });
    }

    #[divan::bench]
    fn integer(bencher: Bencher<'_, '_>) {
        let printer = ours();
        bencher.bench(|| printer.fingerprint(black_box(7_u64)));
    }

    #[divan::bench]
    fn integer_by_the_siphasher_crate(bencher: Bencher<'_, '_>) {
        let start = SipHasher13::new_with_key(&[0; 16]);
        bencher.bench(|| {
            let mut hasher = start;
            hasher.write(&black_box(7_u64).to_le_bytes());
            hasher.write_u8(2);
            hasher.finish128()
        });
    }

    #[divan::bench]
    fn composite_of_two(bencher: Bencher<'_, '_>) {
        let printer = ours();
        bencher
            .bench(|| printer.fingerprint(black_box(&[Part::from("tenant-1"), Part::from(7_u64)])));
    }
}

#[divan::bench_group]
mod known_id {
    use super::*;

    fn window() -> Window {
        let mut window = Window::exact(Millis(60_000)).build().unwrap();
        window.first_seen(TEXT, Millis(1_000)).unwrap();
        window
    }

    #[divan::bench]
    fn first_seen(bencher: Bencher<'_, '_>) {
        let mut window = window();
        bencher.bench_local(|| window.first_seen(black_box(TEXT), Millis(1_000)));
    }

    #[divan::bench]
    fn first_seen_in_a_sharded_window(bencher: Bencher<'_, '_>) {
        let window = Window::exact(Millis(60_000)).build_sharded(16).unwrap();
        window.first_seen(TEXT, Millis(1_000)).unwrap();
        bencher.bench(|| window.first_seen(black_box(TEXT), Millis(1_000)));
    }

    #[divan::bench]
    fn first_seen_by_the_clock(bencher: Bencher<'_, '_>) {
        let mut window = Window::exact(Millis(60_000)).build().unwrap();
        let clock = SteadyClock::new(window.bucket());
        bencher.bench_local(|| window.first_seen(black_box(TEXT), clock.now()));
    }

    #[divan::bench]
    fn observe(bencher: Bencher<'_, '_>) {
        let mut window = window();
        bencher.bench_local(|| window.observe(black_box(TEXT), Millis(1_000), None));
    }

    #[divan::bench]
    fn check(bencher: Bencher<'_, '_>) {
        let window = window();
        bencher.bench_local(|| window.check(black_box(TEXT), Millis(1_000)));
    }
}

/// Ten million events of W1, growth and expiry included.
#[divan::bench(args = 0..6, sample_count = 3, sample_size = 1)]
fn w1_10_million_events(bencher: Bencher<'_, '_>, design: usize) {
    let load = stream::Load {
        rate: 100_000,
        window_ms: 60_000,
    };
    let mut design = designs::ALL[design](load);
    println!("{}", design.name());
    let mut stream = stream::Stream::new(load);
    let events = stream.next(10_000_000);
    bencher
        .counter(divan::counter::ItemsCount::new(events.len()))
        .bench_local(|| design.run(&events));
}
