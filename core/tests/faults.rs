//! Faults that users reported of systems like this one, where no shared vector can express them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use firstseen::{
    fingerprint, fingerprint_json, Fingerprint, JsonOptions, Millis, Now, OnFull, Secret, Steady,
    Window,
};

/// A checksum of 32 bits, as some use for an id: it takes different payloads for one.
fn adler32(bytes: &[u8]) -> u32 {
    let (mut a, mut b) = (1, 0);
    for byte in bytes {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    b << 16 | a
}

#[test]
fn distinct_payloads_have_distinct_fingerprints_where_a_checksum_merges_thousands() {
    let secret = Secret::default();
    let bodies =
        (0..100_000).map(|i| format!(r#"{{"id":{i},"amount":{},"paid":true}}"#, i * 7 % 1000));
    let (mut prints, mut kept, mut checksums) = (HashSet::new(), HashSet::new(), HashSet::new());
    for body in bodies {
        let print = fingerprint(&body, &secret).unwrap();
        prints.insert(print.to_bytes());
        kept.insert(print.key().to_u64());
        checksums.insert(adler32(body.as_bytes()));
    }
    assert_eq!((prints.len(), kept.len()), (100_000, 100_000));
    assert!(checksums.len() < 95_000, "{} checksums", checksums.len());
}

#[test]
fn distinct_json_payloads_have_distinct_fingerprints_where_a_checksum_merges_thousands() {
    let options = JsonOptions::new().ignore(&["/attempt"]);
    let mut prints = HashSet::new();
    for i in 0..100_000 {
        let amount = i * 7 % 1000;
        let body = format!(r#"{{"id":{i},"amount":{amount},"paid":true,"attempt":1}}"#);
        let again = format!(r#"{{ "attempt": 2, "paid": true, "amount": {amount}.0, "id": {i} }}"#);
        let print = fingerprint_json(&body, &options).unwrap();
        assert_eq!(print, fingerprint_json(&again, &options).unwrap());
        prints.insert(print.to_bytes());
    }
    assert_eq!(prints.len(), 100_000);
}

#[test]
fn memory_falls_after_a_burst_of_a_million() {
    let mut window = Window::exact(Duration::from_secs(60)).build().unwrap();
    for id in 0..1_000_000_u64 {
        window.first_seen(id, Millis(id / 1000)).unwrap();
    }
    let peak = window.stats(Now::Unsaid).unwrap().memory_bytes;
    for second in 2..242 {
        window
            .first_seen(10_000_000 + second, Millis(second * 1000))
            .unwrap();
    }
    let stats = window.stats(Now::Unsaid).unwrap();
    assert_eq!(stats.held, 61);
    assert!(peak > 10_000_000, "{peak} bytes at the peak");
    assert!(
        stats.memory_bytes < 64 * 1024,
        "{} bytes",
        stats.memory_bytes
    );
}

#[test]
fn a_batch_of_a_million_leaves_no_more_than_its_ids() {
    let mut window = Window::exact(Duration::from_secs(60)).build().unwrap();
    window.first_seen_many(0..1_000_000_u64, Millis(0)).unwrap();
    let bytes = window.stats(Now::Unsaid).unwrap().memory_bytes;
    assert!(bytes <= 18_000_000, "{bytes} bytes");
    assert!(!window.first_seen(7_u64, Millis(1)).unwrap());

    let shared = Window::exact(Duration::from_secs(60))
        .build_sharded(4)
        .unwrap();
    shared.first_seen_many(0..1_000_000_u64, Millis(0)).unwrap();
    let bytes = shared.stats(Now::Unsaid).unwrap().memory_bytes;
    assert!(bytes <= 18_000_000, "{bytes} bytes in four shards");
}

#[test]
fn memory_follows_a_load_that_falls_to_a_hundredth() {
    let mut window = Window::exact(Duration::from_secs(60)).build().unwrap();
    let mut id = 0_u64;
    for second in 0..120 {
        for _ in 0..20_000 {
            id += 1;
            window.first_seen(id, Millis(second * 1000)).unwrap();
        }
    }
    for second in 120..360 {
        for _ in 0..200 {
            id += 1;
            window.first_seen(id, Millis(second * 1000)).unwrap();
        }
    }
    let stats = window.stats(Now::Unsaid).unwrap();
    assert_eq!(stats.held, 61 * 200);
    let most = 4 * stats.held * 16 + 64 * 1024;
    assert!(
        stats.memory_bytes <= most,
        "{} bytes, {most} allowed",
        stats.memory_bytes
    );
}

#[test]
fn a_clock_that_does_not_count_sleep_is_moved_forward_by_the_wall_clock() {
    let mut clock = Steady::new(Millis(1_000), 0, 1_000_000);
    assert_eq!(clock.now(10, 1_000_010), Millis(1_000_010));
    // An hour of suspend, which only the wall clock sees.
    assert_eq!(clock.now(20, 4_600_020), Millis(4_600_020));
    // The wall clock is set back: time neither stops nor goes back.
    assert_eq!(clock.now(520, 1_000_000), Millis(4_600_520));
    // It leads a little: not yet enough to follow.
    assert_eq!(clock.now(530, 4_601_000), Millis(4_600_530));
}

#[test]
fn sixty_four_threads_find_ten_thousand_firsts() {
    let window = Mutex::new(Window::exact(Duration::from_secs(60)).build().unwrap());
    let firsts: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..64)
            .map(|_| {
                scope.spawn(|| {
                    let ids = 0..10_000_u64;
                    ids.filter(|id| window.lock().unwrap().first_seen(*id, Millis(5)).unwrap())
                        .count()
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    assert_eq!(firsts, 10_000);
}

#[test]
fn a_jump_of_five_years_is_one_step() {
    let mut window = Window::from_buckets(Millis(1), 250).build().unwrap();
    let five_years = 5 * 365 * 24 * 3600 * 1000;
    // Bucket by bucket this would be 10^14 steps, and never end.
    for step in 0..1_000 {
        assert!(window.first_seen("evt", Millis(step * five_years)).unwrap());
    }
}

#[test]
fn handling_a_duplicate_does_not_erase_the_original() {
    let mut window = Window::exact(Duration::from_secs(60)).build().unwrap();
    assert!(window.first_seen("evt", Millis(0)).unwrap());
    for second in 1..60 {
        assert!(!window.first_seen("evt", Millis(second * 1000)).unwrap());
        assert!(window.contains("evt").unwrap());
        // Asking about it, and about others, changes nothing either.
        window.check("evt", Millis(second * 1000)).unwrap();
        assert!(!window.forget("another").unwrap());
    }
    assert_eq!(
        (window.len(), window.stats(Now::Unsaid).unwrap().first),
        (1, 1)
    );
}

#[test]
fn a_cap_never_shortens_the_window_in_silence() {
    let mut window = Window::exact(Duration::from_secs(60))
        .max_ids(1_000)
        .on_full(OnFull::EvictOldest)
        .build()
        .unwrap();
    window.advance(Millis(0)).unwrap();
    for id in 0..100_000_u64 {
        window.first_seen(id, Millis(60_000 + id)).unwrap();
        let stats = window.stats(Now::Unsaid).unwrap();
        assert!(stats.held <= 1_000);
        // What the window says of itself is so: every id accepted that recently is held.
        let since = 60_000 + id - stats.effective_window_ms.min(id);
        for recent in [since.saturating_sub(60_000), id] {
            assert!(
                window.contains(recent).unwrap(),
                "{recent} at {id}: {stats:?}"
            );
        }
    }
    assert!(window.stats(Now::Unsaid).unwrap().evicted > 90_000);
}

#[test]
fn a_sink_that_panics_leaves_the_window_whole() {
    let mut window = Window::exact(Duration::from_secs(60)).build().unwrap();
    let printer = window.fingerprinter();
    let prints: Vec<_> = (0..200_u64).map(|id| printer.key(id).unwrap()).collect();
    let mut heard = 0;
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        window.record_many(&prints, Millis(5), |_| {
            heard += 1;
            assert!(heard < 70, "the sink gives up");
        })
    }));
    assert!(caught.is_err());
    let held = (0..200_u64)
        .filter(|id| window.contains(*id).unwrap())
        .count();
    assert_eq!(window.len(), held as u64);
    let forgotten = (0..200_u64)
        .filter(|id| window.forget(*id).unwrap())
        .count();
    assert_eq!((forgotten, window.len()), (held, 0));
}

/// With 64 bits nobody lives to see a collision; with 32 the same code shows that the formula holds.
#[test]
fn narrow_fingerprints_collide_as_often_as_the_formula_says() {
    let secret = Secret::default();
    let mut window = Window::exact(Duration::from_secs(60)).build().unwrap();
    let (mut duplicates, mut expected) = (0_u64, 0.0);
    for id in 0..400_000_u64 {
        // 32 bits of a fingerprint, spread over the 64 that are kept.
        let cut = fingerprint(id, &secret).unwrap().key().to_u64() & 0xffff_ffff;
        let spread = cut.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let print = Fingerprint::from_bytes(u128::from(spread).to_le_bytes());
        expected += window.len() as f64 / 4_294_967_296.0;
        let verdict = window.record(print.key(), Millis(0), None).unwrap();
        duplicates += u64::from(!verdict.is_first());
    }
    // 18.6 expected; five standard deviations of a Poisson variable are 21.6.
    assert!(
        (duplicates as f64 - expected).abs() < 5.0 * expected.sqrt(),
        "{duplicates}, {expected}"
    );
    assert!(duplicates > 0);
}

/// Recorded before the effect, the effect fails, and the redelivery is dropped: claimed and released, it is first again.
#[test]
fn an_effect_that_fails_leaves_the_event_first() {
    let mut window = Window::exact(Millis(60_000)).build().unwrap();
    for attempt in 0..3 {
        let guard = window
            .guard("evt_1", Millis(10_000), Millis(attempt), None)
            .unwrap();
        assert!(guard.is_first(), "attempt {attempt}");
    }
    let guard = window
        .guard("evt_1", Millis(10_000), Millis(9), None)
        .unwrap();
    guard.commit(Millis(9)).unwrap();
    let again = window.guard("evt_1", Millis(10_000), Millis(9), None);
    assert_eq!(again.unwrap().verdict().kind(), "duplicate");
}

/// Another's delivery does not free the claim: only its token does.
#[test]
fn only_the_token_of_a_claim_frees_it() {
    let mut window = Window::exact(Millis(60_000)).build().unwrap();
    let mut claim = |now| {
        window
            .guard("evt_1", Millis(10_000), Millis(now), None)
            .map(|guard| (guard.verdict().kind(), guard.token()))
            .unwrap()
    };
    let (kind, token) = claim(0);
    assert_eq!((kind, token.is_some()), ("first", true));
    // That guard released it; so by tokens alone:
    let first = window.claim("evt_1", Millis(10_000), Millis(0), None);
    let token = first.unwrap().token.unwrap();
    let second = window.claim("evt_1", Millis(10_000), Millis(1), None);
    assert_eq!(second.unwrap().token, None);
    // The second has nothing to release, and dropping its guard does nothing.
    drop(window.guard("evt_1", Millis(10_000), Millis(2), None));
    let third = window.claim("evt_1", Millis(10_000), Millis(3), None);
    assert_eq!(third.unwrap().verdict.kind(), "in_flight");
    window.release(token).unwrap();
    let fourth = window.claim("evt_1", Millis(10_000), Millis(4), None);
    assert!(fourth.unwrap().token > Some(token));
}

/// A killed worker blocks the id no longer than its lease, and its late commit and release are refused.
#[test]
fn a_lease_that_ran_out_is_lost_to_the_next_claim() {
    let mut window = Window::exact(Millis(60_000)).build().unwrap();
    let claim = |window: &mut Window, now| {
        let claim = window.claim("evt_1", Millis(10_000), Millis(now), None);
        claim.unwrap()
    };
    let killed = claim(&mut window, 0).token.unwrap();
    assert_eq!(claim(&mut window, 5_000).verdict.kind(), "in_flight");
    let second = claim(&mut window, 11_000).token.unwrap();
    for lost in [
        window.commit(killed, Millis(12_000)),
        window.release(killed),
        window.renew(killed, Millis(10_000), Millis(12_000)),
    ] {
        assert_eq!(lost.unwrap_err().code(), "lease_lost");
    }
    window.commit(second, Millis(12_000)).unwrap();
    assert_eq!(claim(&mut window, 13_000).verdict.kind(), "duplicate");
    let stats = window.stats(Millis(13_000)).unwrap();
    assert_eq!((stats.leases_expired, stats.pending, stats.held), (1, 0, 1));
}
