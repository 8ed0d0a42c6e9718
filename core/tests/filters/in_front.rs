//! A filter in front of a store (fault 29): it may save the store's read, never its write, and remembers at least as long.

use std::collections::HashMap;

use firstseen::{Millis, OnFull, ReadFilter, Window};

use super::WINDOW;

/// An exact store that forgets each id so long after it was written.
#[derive(Default)]
struct Store {
    written: HashMap<u64, u64>,
    reads: u64,
    writes: u64,
}

impl Store {
    fn holds(&self, id: u64, now: u64) -> bool {
        let at = self.written.get(&id);
        at.is_some_and(|at| now - at <= WINDOW.0)
    }

    fn write(&mut self, id: u64, now: u64) {
        self.writes += 1;
        self.written.insert(id, now);
    }

    fn read_and_write(&mut self, id: u64, now: u64) -> bool {
        self.reads += 1;
        let absent = !self.holds(id, now);
        if absent {
            self.write(id, now);
        }
        absent
    }
}

fn below(random: &mut u64, n: u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random % n
}

#[test]
fn the_answers_are_those_of_the_store_alone() {
    // Small filters are often wrong: where an id is taken for another that expires sooner, it must be recorded all the same.
    for (seed, expected, p) in [
        (1, 40, 0.5),
        (2, 100, 0.1),
        (3, 2_000, 0.01),
        (4, 20, 0.01),
        (5, 3, 0.5),
    ] {
        let config = Window::bloom(WINDOW, expected, p);
        let mut filter = ReadFilter::new(config).unwrap();
        let (mut store, mut alone) = (Store::default(), Store::default());
        // What the store holds from before the filter's time.
        for id in 0..50 {
            store.write(id, 0);
            alone.write(id, 0);
        }
        let (mut random, mut now, mut firsts) = (seed, 1, 0);
        for turn in 0..100_000_u64 {
            now += below(&mut random, 60);
            let id = turn / 20 + below(&mut random, 120);
            let first = if filter.must_read(id, Millis(now)).unwrap() {
                store.read_and_write(id, now)
            } else {
                store.write(id, now);
                true
            };
            assert_eq!(first, alone.read_and_write(id, now), "{id} at {now}");
            firsts += u64::from(first);
        }
        let (checked, spared) = filter.counts();
        assert_eq!((checked, spared), (100_000, 100_000 - store.reads));
        assert_eq!(store.writes, alone.writes, "never a write is spared");
        assert!(spared > 0 && spared <= firsts, "{spared} of {firsts}");
    }
}

#[test]
fn new_ids_spare_the_store_nearly_all_reads() {
    let config = Window::bloom(WINDOW, 70_000, 0.01);
    let mut filter = ReadFilter::new(config).unwrap();
    let mut reads = 0;
    for id in 0..700_000_u64 {
        let must_read = filter.must_read(id, Millis(id / 10)).unwrap();
        assert!(must_read || id >= 70_000, "{id}: not known yet");
        reads += u64::from(must_read && id >= 70_000);
    }
    assert!(reads < 630_000 / 100, "{reads} needless reads");
    let said = filter.needless_read_rate();
    assert!((0.005..0.011).contains(&said), "{said}");
    assert!(filter.memory_bytes() < 70_000 * 19 / 8);
    assert_eq!(filter.window(), WINDOW);
}

#[test]
fn a_store_that_fails_is_read_at_the_next_delivery() {
    let mut filter = ReadFilter::new(Window::bloom(WINDOW, 1_000, 0.001)).unwrap();
    filter.must_read("warm", Millis(0)).unwrap();
    assert!(!filter.must_read("evt_1", Millis(10_000)).unwrap());
    // The store's write failed.
    assert!(filter.must_read("evt_1", Millis(10_001)).unwrap());
    let wrong = Window::bloom(WINDOW, 1_000, 0.001).on_full(OnFull::Reject);
    assert_eq!(ReadFilter::new(wrong).unwrap_err().code(), "invalid_config");
}
