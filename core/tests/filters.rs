//! Filters: the rates that they promise, and faults that users reported of others.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use firstseen::sizing::{BloomSize, CuckooSize};
use firstseen::{
    Bloom, Error, Fingerprint, Key, Memory, Millis, Now, OnFull, Stats, Verdict, Window,
};

fn stats<M: Memory>(window: &Window<M>) -> Stats {
    window.stats(Now::Unsaid).unwrap()
}

/// What `full` changes.
fn rejected_once_more(mut stats: Stats) -> Stats {
    stats.checked += 1;
    stats.rejected += 1;
    stats
}

/// Offers new ids, `rate` in 1000 ms, evenly over `windows` windows of 7 s after a first one: how many, and how many were lost.
/// The mean of what the window says of itself beside.
fn new_ids<M: Memory>(window: &mut Window<M>, rate: u64, windows: u64) -> (u64, u64, f64) {
    let each = 7 * rate;
    let (mut lost, mut said, mut asked) = (0, 0.0, 0);
    for id in 0..each * (windows + 1) + rate {
        let first = window.first_seen(id, Millis(id * 1000 / rate)).unwrap();
        if id >= each + rate {
            lost += u64::from(!first);
            if id % (rate / 16) == 0 {
                said += stats(window).estimated_false_drop_rate;
                asked += 1;
            }
        }
    }
    (each * windows, lost, said / f64::from(asked))
}

const WINDOW: Millis = Millis(7_000);

/// Fault 26: the rates of the generations add up; over the whole window they must stay below the one configured.
#[test]
fn the_generations_of_a_bloom_filter_together_keep_the_rate_over_ten_windows() {
    for (rate, p) in [(20_000, 0.05), (20_000, 0.01), (40_000, 0.001)] {
        let mut window = Window::bloom(WINDOW, 7 * rate, p).build().unwrap();
        let (offered, lost, said) = new_ids(&mut window, rate, 10);
        let measured = lost as f64 / offered as f64;
        assert!(measured <= p, "{measured} at {p}");
        // Not by being much larger than need be.
        assert!(measured >= 0.75 * p, "{measured} at {p}");
        let ratio = said / measured;
        assert!((0.9..1.1).contains(&ratio), "says {said}, is {measured}");
        assert_eq!(
            stats(&window).probable_duplicate,
            stats(&window).checked - stats(&window).first
        );
    }
}

#[test]
fn a_cuckoo_filter_keeps_the_rate_over_ten_windows() {
    for p in [0.05, 0.01, 0.001] {
        let rate = 20_000;
        let mut window = Window::cuckoo(WINDOW, 7 * rate, p).build().unwrap();
        let (offered, lost, said) = new_ids(&mut window, rate, 10);
        let measured = lost as f64 / offered as f64;
        assert!(measured <= p, "{measured} at {p}");
        let ratio = said / measured;
        assert!((0.9..1.1).contains(&ratio), "says {said}, is {measured}");
    }
}

/// Fault 25: sequential ids and a number of lines that is a power of two.
#[test]
fn sequential_ids_in_a_power_of_two_of_lines_keep_the_rate() {
    let p = 0.01;
    let ids = (1..).map(|n| n * 7).find(|n| {
        let lines = BloomSize::new(*n, 64, p).unwrap().lines;
        lines >= 2_048 && lines.is_power_of_two()
    });
    let rate = ids.unwrap() / 7;
    let mut window = Window::bloom(WINDOW, 7 * rate, p).build().unwrap();
    let (offered, lost, _) = new_ids(&mut window, rate, 10);
    assert!(
        (lost as f64) < 1.3 * p * offered as f64,
        "{lost} of {offered}"
    );
    let ids = (1..).find(|n| CuckooSize::new(*n, 8, p).unwrap().lines == 2_048);
    let rate = ids.unwrap() / 7;
    let config = Window::cuckoo(WINDOW, 7 * rate, p).bucket(Millis(1_000));
    let mut window = config.build().unwrap();
    let (offered, lost, _) = new_ids(&mut window, rate, 10);
    assert!(
        (lost as f64) < 1.3 * p * offered as f64,
        "{lost} of {offered}"
    );
}

