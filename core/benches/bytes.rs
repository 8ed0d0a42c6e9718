//! Bytes per id held, after three windows of a steady load: `cargo bench -p firstseen --bench bytes`.
#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use firstseen::{Millis, Now, Window};

fn bytes_per_id(held: u64, capped: bool) -> f64 {
    let mut config = Window::exact(Millis(60_000));
    if capped {
        config = config.max_ids(held);
    }
    let mut window = config.build().unwrap();
    for id in 0..3 * held {
        // 61 buckets hold as many ids as are asked for.
        window.first_seen(id, Millis(id * 61_000 / held)).unwrap();
    }
    let stats = window.stats(Now::Unsaid).unwrap();
    stats.memory_bytes as f64 / stats.held as f64
}

fn main() {
    println!("| ids held | bytes per id | with `max_ids` |\n|---:|---:|---:|");
    for held in [
        1_000, 10_000, 100_000, 300_000, 1_000_000, 2_000_000, 3_000_000, 5_400_000, 10_000_000,
    ] {
        let (free, capped) = (bytes_per_id(held, false), bytes_per_id(held, true));
        println!("| {held} | {free:.1} | {capped:.1} |");
    }
}
