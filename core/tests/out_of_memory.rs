//! An allocation that fails is the error `out_of_memory`, and the refused call has changed nothing.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(unsafe_code, reason = "an allocator that can be told to fail")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use firstseen::{Error, Millis, Now, Sequences, Stats, Window};

thread_local! {
    /// How many more bytes may be allocated on this thread.
    static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

struct Limited;

// SAFETY: every call is passed on to the system's allocator, or refused with a null pointer.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let left = LEFT.get();
        if left < layout.size() {
            return std::ptr::null_mut();
        }
        if left != usize::MAX {
            LEFT.set(left - layout.size());
        }
        // SAFETY: the caller's contract is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the system's.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Runs with so many bytes left to allocate.
fn limited<T>(bytes: usize, run: impl FnOnce() -> T) -> T {
    LEFT.set(bytes);
    let result = run();
    LEFT.set(usize::MAX);
    result
}

fn stats(window: &Window) -> Stats {
    window.stats(Now::Unsaid).unwrap()
}

#[test]
fn a_refused_call_changes_nothing_and_the_window_goes_on_afterwards() {
    for bytes in [0, 100, 300, 700, 2_000, 10_000, 100_000, 1_000_000] {
        let mut window = Window::exact(Millis(60_000)).build().unwrap();
        let mut accepted = Vec::with_capacity(100_000);
        let refused = limited(bytes, || {
            (0..100_000_u64).find(|id| match window.first_seen(*id, Millis(1_000)) {
                Ok(first) => {
                    assert!(first);
                    accepted.push(*id);
                    false
                }
                Err(error) => {
                    assert_eq!(error, Error::OutOfMemory);
                    true
                }
            })
        });
        assert_eq!(stats(&window).checked, accepted.len() as u64);
        // Nothing that was accepted is lost, and the refused id was not recorded.
        assert!(accepted.iter().all(|id| window.contains(*id).unwrap()));
        let Some(refused) = refused else {
            assert_eq!(
                bytes, 1_000_000,
                "{bytes} bytes hold a hundred thousand ids"
            );
            continue;
        };
        assert!(!window.contains(refused).unwrap());
        let before = stats(&window);
        let again = limited(0, || window.first_seen(refused, Millis(9_000)));
        assert_eq!(again, Err(Error::OutOfMemory));
        assert_eq!(stats(&window), before);
        // With memory it goes on.
        for id in 0..50_000_u64 {
            let first = window.first_seen(id, Millis(9_000)).unwrap();
            assert_eq!(
                first,
                id >= accepted.len() as u64,
                "{id} after {bytes} bytes"
            );
        }
        assert_eq!(stats(&window).held, 50_000.max(accepted.len() as u64));
    }
}

#[test]
fn a_filter_for_which_there_is_no_memory_is_not_built() {
    for bytes in [0, 1_000, 1_000_000] {
        let bloom = || Window::bloom(Millis(60_000), 1_000_000, 0.01).build();
        let cuckoo = || Window::cuckoo(Millis(60_000), 1_000_000, 0.01).build();
        assert_eq!(limited(bytes, bloom).unwrap_err(), Error::OutOfMemory);
        assert_eq!(limited(bytes, cuckoo).unwrap_err(), Error::OutOfMemory);
    }
}

#[test]
fn a_filter_needs_no_memory_for_ids_once_it_is_built() {
    let mut window = Window::cuckoo(Millis(60_000), 100_000, 0.01)
        .build()
        .unwrap();
    let refused = limited(0, || window.first_seen("a", Millis(1_000)));
    assert_eq!(
        refused,
        Err(Error::OutOfMemory),
        "for the ring's first buckets"
    );
    assert_eq!(window.stats(Now::Unsaid).unwrap(), {
        let fresh = Window::cuckoo(Millis(60_000), 100_000, 0.01);
        fresh.build().unwrap().stats(Now::Unsaid).unwrap()
    });
    window.first_seen("a", Millis(1_000)).unwrap();
    limited(0, || {
        for id in 0..100_000_u64 {
            window.first_seen(id, Millis(1_000)).unwrap();
        }
    });
}

#[test]
fn a_refused_batch_records_none_of_its_ids() {
    for bytes in [0, 1_000, 10_000, 100_000, 400_000] {
        let mut window = Window::exact(Millis(60_000)).build().unwrap();
        let mut next = 0_u64;
        let before = loop {
            let before = stats(&window);
            let batch = next..next + 500;
            match limited(bytes, || window.first_seen_many(batch, Millis(1_000))) {
                Ok(firsts) => assert!(firsts.iter().all(|first| *first)),
                Err(error) => {
                    assert_eq!(error, Error::OutOfMemory);
                    break Some(before);
                }
            }
            next += 500;
            if next > 200_000 {
                break None;
            }
        };
        if let Some(before) = before {
            assert_eq!(stats(&window).checked, before.checked);
        }
        assert_eq!(stats(&window).held, next);
        assert!((0..next).all(|id| window.contains(id).unwrap()));
    }
}

/// A batch visits its shards one after another: it must not fail when some of its ids are recorded.
#[test]
fn a_refused_batch_of_a_sharded_window_records_none_of_its_ids() {
    let mut refusals = 0;
    for bytes in (0..40).map(|step| step * 2_000) {
        let config = Window::exact(Millis(60_000));
        let window = config.build_sharded(8).unwrap();
        let mut next = 0_u64;
        while next <= 100_000 {
            let before = window.stats(Now::Unsaid).unwrap();
            let batch = next..next + 500;
            match limited(bytes, || window.first_seen_many(batch, Millis(1_000))) {
                Ok(firsts) => assert!(firsts.iter().all(|first| *first)),
                Err(error) => {
                    assert_eq!(error, Error::OutOfMemory);
                    refusals += 1;
                    let after = window.stats(Now::Unsaid).unwrap();
                    assert_eq!((after.checked, after.held), (before.checked, before.held));
                    break;
                }
            }
            next += 500;
        }
        assert_eq!(window.len(), next);
        assert!((0..next).all(|id| window.contains(id).unwrap()));
        // With memory it goes on.
        let more = window.first_seen_many(next..next + 500, Millis(1_000));
        assert!(more.unwrap().iter().all(|first| *first));
    }
    assert!(refusals > 10, "{refusals} refusals");
}

#[test]
fn a_producer_that_finds_no_memory_is_refused_and_the_others_go_on() {
    for bytes in [0, 100, 300, 700, 2_000, 10_000, 100_000, 1_000_000] {
        let mut sequences = Sequences::with_width(64)
            .idle(Millis(60_000))
            .build()
            .unwrap();
        let refused = limited(bytes, || {
            (0..100_000_u64).find(|id| match sequences.first_seen(*id, 7, 0, Millis(1_000)) {
                Ok(first) => {
                    assert!(first);
                    false
                }
                Err(error) => {
                    assert_eq!(error, Error::OutOfMemory);
                    true
                }
            })
        });
        let refused = refused.unwrap();
        let before = sequences.stats(Now::Unsaid).unwrap();
        assert_eq!((before.checked, before.held), (refused, refused));
        let again = limited(0, || sequences.first_seen(refused, 7, 0, Millis(9_000)));
        assert_eq!(again, Err(Error::OutOfMemory));
        assert_eq!(sequences.stats(Now::Unsaid).unwrap(), before);
        // With memory it goes on, and without memory it can still forget.
        for id in 0..1_000.max(refused) {
            let first = sequences.first_seen(id, 7, 0, Millis(9_000)).unwrap();
            assert_eq!(first, id >= refused, "{id} after {bytes} bytes");
        }
        assert_eq!(limited(0, || sequences.forget(0_u64)), Ok(true));
    }
}

/// Claims, commits and bodies: refused, each leaves claims, ids and time as they were; and a release needs no memory.
#[test]
fn a_refused_claim_or_commit_leaves_everything_as_it_was() {
    for bytes in [0, 200, 1_000, 5_000, 50_000] {
        let mut window = Window::exact(Millis(60_000))
            .detect_conflicts(true)
            .build()
            .unwrap();
        let now = Millis(1_000);
        window.first_seen("known", now).unwrap();
        let mut tokens = Vec::with_capacity(100_000);
        limited(bytes, || {
            for id in 0..100_000_u64 {
                match window.claim(id, Millis(5_000), now, None) {
                    Ok(claim) => tokens.push(claim.token.unwrap()),
                    Err(error) => {
                        assert_eq!(error, Error::OutOfMemory);
                        break;
                    }
                }
            }
        });
        let before = stats(&window);
        assert_eq!(before.pending, tokens.len() as u64);
        let later = Millis(70_000);
        let (many, one) = limited(0, || {
            let many = window.claim_many(1_000_000..1_000_400_u64, Millis(5_000), later);
            (
                many,
                window.observe_body("new", b"body", later, None).map(drop),
            )
        });
        assert_eq!(many, Err(Error::OutOfMemory));
        assert_eq!(one, Err(Error::OutOfMemory));
        assert_eq!(stats(&window), before, "{bytes}: no time was told either");
        // A commit that finds no memory leaves its claim, and a release needs none.
        let mut committed = 0;
        limited(bytes, || {
            for token in tokens.drain(..tokens.len() / 2) {
                match window.commit(token, now) {
                    Ok(()) => committed += 1,
                    Err(error) => {
                        assert_eq!(error, Error::OutOfMemory);
                        window.release(token).unwrap();
                    }
                }
            }
        });
        limited(0, || {
            tokens
                .iter()
                .for_each(|token| window.release(*token).unwrap())
        });
        let after = stats(&window);
        assert_eq!((after.pending, after.held), (0, 1 + committed));
    }
}
