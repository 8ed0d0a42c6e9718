//! The WebAssembly module: the engine's calls as exports that take and give numbers only.
//!
//! Ids and texts lie in one area of the module's memory, the input, into which JavaScript writes.

use core::cell::RefCell;

use firstseen::{Millis, Steady};
use firstseen_js::{Engine, FAILED};
use wasm_bindgen::prelude::wasm_bindgen;

/// What every input has room for, and what is kept of a larger one.
const INPUT: usize = 16 * 1024;

struct State {
    engine: Engine<Steady>,
    input: Vec<u8>,
}

thread_local! {
    static STATE: RefCell<State> = const {
        RefCell::new(State {
            engine: Engine::new(),
            input: Vec::new(),
        })
    };
}

/// Calls the engine with the first `length` bytes of the input.
#[inline]
fn call(length: u32, call: impl FnOnce(&mut Engine<Steady>, &mut [u8]) -> f64) -> f64 {
    STATE.with(|state| match state.try_borrow_mut() {
        Ok(mut state) => {
            let State { engine, input } = &mut *state;
            let ids = input.get_mut(..length as usize);
            call(engine, ids.unwrap_or_default())
        }
        Err(_) => FAILED,
    })
}

/// Makes room for so many bytes of input; answers where it begins, 0 if there is no memory for it.
#[wasm_bindgen]
pub fn input(bytes: u32) -> u32 {
    STATE.with(|state| {
        let Ok(mut state) = state.try_borrow_mut() else {
            return 0;
        };
        let input = &mut state.input;
        let wanted = (bytes as usize).max(INPUT);
        if input.len() < wanted {
            // What it holds need not be kept, so it is freed first.
            *input = Vec::new();
            if input.try_reserve_exact(wanted).is_err() {
                return 0;
            }
            input.resize(wanted, 0);
        }
        input.as_mut_ptr() as u32
    })
}

/// How many bytes of input there is room for.
#[wasm_bindgen]
pub fn input_length() -> u32 {
    STATE.with(|state| {
        state
            .try_borrow()
            .map_or(0, |state| state.input.len() as u32)
    })
}

/// Gives back what a large call took.
#[wasm_bindgen]
pub fn release() {
    STATE.with(|state| {
        if let Ok(mut state) = state.try_borrow_mut() {
            state.engine.release();
            state.input = Vec::new();
        }
    });
}

/// Where the answers of the last call begin.
#[wasm_bindgen]
pub fn answers() -> u32 {
    STATE.with(|state| {
        state
            .try_borrow()
            .map_or(0, |state| state.engine.answers().as_ptr() as u32)
    })
}

/// Writes the last refusal into the input; answers its length.
#[wasm_bindgen]
pub fn error() -> f64 {
    STATE.with(|state| {
        let Ok(mut state) = state.try_borrow_mut() else {
            return FAILED;
        };
        let State { engine, input } = &mut *state;
        engine.error(input) as f64
    })
}

/// Replaces the id in the input by its fingerprint.
#[wasm_bindgen]
pub fn fingerprint(length: u32, secret: u32) -> f64 {
    replaced(length, |engine, input| {
        engine.fingerprint(input, secret as usize)
    })
}

/// Replaces the JSON text in the input by its fingerprint.
#[wasm_bindgen]
pub fn fingerprint_json(length: u32, secret: u32) -> f64 {
    replaced(length, |engine, input| {
        engine.fingerprint_json(input, secret as usize)
    })
}

fn replaced(
    length: u32,
    print: impl FnOnce(&mut Engine<Steady>, &[u8]) -> Option<[u8; 16]>,
) -> f64 {
    STATE.with(|state| {
        let Ok(mut state) = state.try_borrow_mut() else {
            return FAILED;
        };
        let State { engine, input } = &mut *state;
        let given = input.get(..length as usize).unwrap_or_default();
        match (print(engine, given), input.first_chunk_mut()) {
            (Some(print), Some(place)) => {
                *place = print;
                0.0
            }
            _ => FAILED,
        }
    })
}

