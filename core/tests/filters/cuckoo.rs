//! What a cuckoo filter holds, refuses, forgets and evicts.

use firstseen::{Error, Fingerprint, Key, Millis, OnFull, Verdict, Window};

use super::{rejected_once_more, stats, WINDOW};

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
