//! The same id with another body.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::HashMap;

use firstseen::{Millis, Now, OnFull, Verdict, Window};

fn below(random: &mut u64, n: u64) -> u64 {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    *random % n
}

/// Against a window without bodies, and a map of the body that each id was accepted with.
#[test]
fn a_conflict_is_a_duplicate_whose_body_differs() {
    for seed in 1..=40 {
        let mut random = seed;
        let mut config = Window::exact(Millis(6_000)).bucket(Millis(100));
        if seed % 3 > 0 {
            config = config.max_ids(40);
        }
        if seed % 3 == 1 {
            config = config.on_full(OnFull::Reject);
        }
        let mut plain = config.clone().build().unwrap();
        let mut window = config.detect_conflicts(true).build().unwrap();
        let mut bodies: HashMap<u64, Option<u64>> = HashMap::new();
        let (mut now, mut conflicts, mut kept) = (0, 0, 0);
        for turn in 0..5_000 {
            now += match below(&mut random, 60) {
                0 => below(&mut random, 9_000),
                1..=20 => below(&mut random, 200),
                _ => 0,
            };
            let (id, body) = (below(&mut random, 90), below(&mut random, 2));
            let told = Millis(now);
            let context = format!("seed {seed}, turn {turn}, id {id}");
            match below(&mut random, 12) {
                0 => assert_eq!(window.forget(id), plain.forget(id), "{context}"),
                1 => {
                    let verdict = window.observe(id, told, None);
                    assert_eq!(verdict, plain.observe(id, told, None), "{context}");
                    if verdict == Ok(Verdict::First) {
                        bodies.insert(id, None);
                    }
                }
                2 if below(&mut random, 100) == 0 => {
                    window.clear();
                    plain.clear();
                }
                _ => {
                    let verdict = window.observe_body(id, &body.to_le_bytes(), told, None);
                    let mut expected = plain.observe(id, told, None);
                    if expected == Ok(Verdict::First) {
                        bodies.insert(id, Some(body));
                        kept += 1;
                    }
                    if let Ok(Verdict::Duplicate { age }) = expected {
                        if bodies
                            .get(&id)
                            .copied()
                            .flatten()
                            .is_some_and(|kept| kept != body)
                        {
                            expected = Ok(Verdict::Conflict { age });
                            conflicts += 1;
                        }
                    }
                    assert_eq!(verdict, expected, "{context}");
                }
            }
            let (got, without) = (window.stats(told).unwrap(), plain.stats(told).unwrap());
            assert_eq!(got.conflict, conflicts, "{context}");
            assert_eq!(got.duplicate + got.conflict, without.duplicate, "{context}");
            assert_eq!((got.checked, got.first), (without.checked, without.first));
            assert!(
                got.memory_bytes < without.memory_bytes + 65_536,
                "{context}"
            );
        }
        assert!(conflicts > 100 && kept > 100, "{conflicts}, {kept}");
    }
}

#[test]
fn bodies_cost_what_is_said_and_are_given_back() {
    let bytes = |window: &Window| window.stats(Now::Unsaid).unwrap().memory_bytes as f64;
    let mut worst = (f64::INFINITY, 0.0_f64);
    // So that the tables of a bucket are full to all degrees.
    for rate in [14, 15, 17, 20, 24, 27] {
        let mut window = Window::exact(Millis(60_000))
            .detect_conflicts(true)
            .build()
            .unwrap();
        let mut plain = Window::exact(Millis(60_000)).build().unwrap();
        for id in 0..rate * 50_000_u64 {
            let (now, body) = (Millis(id / rate), id.to_le_bytes());
            plain.first_seen(id, now).unwrap();
            assert_eq!(
                window.observe_body(id, &body, now, None),
                Ok(Verdict::First)
            );
            if id > 300_000 && id % 10_007 == 0 {
                let more = (bytes(&window) - bytes(&plain)) / id as f64;
                worst = (worst.0.min(more), worst.1.max(more));
            }
        }
        // An hour later nothing of them is left.
        window.first_seen("later", Millis(3_600_000)).unwrap();
        plain.first_seen("later", Millis(3_600_000)).unwrap();
        assert!(bytes(&window) < bytes(&plain) + 8_192.0);
    }
    println!("{:.1} to {:.1} bytes for each body", worst.0, worst.1);
    assert!(worst.0 > 19.0 && worst.1 < 40.0, "{worst:?}");
}

#[test]
fn bodies_are_for_windows_that_detect_conflicts() {
    let mut window = Window::exact(Millis(60_000)).build().unwrap();
    let refused = window.observe_body("a", b"1", Millis(0), None).unwrap_err();
    assert_eq!(refused.code(), "unsupported");
    assert_eq!(window.stats(Now::Unsaid).unwrap().checked, 0);
    let sharded = Window::exact(Millis(60_000))
        .detect_conflicts(true)
        .build_sharded(8);
    assert_eq!(sharded.map(drop).unwrap_err().code(), "invalid_config");
    // An empty body is one too.
    let mut window = Window::exact(Millis(9))
        .detect_conflicts(true)
        .build()
        .unwrap();
    let mut kind = |body| {
        window
            .observe_body("a", body, Millis(0), None)
            .unwrap()
            .kind()
    };
    assert_eq!(
        [kind(b""), kind(b"1"), kind(b"")],
        ["first", "conflict", "duplicate"]
    );
}