/// Makes a window of the options in the input, and its clock from the readings.
#[wasm_bindgen]
pub fn create(length: u32, monotonic_ms: f64, wall_ms: f64) -> f64 {
    call(length, |engine, input| {
        engine.create(input, |bucket| {
            Steady::new(bucket, monotonic_ms as u64, wall_ms as u64)
        })
    })
}

fn read(monotonic_ms: f64, wall_ms: f64) -> impl FnOnce(&mut Steady) -> Millis {
    move |clock| clock.now(monotonic_ms as u64, wall_ms as u64)
}

/// The default clock's reading.
#[wasm_bindgen]
pub fn reading(handle: u32, monotonic_ms: f64, wall_ms: f64) -> f64 {
    call(0, |engine, _| {
        engine.reading(handle, read(monotonic_ms, wall_ms))
    })
}

/// Records the text in the input.
#[wasm_bindgen]
pub fn first_seen(handle: u32, length: u32, now: f64) -> f64 {
    call(length, |engine, text| engine.first_seen(handle, text, now))
}

/// Records the text in the input, by the default clock.
#[wasm_bindgen]
pub fn first_seen_by_clock(handle: u32, length: u32, monotonic_ms: f64, wall_ms: f64) -> f64 {
    call(length, |engine, text| {
        engine.first_seen_by_clock(handle, text, read(monotonic_ms, wall_ms))
    })
}

/// Records the one id in the input.
#[wasm_bindgen]
pub fn observe(length: u32, handle: u32, mode: f64, now: f64, at: f64) -> f64 {
    call(length, |engine, input| {
        engine.observe(handle, input, (mode, now), at)
    })
}

/// Records the one id in the input, with the body behind it.
#[wasm_bindgen]
pub fn observe_body(length: u32, handle: u32, mode: f64, now: f64, at: f64) -> f64 {
    call(length, |engine, input| {
        engine.observe_body(handle, input, (mode, now), at)
    })
}

/// Claims the one id in the input.
#[wasm_bindgen]
pub fn claim(length: u32, handle: u32, mode: f64, now: f64, at: f64, lease: f64) -> f64 {
    call(length, |engine, input| {
        engine.claim(handle, input, (mode, now), at, lease)
    })
}

/// Claims the ids in the input.
#[wasm_bindgen]
pub fn claim_many(length: u32, handle: u32, mode: f64, now: f64, lease: f64) -> f64 {
    call(length, |engine, input| {
        engine.claim_many(handle, input, (mode, now), lease)
    })
}

/// Commits a claim.
#[wasm_bindgen]
pub fn commit(handle: u32, token: f64, mode: f64, now: f64) -> f64 {
    call(0, |engine, _| engine.commit(handle, token, (mode, now)))
}

/// Commits the claims in the input.
#[wasm_bindgen]
pub fn commit_many(length: u32, handle: u32, mode: f64, now: f64) -> f64 {
    call(length, |engine, input| {
        engine.commit_many(handle, input, (mode, now))
    })
}

/// Releases a claim.
#[wasm_bindgen]
pub fn release_claim(handle: u32, token: f64) -> f64 {
    call(0, |engine, _| engine.release_claim(handle, token))
}

/// Renews a claim's lease.
#[wasm_bindgen]
pub fn renew(handle: u32, token: f64, lease: f64, mode: f64, now: f64) -> f64 {
    call(0, |engine, _| {
        engine.renew(handle, token, lease, (mode, now))
    })
}

/// Records the ids in the input, and puts there whether each is first.
#[wasm_bindgen]
pub fn first_seen_many(length: u32, handle: u32, mode: f64, now: f64) -> f64 {
    call(length, |engine, input| {
        engine.first_seen_many(handle, input, (mode, now))
    })
}

/// Records the ids in the input.
#[wasm_bindgen]
pub fn observe_many(length: u32, handle: u32, mode: f64, now: f64) -> f64 {
    call(length, |engine, input| {
        engine.observe_many(handle, input, (mode, now))
    })
}

/// Looks up the one id in the input.
#[wasm_bindgen]
pub fn check(length: u32, handle: u32, mode: f64, now: f64) -> f64 {
    call(length, |engine, input| {
        engine.check(handle, input, (mode, now))
    })
}