/// Fault 21: a full filter forgets an older id. Here every earlier one is still present, and the refused one is not.
#[test]
fn a_cuckoo_filter_that_is_full_has_forgotten_nothing() {
    for (expected, p) in [(1, 0.01), (50, 1e-6), (1_000, 1e-9), (20_000, 1e-9)] {
        let mut window = Window::cuckoo(WINDOW, expected, p).build().unwrap();
        let mut accepted = Vec::new();
        let refused = (0_u64..).find(|id| match window.first_seen(*id, Millis(5)) {
            Ok(first) => {
                if first {
                    accepted.push(*id);
                }
                false
            }
            Err(error) => {
                assert_eq!(error.code(), "full");
                true
            }
        });
        let refused = refused.unwrap();
        assert!(
            accepted.len() as u64 >= expected,
            "{} of {expected}",
            accepted.len()
        );
        let before = stats(&window);
        let again = window.first_seen(refused, Millis(5)).unwrap_err();
        assert_eq!(
            again,
            Error::Full {
                held: window.len(),
                max_ids: None
            }
        );
        let after = stats(&window);
        assert_eq!(after, rejected_once_more(before));
        assert!(!window.contains(refused).unwrap());
        for id in &accepted {
            assert!(window.contains(*id).unwrap(), "{id} of {expected}");
        }
        // When their time is over there is room again.
        assert!(window.first_seen(refused, Millis(20_000)).unwrap());
        assert_eq!(window.len(), 1);
    }
}

#[test]
fn a_batch_that_does_not_fit_records_none_of_its_ids() {
    let mut window = Window::cuckoo(WINDOW, 1_000, 1e-9).build().unwrap();
    let mut next = 0_u64;
    let refused = loop {
        let before = stats(&window);
        // Repeats, and ids that are held, take no room.
        let batch = (next.saturating_sub(3)..next + 100).chain(next..next + 10);
        match window.observe_many(batch.clone(), Millis(5)) {
            Ok(verdicts) => {
                for (verdict, place) in verdicts.iter().zip(0_u64..) {
                    let first = (next.min(3)..next.min(3) + 100).contains(&place);
                    assert_eq!(verdict.is_first(), first, "{place} from {next}");
                }
            }
            Err(error) => {
                assert_eq!(
                    error,
                    Error::Full {
                        held: next,
                        max_ids: None
                    }
                );
                assert_eq!(stats(&window), rejected_once_more(before));
                break batch;
            }
        }
        next += 100;
    };
    assert!(next >= 1_000);
    for id in refused {
        assert_eq!(window.contains(id).unwrap(), id < next, "{id} of {next}");
    }
    assert!((0..next).all(|id| window.contains(id).unwrap()));
}

/// Fault 22: to forget an id that was never added removes another's, at the odds of a false drop and not more.
#[test]
fn forgetting_a_stranger_forgets_another_at_the_stated_odds() {
    let p = 0.01;
    let mut window = Window::cuckoo(WINDOW, 50_000, p).build().unwrap();
    for id in 0..50_000_u64 {
        window.first_seen(id, Millis(id / 8)).unwrap();
    }
    let (mut expected, mut forgotten) = (0.0, 0);
    for stranger in 1_000_000..1_200_000_u64 {
        expected += stats(&window).estimated_false_drop_rate;
        if window.forget(stranger).unwrap() {
            forgotten += 1;
            // Filled up again, so that the odds stay.
            window
                .first_seen(stranger + 1_000_000, Millis(7_000))
                .unwrap();
        }
    }
    assert!(expected > 500.0, "{expected} expected");
    // Five standard deviations of a Poisson variable.
    let off = (f64::from(forgotten) - expected).abs();
    assert!(
        off < 5.0 * expected.sqrt(),
        "{forgotten}, {expected} expected"
    );
    // Of what was added, each is there to be forgotten.
    let mut window = Window::cuckoo(WINDOW, 50_000, p).build().unwrap();
    let added: Vec<u64> = (0..50_000)
        .filter(|id| window.first_seen(*id, Millis(5)).unwrap())
        .collect();
    assert!(added.iter().all(|id| window.forget(*id).unwrap()));
    assert_eq!(
        (window.len(), stats(&window).forgotten),
        (0, added.len() as u64)
    );
}

