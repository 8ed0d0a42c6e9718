//! Threads that share one window.
#![cfg(feature = "std")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use firstseen::{Millis, Now, ShardedWindow, Verdict, Window};

fn window(shards: usize) -> ShardedWindow {
    let config = Window::exact(Millis(60_000));
    config.build_sharded(shards).unwrap()
}

/// Runs the same in so many threads, and gives what each returned.
fn in_threads<T: Send>(count: u64, run: impl Fn(u64) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..count).map(|n| scope.spawn(move || run(n))).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    })
}

#[test]
fn sixty_four_threads_find_ten_thousand_firsts() {
    for shards in [1, 16, 256] {
        let window = window(shards);
        let firsts = in_threads(64, |_| {
            let ids = 0..10_000_u64;
            ids.filter(|id| window.first_seen(*id, Millis(5)).unwrap())
                .count()
        });
        assert_eq!(firsts.iter().sum::<usize>(), 10_000);
        let stats = window.stats(Now::Unsaid).unwrap();
        assert_eq!((stats.held, stats.checked), (10_000, 640_000));
    }
}

#[test]
fn batches_and_single_calls_share_ten_thousand_firsts() {
    let window = window(16);
    let firsts = in_threads(16, |thread| {
        let ids: Vec<u64> = (0..10_000).map(|i| (i + thread * 600) % 10_000).collect();
        let mut firsts = 0;
        for batch in ids.chunks(250) {
            if thread % 2 == 0 {
                let answers = window.first_seen_many(batch.iter().copied(), Millis(5));
                firsts += answers.unwrap().iter().filter(|first| **first).count();
            } else {
                let first = |id: &&u64| window.first_seen(**id, Millis(5)).unwrap();
                firsts += batch.iter().filter(first).count();
            }
        }
        firsts
    });
    assert_eq!(firsts.iter().sum::<usize>(), 10_000);
}

/// Each thread's clock runs a little apart, buckets pass, and ids are asked for again within the promise: none may be first twice.
#[test]
fn no_id_is_first_twice_within_the_window_while_time_goes_on() {
    let window = window(8);
    window.advance(Millis(0)).unwrap();
    let (clock, latest) = (AtomicU64::new(0), AtomicU64::new(0));
    let firsts = in_threads(8, |thread| {
        let mut firsts = 0;
        for round in 0..4_000_u64 {
            let now = clock.fetch_add(1, Ordering::Relaxed);
            let now = now.saturating_sub(thread * 300);
            latest.fetch_max(now, Ordering::Relaxed);
            let (id, now) = (round, Millis(now));
            firsts += u64::from(window.first_seen(id, now).unwrap());
            if round % 500 == 0 {
                window.advance(now).unwrap();
                assert!(window.contains(id).unwrap());
                assert!(!window.check(id, now).unwrap().is_first());
            }
        }
        firsts
    });
    // At most 32 000 ms have passed: nothing has expired.
    assert_eq!(firsts.iter().sum::<u64>(), 4_000);
    let stats = window.stats(Now::Unsaid).unwrap();
    assert_eq!((stats.held, stats.expired), (4_000, 0));
    assert_eq!(stats.effective_window_ms, latest.into_inner());
}

#[test]
fn figures_and_clearing_go_on_beside_records() {
    let window = window(4);
    in_threads(4, |thread| {
        for id in 0..2_000_u64 {
            if thread == 0 {
                let stats = window.stats(Now::Unsaid).unwrap();
                assert_eq!(stats.first, stats.held + stats.forgotten + stats.expired);
                if id % 100 == 0 {
                    window.clear();
                }
            } else {
                window.first_seen(id, Millis(id)).unwrap();
            }
        }
    });
    let stats = window.stats(Now::Unsaid).unwrap();
    assert_eq!((stats.checked, stats.held), (6_000, window.len()));
}

#[test]
fn a_thread_that_panics_leaves_the_window_to_the_others() {
    let window = window(2);
    let printer = window.fingerprinter();
    let keys: Vec<_> = (0..100_u64).map(|id| printer.key(id).unwrap()).collect();
    let caught = in_threads(1, |_| {
        let give_up =
            |_: Verdict| -> () { std::panic::resume_unwind(Box::new("the sink gives up")) };
        let record = || window.record_many(&keys, Millis(5), give_up);
        catch_unwind(AssertUnwindSafe(record)).is_err()
    });
    assert_eq!(caught, [true]);
    assert_eq!(window.len(), 100, "all were recorded before the sink heard");
    let ids = 0..200_u64;
    let firsts = window.first_seen_many(ids, Millis(6)).unwrap();
    assert_eq!(firsts.iter().filter(|first| **first).count(), 100);
}