/// Looks up the ids in the input.
#[wasm_bindgen]
pub fn check_many(length: u32, handle: u32, mode: f64, now: f64) -> f64 {
    call(length, |engine, input| {
        engine.check_many(handle, input, (mode, now))
    })
}

/// Says whether the one id in the input is held.
#[wasm_bindgen]
pub fn has(length: u32, handle: u32) -> f64 {
    call(length, |engine, input| engine.has(handle, input))
}

/// Forgets the one id in the input.
#[wasm_bindgen]
pub fn forget(length: u32, handle: u32) -> f64 {
    call(length, |engine, input| engine.forget(handle, input))
}

/// Moves window time forward.
#[wasm_bindgen]
pub fn advance(handle: u32, mode: f64, now: f64) -> f64 {
    call(0, |engine, _| engine.advance(handle, (mode, now)))
}

/// Leaves the figures.
#[wasm_bindgen]
pub fn stats(handle: u32, mode: f64, now: f64) -> f64 {
    call(0, |engine, _| engine.stats(handle, (mode, now)))
}

/// Counts the ids held.
#[wasm_bindgen]
pub fn size(handle: u32) -> f64 {
    call(0, |engine, _| engine.size(handle))
}

/// Forgets every id.
#[wasm_bindgen]
pub fn clear(handle: u32) -> f64 {
    call(0, |engine, _| engine.clear(handle))
}

/// Says whether a call without a time would read a clock.
#[wasm_bindgen]
pub fn wants_clock(handle: u32) -> f64 {
    call(0, |engine, _| engine.wants_clock(handle))
}

/// Says whether every id in the input is one.
#[wasm_bindgen]
pub fn validate(length: u32) -> f64 {
    call(length, |engine, input| engine.validate(input))
}

/// Frees a window.
#[wasm_bindgen]
pub fn free(handle: u32) {
    call(0, |engine, _| {
        engine.free(handle);
        0.0
    });
}

/// Makes sequences of the options in the input, and their clock from the readings.
#[wasm_bindgen]
pub fn sequences_create(length: u32, monotonic_ms: f64, wall_ms: f64) -> f64 {
    call(length, |engine, input| {
        engine.sequences_create(input, |bucket| {
            Steady::new(bucket, monotonic_ms as u64, wall_ms as u64)
        })
    })
}

/// The reading of the sequences' clock.
#[wasm_bindgen]
pub fn sequences_reading(handle: u32, monotonic_ms: f64, wall_ms: f64) -> f64 {
    call(0, |engine, _| {
        engine.sequences_reading(handle, read(monotonic_ms, wall_ms))
    })
}

/// Records the number in the input.
#[wasm_bindgen]
pub fn sequences_observe(length: u32, handle: u32, mode: f64, now: f64) -> f64 {
    call(length, |engine, input| {
        engine.sequences_observe(handle, input, (mode, now))
    })
}

/// Forgets the one producer in the input.
#[wasm_bindgen]
pub fn sequences_forget(length: u32, handle: u32) -> f64 {
    call(length, |engine, input| {
        engine.sequences_forget(handle, input)
    })
}

/// Counts the producers held.
#[wasm_bindgen]
pub fn sequences_size(handle: u32) -> f64 {
    call(0, |engine, _| engine.sequences_size(handle))
}

/// Leaves the figures of sequences.
#[wasm_bindgen]
pub fn sequences_stats(handle: u32, mode: f64, now: f64) -> f64 {
    call(0, |engine, _| engine.sequences_stats(handle, (mode, now)))
}

/// Makes the text of the records in the input.
#[wasm_bindgen]
pub fn open_metrics(length: u32) -> f64 {
    call(length, |engine, input| engine.open_metrics(input))
}

/// Puts that text into the input.
#[wasm_bindgen]
pub fn text(length: u32) -> f64 {
    call(length, |engine, input| engine.text(input))
}

/// Frees sequences.
#[wasm_bindgen]
pub fn sequences_free(handle: u32) {
    call(0, |engine, _| {
        engine.sequences_free(handle);
        0.0
    });
}

/// Plans by the numbers in the input; leaves figures, and a text in the input.
#[wasm_bindgen]
pub fn plan(length: u32) -> f64 {
    call(length, |engine, input| engine.plan(input))
}
