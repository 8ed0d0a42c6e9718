//! Models of the places where threads meet, run in every order that they can be run in, by loom:
//! `cargo xtask test --only loom`. Shards and time use loom's primitives then.
//! The memory is the exact one: the simple one is never ready at a glance, so no time would be told calmly.

use alloc::vec::Vec;

use loom::sync::Arc;
use loom::thread;

use crate::{Exact, Key, Millis, Now, ShardedWindow, Stats, Verdict, Window};

type Shared = Arc<ShardedWindow<Exact>>;

/// Buckets of 10 ms; an id is forgotten after two of them.
fn window() -> Shared {
    let config = Window::from_buckets(Millis(10), 2);
    Arc::new(ShardedWindow::new(config, 2).unwrap())
}

/// Keys of the first and of the second shard.
const A: Key = Key(1);
const B: Key = Key(1 << 18 | 1);

fn first(window: &Shared, key: Key, now: u64) -> bool {
    window.record(key, Millis(now), None).unwrap().is_first()
}

fn figures(window: &Shared) -> Stats {
    window.validate();
    window.stats(Now::Unsaid).unwrap()
}

/// Runs the calls, each list in a thread of its own, in every order.
fn model<const THREADS: usize>(
    before: fn(&Shared),
    threads: [fn(&Shared) -> u64; THREADS],
    after: fn(&Shared, [u64; THREADS]),
) {
    loom::model(move || {
        let window = window();
        before(&window);
        let spawned: Vec<_> = threads
            .into_iter()
            .map(|calls| {
                let window = window.clone();
                thread::spawn(move || calls(&window))
            })
            .collect();
        let answers: Vec<u64> = spawned.into_iter().map(|t| t.join().unwrap()).collect();
        after(&window, answers.try_into().unwrap());
    });
}

#[test]
fn one_of_two_threads_is_first() {
    let calls = |window: &Shared| u64::from(first(window, A, 5));
    model(
        |_| {},
        [calls, calls],
        |window, firsts| {
            assert_eq!(firsts.iter().sum::<u64>(), 1);
            let stats = figures(window);
            assert_eq!((stats.first, stats.duplicate), (1, 1));
        },
    );
}

#[test]
fn window_time_is_the_latest_that_any_thread_told() {
    model(
        |window| assert!(first(window, A, 0)),
        [
            |window| u64::from(first(window, A, 7)),
            |window| u64::from(first(window, B, 9)),
        ],
        |window, firsts| {
            assert_eq!(firsts, [0, 1]);
            let stats = figures(window);
            assert_eq!((stats.effective_window_ms, stats.clock_regressions), (9, 0));
        },
    );
}

/// A late thread must neither take window time back nor be lost, nor count as a regression unless it came second.
#[test]
fn a_new_bucket_and_a_time_of_the_old_one_come_in_some_order() {
    model(
        |window| {
            first(window, A, 0);
            first(window, B, 0);
        },
        [
            |window| u64::from(first(window, A, 20)),
            |window| u64::from(first(window, B, 8)),
        ],
        |window, firsts| {
            let stats = figures(window);
            // If the late thread came second, its id was first again, in the newest bucket.
            assert_eq!(firsts, [1, stats.clock_regressions]);
            assert_eq!(stats.held, 1 + stats.clock_regressions);
            assert_eq!(stats.expired, 2);
            let held = |key| !window.look_up(key, Millis(39)).unwrap().is_first();
            assert_eq!([A, B].map(held), [true, firsts[1] == 1]);
        },
    );
}

/// A suspicion leaves window time as it is, also as it is told at that moment.
#[test]
fn a_suspicion_loses_no_time_that_is_told_beside_it() {
    model(
        |window| {
            first(window, A, 1000);
            first(window, B, 1000);
        },
        [
            |window| u64::from(first(window, A, 100)),
            |window| u64::from(first(window, B, 1009)),
        ],
        |window, firsts| {
            assert_eq!(firsts, [0, 0]);
            let stats = figures(window);
            assert_eq!((stats.effective_window_ms, stats.clock_regressions), (9, 1));
        },
    );
}

/// A time told by the scale before a re-anchoring must not come into the scale after it.
#[test]
fn a_re_anchoring_and_a_calm_time_come_in_some_order() {
    model(
        |window| {
            first(window, A, 1000);
            first(window, B, 1000);
        },
        [
            // Far behind: the suspect. The next one that is so far behind, and a bucket later, re-anchors.
            |window| u64::from(first(window, A, 100)) + u64::from(first(window, A, 110)),
            |window| u64::from(first(window, B, 1009)),
        ],
        |window, [by_a, by_b]| {
            let stats = figures(window);
            assert_eq!(by_a, 0, "a re-anchoring forgets nothing");
            let before = (1, 0, 0);
            let between = (0, 0, 9);
            let after = (1, 1, 10);
            let got = (stats.clock_resets, by_b, stats.effective_window_ms);
            assert!([before, between, after].contains(&got), "{got:?}");
            assert_eq!(stats.clock_regressions + stats.clock_resets, 2);
        },
    );
}

#[test]
fn batches_lose_nothing_to_each_other() {
    let calls = |window: &Shared| {
        let mut firsts = 0;
        let sink = |verdict: Verdict| firsts += u64::from(verdict.is_first());
        window.record_many(&[A, B, A], Millis(5), sink).unwrap();
        firsts
    };
    model(
        |_| {},
        [calls, calls],
        |window, firsts| {
            assert_eq!(firsts.iter().sum::<u64>(), 2);
            assert_eq!(figures(window).duplicate, 4);
        },
    );
}

#[test]
fn figures_and_clearing_see_a_window_at_rest() {
    model(
        |window| {
            first(window, A, 0);
        },
        [
            |window| {
                let stats = window.stats(Now::Unsaid).unwrap();
                assert_eq!(
                    stats.checked,
                    stats.held + stats.duplicate + stats.forgotten
                );
                window.clear();
                stats.held
            },
            |window| u64::from(first(window, B, 3)) + u64::from(first(window, A, 3)),
        ],
        |window, [seen, firsts]| {
            let stats = figures(window);
            assert!((1..=2).contains(&seen));
            assert_eq!(stats.forgotten + stats.held, stats.first);
            assert_eq!(stats.first, 1 + firsts);
        },
    );
}
