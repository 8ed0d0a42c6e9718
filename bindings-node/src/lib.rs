//! The native addon: the engine's calls as functions of Node's.

mod napi;

use std::ffi::CStr;

use firstseen::SteadyClock;
use firstseen_js::{Engine as Table, FAILED};

use napi::{Args, Run, RunText};

type Engine = Table<SteadyClock>;

/// What `js/engine.ts` calls with a text, the handle and the time standing in the cells.
static TEXT_CALLS: &[(&CStr, RunText<Engine>)] = &[
    (c"firstSeen", |engine, [handle, now], text| {
        engine.first_seen(handle as u32, text, now)
    }),
    (c"firstSeenByClock", |engine, [handle, _], text| {
        engine.first_seen_by_clock(handle as u32, text, |clock| clock.now())
    }),
];

/// What `js/engine.ts` calls.
static CALLS: &[(&CStr, Run<Engine>)] = &[
    (c"create", |engine, args| {
        with(args, |input| engine.create(input, SteadyClock::new))
    }),
    (c"free", |engine, args| {
        engine.free(args.handle(0));
        0.0
    }),
    (c"reading", |engine, args| {
        engine.reading(args.handle(0), |clock| clock.now())
    }),
    (c"wantsClock", |engine, args| {
        engine.wants_clock(args.handle(0))
    }),
    (c"observe", |engine, args| {
        with(args, |input| {
            engine.observe(args.handle(2), input, when(args), args.number(5))
        })
    }),
    (c"observeBody", |engine, args| {
        with(args, |input| {
            engine.observe_body(args.handle(2), input, when(args), args.number(5))
        })
    }),
    (c"claim", |engine, args| {
        with(args, |input| {
            let (at, lease) = (args.number(5), args.number(6));
            engine.claim(args.handle(2), input, when(args), at, lease)
        })
    }),
    (c"claimMany", |engine, args| {
        with(args, |input| {
            engine.claim_many(args.handle(2), input, when(args), args.number(5))
        })
    }),
    (c"commit", |engine, args| {
        let when = (args.number(2), args.number(3));
        engine.commit(args.handle(0), args.number(1), when)
    }),
    (c"commitMany", |engine, args| {
        with(args, |input| {
            engine.commit_many(args.handle(2), input, when(args))
        })
    }),
    (c"releaseClaim", |engine, args| {
        engine.release_claim(args.handle(0), args.number(1))
    }),
    (c"renew", |engine, args| {
        let when = (args.number(3), args.number(4));
        engine.renew(args.handle(0), args.number(1), args.number(2), when)
    }),
    (c"firstSeenMany", |engine, args| {
        with(args, |input| {
            engine.first_seen_many(args.handle(2), input, when(args))
        })
    }),
    (c"observeMany", |engine, args| {
        with(args, |input| {
            engine.observe_many(args.handle(2), input, when(args))
        })
    }),
    (c"check", |engine, args| {
        with(args, |input| {
            engine.check(args.handle(2), input, when(args))
        })
    }),
    (c"checkMany", |engine, args| {
        with(args, |input| {
            engine.check_many(args.handle(2), input, when(args))
        })
    }),
    (c"has", |engine, args| {
        with(args, |input| engine.has(args.handle(2), input))
    }),
    (c"forget", |engine, args| {
        with(args, |input| engine.forget(args.handle(2), input))
    }),
    (c"validate", |engine, args| {
        with(args, |input| engine.validate(input))
    }),
    (c"size", |engine, args| engine.size(args.handle(0))),
    (c"advance", |engine, args| {
        engine.advance(args.handle(0), (args.number(1), args.number(2)))
    }),
    (c"clear", |engine, args| engine.clear(args.handle(0))),
    (c"stats", |engine, args| {
        engine.stats(args.handle(0), (args.number(1), args.number(2)))
    }),
    (c"sequencesCreate", |engine, args| {
        with(args, |input| {
            engine.sequences_create(input, SteadyClock::new)
        })
    }),
    (c"sequencesFree", |engine, args| {
        engine.sequences_free(args.handle(0));
        0.0
    }),
    (c"sequencesReading", |engine, args| {
        engine.sequences_reading(args.handle(0), |clock| clock.now())
    }),
    (c"sequencesObserve", |engine, args| {
        with(args, |input| {
            engine.sequences_observe(args.handle(2), input, when(args))
        })
    }),
    (c"sequencesForget", |engine, args| {
        with(args, |input| engine.sequences_forget(args.handle(2), input))
    }),
    (c"sequencesSize", |engine, args| {
        engine.sequences_size(args.handle(0))
    }),
    (c"sequencesStats", |engine, args| {
        engine.sequences_stats(args.handle(0), (args.number(1), args.number(2)))
    }),
    (c"openMetrics", |engine, args| {
        with(args, |input| engine.open_metrics(input))
    }),
    (c"text", |engine, args| {
        with(args, |input| engine.text(input))
    }),
    (c"plan", |engine, args| {
        with(args, |input| engine.plan(input))
    }),
    (c"fingerprint", |engine, args| {
        fingerprint(args, |input, secret| engine.fingerprint(input, secret))
    }),
    (c"fingerprintJson", |engine, args| {
        fingerprint(args, |input, secret| engine.fingerprint_json(input, secret))
    }),
    (c"answers", answers),
    (c"error", error),
];

/// The answer to a text that only the general way can read: a long one, or no text at all.
const OTHERWISE: f64 = -2.0;

/// Calls with the ids: the first bytes, as many as the second argument says, of the first one.
fn with(args: &Args, call: impl FnOnce(&mut [u8]) -> f64) -> f64 {
    let length = args.number(1) as usize;
    args.bytes(0, |bytes| call(bytes.get_mut(..length).unwrap_or_default()))
}

fn when(args: &Args) -> (f64, f64) {
    (args.number(3), args.number(4))
}

/// Replaces the input by its fingerprint.
fn fingerprint(args: &Args, print: impl FnOnce(&[u8], usize) -> Option<[u8; 16]>) -> f64 {
    let (length, secret) = (args.number(1) as usize, args.number(2) as usize);
    args.bytes(0, |bytes| {
        let input = bytes.get(..length).unwrap_or_default();
        match (print(input, secret), bytes.first_chunk_mut()) {
            (Some(print), Some(place)) => {
                *place = print;
                0.0
            }
            _ => FAILED,
        }
    })
}

/// Moves the answers of the last call into an array of doubles.
fn answers(engine: &mut Engine, args: &Args) -> f64 {
    args.bytes(0, |bytes| {
        for (place, answer) in bytes.chunks_exact_mut(8).zip(engine.answers()) {
            place.copy_from_slice(&answer.to_ne_bytes());
        }
    });
    engine.release();
    0.0
}

/// Writes the last refusal into the bytes; answers its length.
fn error(engine: &mut Engine, args: &Args) -> f64 {
    args.bytes(0, |bytes| engine.error(bytes) as f64)
}
