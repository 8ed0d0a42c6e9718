//! The calls of sequences. A number of 64 bits comes in the form of an id: `2 ‖ integer`.

use alloc::vec::Vec;

use firstseen::{Error, Fingerprint, Millis, SequenceStats, SequenceVerdict, Sequences};

use crate::convert::{self, now};
use crate::{flag, room, Engine, NO_READING};

/// The greatest gap that one double holds; a greater one is left as two answers.
const SAFE: u64 = (1 << 53) - 1;

impl<C> Engine<C> {
    /// Makes sequences of the options in `input`, and their clock; answers their handle.
    pub fn sequences_create(&mut self, input: &[u8], clock: impl FnOnce(Millis) -> C) -> f64 {
        let made = convert::sequences(input)
            .and_then(|config| config.build())
            .and_then(|sequences| {
                let clock = clock(sequences.bucket());
                self.sequences.place((sequences, clock))
            });
        self.answer(made)
    }

    /// Frees sequences; harmless if there are none.
    pub fn sequences_free(&mut self, handle: u32) {
        self.sequences.free(handle);
    }

    /// The clock's reading, if time plays a part and is not told; else [`NO_READING`].
    pub fn sequences_reading(&mut self, handle: u32, read: impl FnOnce(&mut C) -> Millis) -> f64 {
        self.with_sequences(handle, |(sequences, clock), _| {
            Ok(if sequences.wants_clock() {
                read(clock).0 as f64
            } else {
                NO_READING
            })
        })
    }

    /// Records a number: `input` holds the producer, the number and the epoch. Answers the gap of a first one, or a verdict as
    /// `facade/sequences.ts` reads it.
    pub fn sequences_observe(&mut self, handle: u32, input: &[u8], when: (f64, f64)) -> f64 {
        self.with_sequences(handle, |(sequences, _), answers| {
            let mut rest = input;
            let print = producer(sequences, &mut rest)?;
            let seq = convert::number(&mut rest)?;
            let epoch = convert::number(&mut rest)?;
            let when = now(when)?;
            room(answers, 2)?;
            Ok(match sequences.record(print, seq, epoch, when)? {
                SequenceVerdict::First { gap } if gap <= SAFE => gap as f64,
                SequenceVerdict::First { gap } => {
                    answers.extend([(gap >> 32) as f64, (gap as u32).into()]);
                    -5.0
                }
                SequenceVerdict::Duplicate => -2.0,
                SequenceVerdict::Stale => -3.0,
                _ => -4.0,
            })
        })
    }

    /// 1 if the one producer in `input` was held and is forgotten now, else 0.
    pub fn sequences_forget(&mut self, handle: u32, input: &[u8]) -> f64 {
        self.with_sequences(handle, |(sequences, _), _| {
            let print = producer(sequences, &mut &*input)?;
            Ok(flag(sequences.forget_print(print)))
        })
    }

    /// The number of producers held.
    pub fn sequences_size(&mut self, handle: u32) -> f64 {
        self.with_sequences(handle, |(sequences, _), _| Ok(sequences.len() as f64))
    }

    /// Leaves the figures in the order of `facade/sequences.ts`, NaN for none; answers their number.
    pub fn sequences_stats(&mut self, handle: u32, when: (f64, f64)) -> f64 {
        self.with_sequences(handle, |(sequences, _), answers| {
            let figures = figures(&sequences.stats(now(when)?)?);
            room(answers, figures.len())?;
            answers.extend(figures);
            Ok(figures.len() as f64)
        })
    }

    #[inline]
    fn with_sequences(
        &mut self,
        handle: u32,
        call: impl FnOnce(&mut (Sequences, C), &mut Vec<f64>) -> Result<f64, Error>,
    ) -> f64 {
        let answer = match self.sequences.get_mut(handle) {
            Some(sequences) => {
                self.answers.clear();
                call(sequences, &mut self.answers)
            }
            None => Err(Error::Closed),
        };
        self.answer(answer)
    }
}

fn producer(sequences: &Sequences, rest: &mut &[u8]) -> Result<Fingerprint, Error> {
    convert::id(rest, |id| sequences.fingerprinter().fingerprint(id))
}

/// How many figures sequences have.
pub(crate) const SEQUENCE_FIGURES: usize = 16;

fn figures(stats: &SequenceStats) -> [f64; SEQUENCE_FIGURES] {
    let maybe = |value: Option<u64>| value.map_or(f64::NAN, |value| value as f64);
    [
        stats.checked as f64,
        stats.first as f64,
        stats.duplicate as f64,
        stats.stale as f64,
        stats.fenced as f64,
        stats.gaps as f64,
        stats.expired as f64,
        stats.evicted as f64,
        stats.forgotten as f64,
        stats.clock_regressions as f64,
        stats.clock_resets as f64,
        stats.held as f64,
        maybe(stats.max_producers),
        stats.memory_bytes as f64,
        stats.width as f64,
        maybe(stats.idle_ms),
    ]
}