#[test]
fn the_first_recording_call_of_any_thread_decides_whether_times_are_told() {
    let window = window(256);
    assert!(window.first_seen(1_u64, Now::Clock(Millis(5))).unwrap());
    for id in 0..1_000_u64 {
        let told = window.first_seen(id, Millis(5)).unwrap_err();
        assert_eq!(told.code(), "invalid_time");
    }
    assert_eq!(window.len(), 1);
    window.first_seen(2_u64, Now::Clock(Millis(9))).unwrap();
    // In a told window, what a clock reads does not matter to any shard.
    let told = self::window(256);
    told.first_seen(1_u64, Millis(5)).unwrap();
    for id in 0..1_000_u64 {
        let answer = told.check(id, Now::Clock(Millis(1_000_000))).unwrap();
        assert_eq!(answer.is_first(), id != 1);
    }
}

/// Window time lies in one word with a base that is moved every 2^16 ms: buckets that are wider have times on both sides.
#[test]
fn wide_buckets_have_one_window_time() {
    let wide = Window::from_buckets(Millis(1_000_000), 3);
    let sharded = wide.clone().build_sharded(4).unwrap();
    let mut plain = wide.max_lateness(Millis(0)).build().unwrap();
    let times = [
        0, 65_535, 65_536, 65_535, 131_072, 3, 999_999, 70_000, 1_000_000,
    ];
    for (id, now) in times.into_iter().enumerate() {
        let id = id as u64;
        assert!(sharded.first_seen(id, Millis(now)).unwrap());
        assert!(plain.first_seen(id, Millis(now)).unwrap());
        let (a, b) = (sharded.stats(Now::Unsaid), plain.stats(Now::Unsaid));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert_eq!(a.effective_window_ms, b.effective_window_ms, "at {now}");
        assert_eq!(a.clock_regressions, b.clock_regressions, "at {now}");
    }
}

/// Each round moves buckets by 2^53 and more. Shards that were left alone since the start have thousands of these to make up for.
#[test]
fn a_clock_that_is_reset_from_end_to_end_again_and_again_overflows_nothing() {
    let config = || Window::from_buckets(Millis(1), 2);
    let mut plain = config().build().unwrap();
    let sharded = config().build_sharded(256).unwrap();
    for id in 0..1_000_u64 {
        let first = sharded.first_seen(id, Millis(0)).unwrap();
        assert_eq!(first, plain.first_seen(id, Millis(0)).unwrap());
    }
    // So many that all moves together are 2^64, but for a little.
    for round in 0..2_048_u64 {
        for (id, now) in [(1_u64, Millis::MAX), (2, Millis(0)), (3, Millis(1))] {
            let first = sharded.first_seen(id, now).unwrap();
            assert_eq!(first, plain.first_seen(id, now).unwrap(), "round {round}");
        }
    }
    for id in 0..1_000_u64 {
        let first = sharded.first_seen(id, Millis(1)).unwrap();
        assert_eq!(first, plain.first_seen(id, Millis(1)).unwrap(), "{id}");
    }
    let figures = |stats: Result<firstseen::Stats, _>| {
        let stats = stats.unwrap();
        (
            stats.first,
            stats.held,
            stats.clock_resets,
            stats.effective_window_ms,
        )
    };
    let (plain, sharded) = (plain.stats(Now::Unsaid), sharded.stats(Now::Unsaid));
    assert_eq!(figures(sharded), figures(plain));
}

#[test]
fn a_sharded_window_says_what_it_cannot_be() {
    let config = || Window::exact(Millis(60_000));
    for shards in [0, 3, 512, usize::MAX] {
        let error = config().build_sharded(shards).unwrap_err();
        assert_eq!(error.code(), "invalid_config", "{shards}");
    }
    let capped = config().max_ids(10).build_sharded(4).unwrap_err();
    assert!(capped.to_string().contains("max_ids"), "{capped}");
    assert_eq!(
        Window::exact(Millis(0))
            .build_sharded(4)
            .unwrap_err()
            .code(),
        "invalid_config"
    );
    let shown = format!("{:?}", config().build_sharded(4).unwrap());
    assert!(
        shown.starts_with("ShardedWindow { shards: 4, window_ms: 60000"),
        "{shown}"
    );
}
