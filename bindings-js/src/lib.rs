//! The engine behind the JavaScript facade: tables of windows and of sequences, called with numbers and bytes only.
//!
//! The native addon and the WASM module both export these calls, so one facade serves both. Ids come as the bytes that
//! `facade/ids.ts` writes; a call answers with one number, [`FAILED`] if it was refused.
#![no_std]

extern crate alloc;

mod batch;
mod claims;
mod convert;
mod error;
mod json;
mod metrics;
mod plan;
mod sequences;
mod slots;

use alloc::string::String;
use alloc::vec::Vec;

use firstseen::{AnyWindow as Window, Error, Fingerprint, Key, Millis, Now, Sequences};

use slots::Slots;

pub use convert::{now, CLOCKED, TOLD, UNSAID};

/// The answer of [`Engine::reading`] for a window that reads no clock.
pub const NO_READING: f64 = -2.0;

/// The answer of a refused call; [`Engine::error`] says why.
pub const FAILED: f64 = -1.0;

/// Windows and sequences by handle. A handle of 0, or of what was freed, is `closed`.
///
/// `C` is the default clock of each.
#[derive(Debug)]
pub struct Engine<C> {
    windows: Slots<(Window, C)>,
    sequences: Slots<(Sequences, C)>,
    answers: Vec<f64>,
    text: String,
    error: Option<Error>,
}