fn key(bits: u64) -> Key {
    Fingerprint::from_bytes(u128::from(bits).to_le_bytes()).key()
}

/// Fault 23: two ids that look alike; the second is lost, and forgetting the first harms no third.
#[test]
fn ids_that_look_alike_are_kept_once_and_forgotten_once() {
    let mut window = Window::cuckoo(WINDOW, 1, 0.5).build().unwrap();
    // One line, so that the low 8 bits of a key are all that is kept.
    for (bits, verdict) in [
        (0x0001, Verdict::First),
        (0xab01, Verdict::ProbableDuplicate),
        (0x0002, Verdict::First),
    ] {
        assert_eq!(window.record(key(bits), Millis(5), None), Ok(verdict));
    }
    assert_eq!(window.len(), 2);
    assert_eq!(window.forget_key(key(0xab01)), Ok(true));
    assert_eq!(window.forget_key(key(0x0001)), Ok(false));
    assert!(window.contains_key(key(0x0002)));
    assert_eq!(
        window.record(key(0xab01), Millis(5), None),
        Ok(Verdict::First)
    );
    assert_eq!(window.len(), 2);
}

/// Fault 24: a size that does not fit is refused, not truncated.
#[test]
fn sizes_are_right_up_to_the_last_and_refused_beyond() {
    for p in [0.5, 0.05, 0.01, 0.001, 0.0001, 1e-6] {
        let mut last = (0, 0);
        for power in 0..64 {
            let ids = 1_u64 << power;
            match (BloomSize::new(ids, 64, p), CuckooSize::new(ids, 61, p)) {
                (Ok(bloom), Ok(cuckoo)) => {
                    assert!(bloom.lines > last.0 / 2 && bloom.lines < 1 << 32);
                    assert!(cuckoo.lines > last.1 / 2 && cuckoo.lines < 1 << 32);
                    let full = bloom.false_drop_rate([ids / 7; 8]);
                    assert!(ids < 1_000 || full <= 1.081 * p, "{full} for {ids} at {p}");
                    assert!(cuckoo.false_drop_rate(cuckoo.held) <= p);
                    let slots = cuckoo.lines * u64::from(cuckoo.slots);
                    assert!(cuckoo.held * 10 <= slots * 9 + 9, "{cuckoo:?}");
                    last = (bloom.lines, cuckoo.lines);
                }
                (bloom, cuckoo) => {
                    let errors = [bloom.map(drop), cuckoo.map(drop)].into_iter();
                    let mut errors = errors.filter_map(Result::err);
                    assert!(power > 30 && errors.all(|error| error.code() == "invalid_config"));
                }
            }
        }
        assert!(last.0 > 1 << 29 && last.1 > 1 << 29, "{last:?} at {p}");
    }
}

/// Fault 27: the other line must lead back at odd numbers of lines too.
#[test]
fn cuckoo_filters_of_every_small_size_hold_what_they_are_built_for() {
    for expected in (1..=300_u64).chain([1_000, 3_333]) {
        for p in [0.05, 0.001, 1e-10] {
            let mut window = Window::cuckoo(WINDOW, expected, p).build().unwrap();
            let firsts: Vec<u64> = (0..expected)
                .filter(|id| window.first_seen(*id, Millis(5)).unwrap())
                .collect();
            for id in firsts {
                assert!(window.contains(id).unwrap(), "{id} of {expected} at {p}");
            }
        }
    }
}

