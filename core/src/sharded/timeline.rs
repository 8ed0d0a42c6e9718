//! Window time, one for all shards.
//!
//! Most calls tell a *calm* time: one that changes nothing but window time, within the newest bucket. For these one atomic word
//! is enough: a version, and window time as its distance from a base that belongs to the version. The word only grows, so
//! to tell a calm time is a `fetch_max`, and not even that when window time is there already. Whatever else a time does (a new
//! bucket, a suspicion, a re-anchoring) happens under a lock and makes a new version, from which on
//! nobody can tell a time by the old one.
//!
//! ```text
//! word   | version: 48 bits | window time − base: 16 bits |
//! ```

use core::ops::Range;

use super::sync::{lock, AtomicU64, Mutex, MutexGuard, Ordering};
use crate::config::Valid;
use crate::error::Error;
use crate::time::Mode;
use crate::time::{Geometry, Tick, Timeline};
use crate::window::Shared;

const OFFSET_BITS: u32 = 16;
const MAX_OFFSET: u64 = (1 << OFFSET_BITS) - 1;

/// The version after the last: from there on no time is calm, and every call takes the lock.
const NO_VERSION: u64 = u64::MAX >> OFFSET_BITS;

/// Which times are calm, and as of which version.
#[derive(Clone, Debug)]
pub(super) struct Calm {
    version: u64,
    base: u64,
    /// Times before this are regressions.
    start: u64,
    times: Range<u64>,
}

impl Calm {
    /// Nothing is calm.
    const NONE: Self = Self {
        version: NO_VERSION,
        base: 0,
        start: 0,
        times: 0..0,
    };

    fn new(version: u64, time: u64, line: &Timeline, geometry: &Geometry) -> Self {
        if version == NO_VERSION {
            return Self::NONE;
        }
        let (start, times) = (line.start(), line.calm(geometry));
        let base = time - (time - start) % (MAX_OFFSET + 1);
        Self {
            version,
            base,
            start,
            times: times.start..times.end.min(base + MAX_OFFSET + 1),
        }
    }

    /// Window time, if the word is of this version.
    #[inline]
    fn time(&self, word: u64) -> Option<u64> {
        let same = word >> OFFSET_BITS == self.version && self.version != NO_VERSION;
        same.then_some(self.base + (word & MAX_OFFSET))
    }
}

/// What a calm time did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// Window time after it.
    pub(super) time: u64,
    /// It was behind the newest bucket's start.
    pub(super) regression: bool,
}

/// The time that all shards share.
///
/// **Lock order:** shards in the order of their numbers, then the state here.
pub(super) struct SharedTimeline {
    word: Alone<AtomicU64>,
    state: Mutex<State>,
    geometry: Geometry,
    max_step: Option<u64>,
}

/// A value in cache lines of its own, so that nobody who writes beside it takes them away.
#[repr(align(128))]
pub(super) struct Alone<T>(pub(super) T);

/// Everything about the time that is changed under the lock. Window time in `line` can lag behind the word's.
pub(super) struct State {
    line: Timeline,
    mode: Mode,
    version: u64,
    calm: Calm,
    /// By how many buckets re-anchorings have moved the head, all together.
    moved: i128,
    complete_since: Option<i128>,
    pub(super) regressions: u64,
    pub(super) resets: u64,
}

/// What a shard knows of the time.
#[derive(Debug)]
pub(super) struct Known {
    calm: Calm,
    moved: i128,
}

impl Default for Known {
    fn default() -> Self {
        Self {
            calm: Calm::NONE,
            moved: 0,
        }
    }
}

impl SharedTimeline {
    pub(super) fn new(config: &Valid) -> Self {
        Self {
            word: Alone(AtomicU64::new(0)),
            state: Mutex::new(State {
                line: Timeline::new(),
                mode: Mode::Undecided,
                version: 0,
                calm: Calm::NONE,
                moved: 0,
                complete_since: None,
                regressions: 0,
                resets: 0,
            }),
            geometry: config.geometry,
            max_step: config.max_step,
        }
    }

    /// Tells a time if it is calm, as far as the caller knows. Otherwise nothing has happened.
    #[inline]
    pub(super) fn tell_calmly(&self, known: &Known, now: u64, mode: Mode) -> Option<Told> {
        self.tell_if_calm(&known.calm, now, mode)
    }