impl<C> Default for Engine<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> Engine<C> {
    /// An engine without windows.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            windows: Slots::new(),
            sequences: Slots::new(),
            answers: Vec::new(),
            text: String::new(),
            error: None,
        }
    }

    /// Makes a window of the options in `input`, and its clock from its bucket width; answers its handle.
    pub fn create(&mut self, input: &[u8], clock: impl FnOnce(Millis) -> C) -> f64 {
        let made = convert::config(input)
            .and_then(|config| config.build())
            .and_then(|window| {
                let clock = clock(window.bucket());
                self.windows.place((window, clock))
            });
        self.answer(made)
    }

    /// Frees a window; harmless if there is none.
    pub fn free(&mut self, handle: u32) {
        self.windows.free(handle);
    }

    /// The default clock's reading, if the window wants one; else [`NO_READING`].
    pub fn reading(&mut self, handle: u32, read: impl FnOnce(&mut C) -> Millis) -> f64 {
        self.with(handle, |(window, clock), _| {
            Ok(if window.wants_clock() {
                read(clock).0 as f64
            } else {
                NO_READING
            })
        })
    }

    /// 1 if a call without a time would read the window's clock, else 0.
    pub fn wants_clock(&mut self, handle: u32) -> f64 {
        self.with(handle, |(window, _), _| Ok(flag(window.wants_clock())))
    }

    /// 1 if the text is first at `now`, else 0. The two `first_seen` are the calls that must be fast.
    #[inline]
    pub fn first_seen(&mut self, handle: u32, text: &[u8], now: f64) -> f64 {
        self.first_seen_at(handle, text, |_, _| {
            Ok(Now::Told(Millis::from_ms("now", now)?))
        })
    }

    /// As [`first_seen`](Self::first_seen), by the default clock.
    #[inline]
    pub fn first_seen_by_clock(
        &mut self,
        handle: u32,
        text: &[u8],
        read: impl FnOnce(&mut C) -> Millis,
    ) -> f64 {
        self.first_seen_at(handle, text, |window, clock| {
            Ok(if window.wants_clock() {
                Now::Clock(read(clock))
            } else {
                Now::Unsaid
            })
        })
    }

    #[inline]
    fn first_seen_at(
        &mut self,
        handle: u32,
        text: &[u8],
        now: impl FnOnce(&Window, &mut C) -> Result<Now, Error>,
    ) -> f64 {
        self.with(handle, |(window, clock), _| {
            let print = window.fingerprinter().key(text)?;
            let now = now(window, clock)?;
            Ok(flag(window.record(print, now, None)?.is_first()))
        })
    }

    /// Records the one id in `input`; answers a verdict. `at` is the event's own time, NaN if it has none.
    pub fn observe(&mut self, handle: u32, input: &[u8], when: (f64, f64), at: f64) -> f64 {
        self.with(handle, |(window, _), _| {
            let print = one(window, input)?;
            let verdict = window.record(print, now(when)?, convert::at(at)?)?;
            Ok(convert::verdict(verdict))
        })
    }

    /// As [`observe`](Self::observe); what stands behind the id is the event's body.
    pub fn observe_body(&mut self, handle: u32, input: &[u8], when: (f64, f64), at: f64) -> f64 {
        self.with(handle, |(window, _), _| {
            let mut body = input;
            let print = convert::id(&mut body, |id| batch::key(&window.fingerprinter(), id))?;
            let verdict = window.record_body(print, body, now(when)?, convert::at(at)?)?;
            Ok(convert::verdict(verdict))
        })
    }

    /// Records the ids in `input`; answers their number, and puts 1 for each that is first, else 0, where `input` begins.
    pub fn first_seen_many(&mut self, handle: u32, input: &mut [u8], when: (f64, f64)) -> f64 {
        self.record_many(handle, input, when, false)
    }

    /// Records the ids in `input`; answers their number, and leaves a verdict each.
    pub fn observe_many(&mut self, handle: u32, input: &mut [u8], when: (f64, f64)) -> f64 {
        self.record_many(handle, input, when, true)
    }

    /// Both in one, and not generic: the core's loop is large.
    #[inline(never)]
    fn record_many(
        &mut self,
        handle: u32,
        input: &mut [u8],
        when: (f64, f64),
        verdicts: bool,
    ) -> f64 {
        self.with(handle, |(window, _), answers| {
            let prints = all(window, input)?;
            room(answers, if verdicts { prints.len() } else { 0 })?;
            // Every id takes a byte at least.
            let mut places = input.iter_mut();
            window.record_many(&prints, now(when)?, |verdict| {
                if verdicts {
                    answers.push(convert::verdict(verdict));
                } else if let Some(place) = places.next() {
                    *place = verdict.is_first().into();
                }
            })?;
            Ok(prints.len() as f64)
        })
    }

    /// The verdict that [`observe`](Self::observe) would give.
    pub fn check(&mut self, handle: u32, input: &[u8], when: (f64, f64)) -> f64 {
        self.with(handle, |(window, _), _| {
            let print = one(window, input)?;
            Ok(convert::verdict(window.look_up(print, now(when)?)?))
        })
    }

    /// [`check`](Self::check) of the ids in `input`; answers their number, and leaves a verdict each.
    pub fn check_many(&mut self, handle: u32, input: &[u8], when: (f64, f64)) -> f64 {
        self.with(handle, |(window, _), answers| {
            let prints = all(window, input)?;
            room(answers, prints.len())?;
            window.look_up_many(&prints, now(when)?, |verdict| {
                answers.push(convert::verdict(verdict));
            })?;
            Ok(prints.len() as f64)
        })
    }

    /// 1 if the one id in `input` is held, else 0.
    pub fn has(&mut self, handle: u32, input: &[u8]) -> f64 {
        self.with(handle, |(window, _), _| {
            let print = one(window, input)?;
            Ok(flag(window.contains_key(print)))
        })
    }

    /// 1 if the one id in `input` was held and is forgotten now, else 0.
    pub fn forget(&mut self, handle: u32, input: &[u8]) -> f64 {
        self.with(handle, |(window, _), _| {
            let print = one(window, input)?;
            Ok(flag(window.forget_key(print)?))
        })
    }

    /// The number of ids held.
    pub fn size(&mut self, handle: u32) -> f64 {
        self.with(handle, |(window, _), _| Ok(window.len() as f64))
    }

    /// Moves window time forward.
    pub fn advance(&mut self, handle: u32, when: (f64, f64)) -> f64 {
        self.with(handle, |(window, _), _| {
            window.advance(now(when)?)?;
            Ok(0.0)
        })
    }

    /// Forgets every id.
    pub fn clear(&mut self, handle: u32) -> f64 {
        self.with(handle, |(window, _), _| {
            window.clear();
            Ok(0.0)
        })
    }

    /// Leaves the figures in the order of `facade/stats.ts`, NaN for none; answers their number.
    pub fn stats(&mut self, handle: u32, when: (f64, f64)) -> f64 {
        self.with(handle, |(window, _), answers| {
            let figures = convert::stats(&window.stats(now(when)?)?);
            room(answers, figures.len())?;
            answers.extend(figures);
            Ok(figures.len() as f64)
        })
    }

    /// The fingerprint of the one id behind the first `secret` bytes of `input`.
    pub fn fingerprint(&mut self, input: &[u8], secret: usize) -> Option<[u8; 16]> {
        self.print(convert::fingerprint(input, secret))
    }

    fn print(&mut self, print: Result<Fingerprint, Error>) -> Option<[u8; 16]> {
        match print {
            Ok(print) => Some(print.to_bytes()),
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }

    /// 0 if every id in `input` is one.
    pub fn validate(&mut self, input: &[u8]) -> f64 {
        let valid = batch::keys(&convert::unkeyed(), input).map(|_| 0.0);
        self.answer(valid)
    }

    /// What the last call left.
    pub fn answers(&self) -> &[f64] {
        &self.answers
    }

    /// Gives back the memory of a large batch.
    pub fn release(&mut self) {
        self.answers = Vec::new();
    }

    /// Writes the last refusal: its code, a line break, its message. Returns its length.
    pub fn error(&mut self, to: &mut [u8]) -> usize {
        error::write(&self.error.take().unwrap_or(Error::Closed), to)
    }

    #[inline]
    fn with(
        &mut self,
        handle: u32,
        call: impl FnOnce(&mut (Window, C), &mut Vec<f64>) -> Result<f64, Error>,
    ) -> f64 {
        let answer = match self.windows.get_mut(handle) {
            Some(window) => {
                self.answers.clear();
                call(window, &mut self.answers)
            }
            None => Err(Error::Closed),
        };
        self.answer(answer)
    }

    #[inline]
    fn answer(&mut self, result: Result<f64, Error>) -> f64 {
        match result {
            Ok(answer) => answer,
            Err(error) => {
                self.error = Some(error);
                FAILED
            }
        }
    }
}

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

fn one(window: &Window, input: &[u8]) -> Result<Key, Error> {
    convert::id(&mut &*input, |id| batch::key(&window.fingerprinter(), id))
}

fn all(window: &Window, input: &[u8]) -> Result<Vec<Key>, Error> {
    batch::keys(&window.fingerprinter(), input)
}

fn room(answers: &mut Vec<f64>, count: usize) -> Result<(), Error> {
    answers.try_reserve(count).map_err(|_| Error::OutOfMemory)
}
