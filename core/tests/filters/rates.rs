//! The rates that filters promise, at even loads and others.

use firstseen::sizing::{BloomSize, CuckooSize};
use firstseen::{Error, Memory, Millis, OnFull, Verdict, Window};

use super::{stats, WINDOW};

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

/// From six tenths to three times the load that a filter was built for, what it says is what happens.
#[test]
fn the_estimate_is_right_below_and_above_the_load() {
    fn compare<M: Memory>(mut window: Window<M>, rate: u64, load: f64) {
        let (offered, lost, said) = new_ids(&mut window, rate, 5);
        let measured = lost as f64 / offered as f64;
        println!("load {load}: {said:.5} said, {measured:.5} measured, {lost} lost");
        assert!(lost >= 400, "{lost} lost at load {load}");
        assert!(
            (said / measured - 1.0).abs() < 0.2,
            "{said} said, {measured} measured at load {load}"
        );
    }
    let p = 0.01;
    for load in [0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0] {
        let rate = 40_000;
        let expected = (7.0 * rate as f64 / load) as u64;
        let bloom = Window::bloom(WINDOW, expected, p).build().unwrap();
        compare(bloom, rate, load);
        let cuckoo = Window::cuckoo(WINDOW, expected, p).on_full(OnFull::EvictOldest);
        compare(cuckoo.build().unwrap(), rate, load);
    }
    // Where few are lost it is not below half the formula, at full load and evenly.
    for p in [1e-3, 1e-4, 1e-5, 1e-6] {
        let mut window = Window::bloom(WINDOW, 70_000, p).build().unwrap();
        let (_, _, said) = new_ids(&mut window, 10_000, 2);
        assert!((0.5 * p..1.08 * p).contains(&said), "{said} at {p}");
        let mut window = Window::cuckoo(WINDOW, 70_000, p).build().unwrap();
        let (_, _, said) = new_ids(&mut window, 10_000, 2);
        let size = CuckooSize::new(70_000, 61, p).unwrap();
        let formula = size.false_drop_rate(window.len());
        assert!((0.5 * formula..=p).contains(&said), "{said} at {p}");
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
            random ^= random << 13;
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
