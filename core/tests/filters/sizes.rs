//! Sizes and configurations: right, or refused.

use firstseen::sizing::{BloomSize, CuckooSize};
use firstseen::{Bloom, Error, Millis, OnFull, Window};

use super::{stats, WINDOW};

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