/// Fault 28: every configuration is an error or a filter that works.
#[test]
fn configurations_are_refused_or_work() {
    let codes = |ids, p| {
        let bloom = Window::bloom(WINDOW, ids, p).build().map(drop);
        let cuckoo = Window::cuckoo(WINDOW, ids, p).build().map(drop);
        [bloom, cuckoo].map(|built| built.map_err(|error| error.code()))
    };
    let refused = [Err("invalid_config"); 2];
    for p in [
        0.0,
        1.0,
        -0.1,
        0.500_001,
        1e-11,
        f64::NAN,
        f64::INFINITY,
        f64::MIN_POSITIVE,
    ] {
        assert_eq!(codes(1_000, p), refused, "{p}");
    }
    for ids in [0, 1 << 41, u64::MAX] {
        assert_eq!(codes(ids, 0.01), refused, "{ids}");
    }
    assert_eq!(codes(1, 0.5), [Ok(()); 2]);
    assert_eq!(codes(1, 1e-6), [Ok(()); 2]);
    let code = |built: Result<(), Error>| built.unwrap_err().code();
    let bloom = || Window::bloom(WINDOW, 1_000, 0.01);
    let cuckoo = || Window::cuckoo(WINDOW, 1_000, 0.01);
    for wrong in [
        bloom().on_full(OnFull::EvictOldest).build().map(drop),
        bloom().bucket(Millis(28)).build().map(drop),
        bloom().max_step(Millis(0)).build().map(drop),
        cuckoo().on_full(OnFull::Degrade).build().map(drop),
        cuckoo().bucket(Millis(1)).build().map(drop),
        cuckoo()
            .bucket(Millis(30))
            .on_full(OnFull::EvictOldest)
            .build()
            .map(drop),
        Window::exact(WINDOW)
            .on_full(OnFull::Degrade)
            .build()
            .map(drop),
        Window::exact(WINDOW)
            .max_ids(5)
            .on_full(OnFull::Degrade)
            .build()
            .map(drop),
        Window::bloom(Millis(0), 1_000, 0.01).build().map(drop),
    ] {
        assert_eq!(code(wrong), "invalid_config");
    }
    assert_eq!(
        code(Window::bloom(Millis(1 << 53), 9, 0.01).build().map(drop)),
        "invalid_time"
    );
    // A bucket of its own, and windows that no 63rd divides.
    let shape = |window: &Window<Bloom>| (stats(window).bucket_ms, stats(window).buckets);
    assert_eq!(shape(&bloom().build().unwrap()), (112, 64));
    assert_eq!(
        shape(&bloom().bucket(Millis(3_500)).build().unwrap()),
        (3_500, 3)
    );
    assert_eq!(
        shape(&Window::bloom(Millis(10), 9, 0.01).build().unwrap()),
        (1, 11)
    );
    assert_eq!(
        shape(&Window::bloom(Millis(1), 9, 0.01).build().unwrap()),
        (1, 2)
    );
}

/// Fault 28: overfilled, a Bloom filter says so, and still misses no duplicate.
#[test]
fn a_bloom_filter_filled_tenfold_says_so() {
    let mut window = Window::bloom(WINDOW, 7_000, 0.01).build().unwrap();
    let mut rates = Vec::new();
    let mut accepted = Vec::new();
    for id in 0..147_000_u64 {
        let now = if id < 7_000 {
            id
        } else {
            7_000 + (id - 7_000) / 10
        };
        let now = Millis(now);
        if window.first_seen(id, now).unwrap() {
            accepted.push((id, now.0));
        }
        if id % 7_000 == 6_999 {
            rates.push(stats(&window).estimated_false_drop_rate);
        }
    }
    assert!(rates.first() < Some(&0.01), "{rates:?}");
    assert!(rates.last() > Some(&0.5), "{rates:?}");
    assert!(stats(&window).fill_ratio > Some(1.0));
    assert_eq!(stats(&window).max_ids, None);
    for (id, at) in &accepted {
        assert!(
            *at + 7_000 < 20_999 || window.contains(*id).unwrap(),
            "{id} of {at}"
        );
    }
    // What it says is what happens.
    let said = stats(&window).estimated_false_drop_rate;
    let taken = (1_000_000..1_020_000_u64).filter(|id| window.contains(*id).unwrap());
    let ratio = taken.count() as f64 / 20_000.0 / said;
    assert!((0.95..1.05).contains(&ratio), "{ratio}");
}