    #[inline]
    fn tell_if_calm(&self, calm: &Calm, now: u64, mode: Mode) -> Option<Told> {
        if !calm.times.contains(&now) {
            return None;
        }
        let mut time = calm.time(self.word.0.load(Ordering::Acquire))?;
        if now > time {
            let too_far = |most| mode == Mode::Told && now - time > most;
            if self.max_step.is_some_and(too_far) {
                return None;
            }
            let word = calm.version << OFFSET_BITS | (now - calm.base);
            // If a newer version has come, its word is the larger one, and stays.
            let before = self.word.0.fetch_max(word, Ordering::AcqRel);
            time = calm.time(before)?.max(now);
        }
        Some(Told {
            time,
            regression: now < calm.start,
        })
    }

    /// Window time, if no more than that has changed since the shard looked last.
    #[inline]
    pub(super) fn glance(&self, known: &Known) -> Option<u64> {
        known.calm.time(self.word.0.load(Ordering::Acquire))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        state.catch_up(self.word.0.load(Ordering::Acquire));
        state
    }

    /// Tells the time of a recording call of so many ids, whatever it does. `mode` was admitted.
    ///
    /// # Errors
    /// `clock_step`; then nothing has changed.
    pub(super) fn tell(
        &self,
        state: &mut State,
        now: u64,
        mode: Mode,
        ids: u64,
    ) -> Result<(), Error> {
        if state.mode == mode {
            if let Some(told) = self.tell_if_calm(&state.calm, now, mode) {
                state.line.tell_plain(told.time);
                state.regressions += if told.regression { ids } else { 0 };
                return Ok(());
            }
        }
        if let (Some(max_step), Mode::Told) = (self.max_step, mode) {
            state.line.check_step(now, max_step)?;
        }
        self.turn(state, |state| {
            state.mode = mode;
            state.complete_since.get_or_insert(now.into());
            match state.line.tell(now, &self.geometry) {
                Tick::Forward => {}
                Tick::Regression => state.regressions += ids,
                Tick::Reset { buckets } => {
                    let moved = i128::from(buckets);
                    state.moved += moved;
                    let ms = moved * i128::from(self.geometry.bucket);
                    state.complete_since = state.complete_since.map(|since| since + ms);
                    state.resets += 1;
                }
            }
        });
        Ok(())
    }

    /// Moves window time forward to `now`, if that is ahead.
    pub(super) fn advance(&self, state: &mut State, now: u64) {
        if state.line.time().is_some_and(|time| now <= time) {
            return;
        }
        self.turn(state, |state| {
            state.complete_since.get_or_insert(now.into());
            state.line.advance(now, &self.geometry);
        });
    }

    /// Changes the state, and makes a new version of it.
    fn turn(&self, state: &mut State, change: impl FnOnce(&mut State)) {
        let version = (state.version + 1).min(NO_VERSION);
        // From here on nobody tells a time by the old version; what was told by it is the word's last value.
        let last = self.word.0.swap(version << OFFSET_BITS, Ordering::AcqRel);
        state.catch_up(last);
        change(state);
        let time = state.line.time().unwrap_or(0);
        state.version = version;
        state.calm = Calm::new(version, time, &state.line, &self.geometry);
        let offset = time - state.calm.base.min(time);
        self.word.0.store(
            version << OFFSET_BITS | offset & MAX_OFFSET,
            Ordering::Release,
        );
    }
}

impl State {
    /// Takes over window time from the word, if that is of the present version.
    fn catch_up(&mut self, word: u64) {
        if let Some(time) = self.calm.time(word) {
            self.line.tell_plain(time);
        }
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// What a shard needs to know, that knew so much, and whose newest bucket was `head` then.
    pub(super) fn share(&self, known: &mut Known, head: i64, geometry: &Geometry) -> Shared<'_> {
        // Beside what re-anchorings have moved it, the head only grows.
        let before = i128::from(head) - known.moved;
        let after = i128::from(self.line.head()) - self.moved;
        let alive = after - before < i128::from(geometry.buckets);
        let moved = alive.then(|| (self.moved - known.moved) as i64);
        known.calm = self.calm.clone();
        known.moved = self.moved;
        Shared {
            line: &self.line,
            mode: self.mode,
            complete_since: self.complete_since(),
            moved,
        }
    }

    /// What lies further back than any window can be is cut off.
    fn complete_since(&self) -> Option<i64> {
        let furthest = i128::from(i64::MIN / 2);
        self.complete_since.map(|since| since.max(furthest) as i64)
    }

    /// Everything is forgotten: the memory is complete from now on.
    pub(super) fn clear(&mut self) {
        self.complete_since = self.line.time().map(i128::from);
    }
}
