//! Filters: the rates that they promise, and faults that users reported of others.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cuckoo;
mod in_front;
mod rates;
mod sizes;

use firstseen::{Memory, Millis, Now, OnFull, Stats, Window};

fn stats<M: Memory>(window: &Window<M>) -> Stats {
    window.stats(Now::Unsaid).unwrap()
}

/// What `full` changes.
fn rejected_once_more(mut stats: Stats) -> Stats {
    stats.checked += 1;
    stats.rejected += 1;
    stats
}

const WINDOW: Millis = Millis(7_000);

#[test]
fn a_batch_is_the_same_as_its_ids_one_by_one() {
    fn compare<M: Memory>(mut single: Window<M>, mut batch: Window<M>) {
        let mut state = 1_u64;
        for round in 0..400 {
            let ids: Vec<u64> = (0..round % 150)
                .map(|_| {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    state >> 51
                })
                .collect();
            let now = Millis(round * 40);
            let expected: Vec<_> = ids
                .iter()
                .map(|id| single.observe(*id, now, None).unwrap())
                .collect();
            assert_eq!(
                batch.observe_many(ids, now).unwrap(),
                expected,
                "round {round}"
            );
            let (mut got, mut expected) = (stats(&batch), stats(&single));
            // A batch makes room for more buckets at once.
            (got.memory_bytes, expected.memory_bytes) = (0, 0);
            assert_eq!(got, expected, "round {round}");
        }
        assert!(stats(&batch).probable_duplicate > 1_000);
    }
    let bloom = || Window::bloom(WINDOW, 2_000, 0.05).build().unwrap();
    compare(bloom(), bloom());
    let cuckoo = || Window::cuckoo(WINDOW, 20_000, 0.05).build().unwrap();
    compare(cuckoo(), cuckoo());
    let config = || Window::cuckoo(WINDOW, 1_000, 0.05).on_full(OnFull::EvictOldest);
    compare(config().build().unwrap(), config().build().unwrap());
}