/// What a new id's chance to be lost is, by asking for many, and by what the window says of itself.
fn asked<M: Memory>(window: &Window<M>, now: Millis) -> (f64, f64) {
    let taken = (1_u64 << 40..(1 << 40) + 50_000)
        .filter(|id| window.check(*id, now).unwrap() != Verdict::First);
    let said = window.stats(now).unwrap().estimated_false_drop_rate;
    (taken.count() as f64 / 50_000.0, said)
}

/// A window's ids come as they like: the rate is kept, or broken by no more than is said of it.
#[test]
fn loads_that_are_not_even_keep_the_rate() {
    let p = 0.01;
    let ids = 70_000_u64;
    // By load: for each of its bursts the time and how many; and by how much the rate may be above the one configured.
    let at_once: &[_] = &[(0, ids)];
    let windows: Vec<_> = (0..10).map(|window| (window * 7_168, ids)).collect();
    let halves: Vec<_> = (0..20).map(|half| (half * 3_600, ids / 2)).collect();
    let trickle = |before: u64| (0..before).map(|at| (at * 70, ids / 2_000));
    let after_a_trickle: Vec<_> = trickle(100).chain([(7_000, ids * 19 / 20)]).collect();
    let seldom = [(0, ids / 10), (3_500, ids / 10), (6_900, ids * 4 / 5)];
    for (name, bursts, above) in [
        ("at once", at_once, 1.0),
        ("at once, each window", &windows, 1.0),
        ("halves", &halves, 1.5),
        ("a trickle, then at once", &after_a_trickle, 2.0),
        ("a tenth, a tenth, the rest", &seldom, 1.5),
    ] {
        let mut window = Window::bloom(WINDOW, ids, p).build().unwrap();
        let (mut next, mut worst) = (0, 0.0_f64);
        for (at, many) in bursts {
            for id in next..next + many {
                window.first_seen(id, Millis(*at)).unwrap();
            }
            next += many;
            let (measured, said) = asked(&window, Millis(*at));
            worst = worst.max(measured);
            assert!(
                (said - measured).abs() < 0.001 + 0.1 * measured,
                "{name}: {said} said, {measured} measured"
            );
        }
        println!("{name}: {:.2} times the rate at most", worst / p);
        assert!(worst < p * above, "{name}: {worst} at {p}");
    }
}

/// Whatever comes, an id is remembered for the window and forgotten after half a ring more.
#[test]
fn generations_are_bounded_in_time_at_any_load() {
    for (bucket, seed) in [
        (112, 1),
        (1_000, 2),
        (7_000, 3),
        (112, 4),
        (112, 5),
        (29, 6),
    ] {
        let config = Window::bloom(WINDOW, 300, 1e-6).bucket(Millis(bucket));
        let mut window = config.build().unwrap();
        let buckets = stats(&window).buckets;
        let mut random = seed;
        let mut below = |n: u64| {
            random = (random ^ (random << 13)) & u64::MAX;
            random ^= random >> 7;
            random ^= random << 17;
            random % n
        };
        let (mut now, mut seen) = (0, Vec::new());
        for id in 0..20_000_u64 {
            now += match below(40) {
                0 => below(3_000),
                1..=4 => below(200),
                _ => 0,
            };
            if window.first_seen(id, Millis(now)).unwrap() {
                seen.push((id, now));
            }
            if id % 50 == 0 {
                let most = (buckets + buckets.div_ceil(2)) * bucket;
                let oldest = stats(&window).oldest_age_ms;
                assert!(oldest < Some(most), "{oldest:?} of {most}");
                seen.retain(|(_, at)| now - at <= 7_000);
                for (id, at) in &seen {
                    let held = window.contains(*id).unwrap();
                    assert!(held, "{id}, seen at {at}, at {now}");
                }
            }
        }
    }
}

#[test]
fn a_bloom_filter_that_rejects_keeps_the_rate_by_refusing() {
    let p = 0.01;
    let config = Window::bloom(WINDOW, 7_000, p).on_full(OnFull::Reject);
    let mut window = config.build().unwrap();
    let (mut refused, mut accepted) = (0, Vec::new());
    // An even load for two windows, then three times as much, in calls and in batches.
    for id in 0..56_000_u64 {
        let now = if id < 14_000 {
            id
        } else {
            14_000 + (id - 14_000) / 3
        };
        match window.first_seen(id, Millis(now)) {
            Ok(true) => accepted.push((id, now)),
            Ok(false) => {}
            Err(error) => {
                assert_eq!(
                    error,
                    Error::Full {
                        held: window.len(),
                        max_ids: None
                    }
                );
                refused += 1;
                assert!(id > 14_000, "an even load is not refused: {id}");
            }
        }
        if id % 64 == 0 {
            let rate = stats(&window).estimated_false_drop_rate;
            // 1.08 by ids recorded; by positions set it swings about that.
            assert!(rate <= 1.12 * p, "{rate} after {id}");
        }
    }
    assert!((20_000..35_000).contains(&refused), "{refused} refused");
    assert_eq!(stats(&window).rejected, refused);
    for (id, at) in &accepted {
        assert!(
            *at + 7_000 < 27_999 || window.contains(*id).unwrap(),
            "{id} of {at}"
        );
    }
    let before = stats(&window);
    let error = window
        .first_seen_many(100_000..110_000_u64, Millis(28_500))
        .unwrap_err();
    assert_eq!(
        error,
        Error::Full {
            held: window.len(),
            max_ids: None
        }
    );
    assert_eq!(stats(&window).first, before.first);
    let firsts = window
        .first_seen_many(100_000..100_100_u64, Millis(30_500))
        .unwrap();
    assert!(firsts.iter().filter(|first| **first).count() > 90);
}

#[test]
fn a_cuckoo_filter_that_evicts_never_forgets_what_it_vouches_for() {
    let config = Window::cuckoo(WINDOW, 2_000, 1e-9).on_full(OnFull::EvictOldest);
    let mut window = config.build().unwrap();
    window.advance(Millis(0)).unwrap();
    // A burst, in which one bucket alone is more than fits; then an even load of three times too much.
    for id in 0..20_000_u64 {
        let now = if id < 5_000 {
            20_000
        } else {
            20_000 + id - 5_000
        };
        assert!(window.first_seen(id, Millis(now)).unwrap());
        let now_stats = stats(&window);
        assert!(window.contains(id).unwrap());
        if id == 4_999 {
            assert!(now_stats.held > 1_500, "evicted in parts: {now_stats:?}");
        }
        let back = now_stats.effective_window_ms.min(now - 20_000);
        let vouched = id - back.min(id.saturating_sub(5_000));
        assert!(
            window.contains(vouched).unwrap(),
            "{vouched} at {id}: {now_stats:?}"
        );
    }
    let end = stats(&window);
    assert_eq!(end.evicted + end.expired + end.held, 20_000);
    assert!(end.evicted > 10_000 && end.rejected == 0, "{end:?}");
    // In a batch as in single calls.
    let firsts = window
        .first_seen_many(50_000..60_000_u64, Millis(40_000))
        .unwrap();
    assert!(firsts.iter().all(|first| *first));
    assert!(window.contains(59_999_u64).unwrap());
}

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

#[test]
fn a_filter_allocates_what_its_size_says() {
    let bloom = Window::bloom(WINDOW, 1_000_000, 0.01).build().unwrap();
    let size = BloomSize::new(1_008_000, 64, 0.01).unwrap();
    assert_eq!(stats(&bloom).memory_bytes, size.bytes());
    let cuckoo = Window::cuckoo(WINDOW, 1_000_000, 0.01).build().unwrap();
    let size = CuckooSize::new(1_002_858, 61, 0.01).unwrap();
    let bases = size.lines.div_ceil(256) * 8;
    assert_eq!(stats(&cuckoo).memory_bytes, size.bytes() + bases);
}
