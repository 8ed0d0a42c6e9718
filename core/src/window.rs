//! The only place where id, time, memory and counts meet.

mod bodies;
mod claim;
mod plain;
mod read_filter;
mod record;
#[cfg(feature = "std")]
mod shard;

use alloc::vec::Vec;
use core::fmt;

use self::bodies::Bodies;
use self::plain::Plain;
use crate::claims::Claims;
use crate::config::{Cap, Config, Load, OnFull, Span, Valid};
use crate::error::Error;
use crate::fingerprint::Fingerprinter;
use crate::id::Id;
use crate::memory::{Bloom, Cuckoo, Exact, Memory};
use crate::ring::Ring;
use crate::stats::Stats;
use crate::time::{Millis, Mode, Now, Timeline};
use crate::verdict::Verdict;

pub use self::claim::Guard;
pub use self::read_filter::ReadFilter;
#[cfg(feature = "std")]
pub(crate) use shard::Shared;

/// Remembers the ids of the last W, and says of each id whether it is the first sighting.
///
/// **The promise, in window time** (the latest time told): an id accepted at t is a duplicate while window time ≤ t + W, and first
/// again by t + N·b at the latest, where N = ceil(W/b) + 1 buckets of b ms make the ring. It holds unless ids are evicted for want
/// of room or the process restarts; `stats().effective_window_ms` says how far back the memory is complete.
///
/// **When not to use it:** for events whose redelivery can come later than any window that you can afford (give them
/// [`max_lateness`](Config::max_lateness) too), or where several processes must share one answer.
///
/// A call takes O(1) amortised. A refused call changes nothing, but for `full`, which has told the time.
///
/// ```
/// use firstseen::{Millis, Window};
/// use std::time::Duration;
///
/// let mut window = Window::exact(Duration::from_secs(60)).build()?;
/// assert!(window.first_seen("evt_1", Millis(0))?);
/// assert!(!window.first_seen("evt_1", Millis(60_000))?);
/// assert!(window.first_seen("evt_1", Millis(61_000))?);
/// # Ok::<(), firstseen::Error>(())
/// ```
pub struct Window<M: Memory = Exact> {
    config: Valid,
    printer: Fingerprinter,
    time: Timeline,
    mode: Mode,
    ring: Ring,
    memory: M,
    /// From which time on every id accepted is held. It can be negative after a re-anchoring.
    complete_since: Option<i64>,
    /// The counts only; state is filled in when asked for.
    counts: Stats,
    plain: Plain,
    claims: Claims,
    /// If conflicts are detected.
    bodies: Option<Bodies>,
}

impl Window<Exact> {
    /// A window that remembers exactly, for at least `window`.
    #[must_use = "a configuration does nothing until it is built"]
    pub fn exact(window: impl Into<Millis>) -> Config {
        Config::new(span(window.into()), Cap::default(), OnFull::EvictOldest)
    }

    /// A window by its raw ring: an id is remembered for more than (`buckets` − 1)·`bucket`, and at most `buckets`·`bucket`.
    ///
    /// ```
    /// use firstseen::{Millis, Window};
    ///
    /// let mut window = Window::from_buckets(Millis(1_000), 60).build()?;
    /// assert!(window.first_seen("evt_1", Millis(0))?);
    /// assert!(!window.first_seen("evt_1", Millis(59_000))?);
    /// assert!(window.first_seen("evt_1", Millis(60_000))?);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    #[must_use = "a configuration does nothing until it is built"]
    pub fn from_buckets(bucket: impl Into<Millis>, buckets: u64) -> Config {
        let span = Span::Buckets {
            bucket: bucket.into(),
            buckets,
        };
        Config::new(span, Cap::default(), OnFull::EvictOldest)
    }
}

impl Window<Bloom> {
    /// A window that remembers with a Bloom filter: little memory, and **some new events are lost**.
    ///
    /// **When not to use it:** where a lost event costs more than memory: use [`Window::exact`]. `false_drop_rate` is the chance that a
    /// new id is called a probable duplicate, over the whole window, all generations together, while `expected_ids` distinct ids are
    /// accepted per window. It holds at an even load and for bursts after it was empty; a burst after a trickle can take it to one and a
    /// half times. It breaks when more come: `stats().estimated_false_drop_rate` says the present chance, and
    /// [`OnFull::Reject`] refuses new ids rather than let it rise.
    ///
    /// An id is remembered for at least `window`, and at most half a window and two buckets longer (at an even load a seventh of the
    /// window and two buckets). There is no `forget` (`unsupported`). Size and rate: [`BloomSize`](crate::sizing::BloomSize).
    ///
    /// ```
    /// use firstseen::{Millis, Verdict, Window};
    /// use std::time::Duration;
    ///
    /// let mut window = Window::bloom(Duration::from_secs(60), 1_000_000, 0.001).build()?;
    /// assert!(window.first_seen("evt_1", Millis(0))?);
    /// assert_eq!(window.observe("evt_1", Millis(60_000), None)?, Verdict::ProbableDuplicate);
    /// assert_eq!(window.stats(Millis(60_000))?.memory_bytes / 1_000_000, 2);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    #[must_use = "a configuration does nothing until it is built"]
    pub fn bloom(
        window: impl Into<Millis>,
        expected_ids: u64,
        false_drop_rate: f64,
    ) -> Config<Bloom> {
        let load = Load {
            expected_ids,
            false_drop_rate,
        };
        Config::new(span(window.into()), load, OnFull::Degrade)
    }
}

impl Window<Cuckoo> {
    /// A window that remembers with a cuckoo filter: a part of each fingerprint, so that **some new events are lost**.
    ///
    /// **When not to use it:** where a lost event costs more than memory: use [`Window::exact`]. `false_drop_rate` is the chance that
    /// a new id is called a probable duplicate while N/(N−1) windows of `expected_ids` distinct ids are held, however they are spread over
    /// time. When more come, a new id is `full`, or with [`OnFull::EvictOldest`] the oldest buckets are forgotten.
    ///
    /// [`forget`](Window::forget) is for ids that were answered first: of another id it forgets one that looks alike, with the chance of a
    /// false drop. Size and rate: [`CuckooSize`](crate::sizing::CuckooSize).
    ///
    /// ```
    /// use firstseen::{Millis, Verdict, Window};
    /// use std::time::Duration;
    ///
    /// let mut window = Window::cuckoo(Duration::from_secs(60), 1_000_000, 0.0001).build()?;
    /// assert!(window.first_seen("evt_1", Millis(0))?);
    /// assert_eq!(window.observe("evt_1", Millis(60_000), None)?, Verdict::ProbableDuplicate);
    /// assert!(window.forget("evt_1")?);
    /// assert!(window.first_seen("evt_1", Millis(60_000))?);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    #[must_use = "a configuration does nothing until it is built"]
    pub fn cuckoo(
        window: impl Into<Millis>,
        expected_ids: u64,
        false_drop_rate: f64,
    ) -> Config<Cuckoo> {
        let load = Load {
            expected_ids,
            false_drop_rate,
        };
        Config::new(span(window.into()), load, OnFull::Reject)
    }
}

fn span(window: Millis) -> Span {
    Span::Window {
        window,
        bucket: None,
    }
}

impl<M: Memory> Window<M> {
    pub(crate) fn with_memory(config: Valid, memory: M) -> Self {
        Self {
            printer: Fingerprinter::new(&config.secret),
            bodies: config.detect_conflicts.then(Bodies::default),
            config,
            time: Timeline::new(),
            mode: Mode::Undecided,
            ring: Ring::default(),
            memory,
            complete_since: None,
            counts: Stats::default(),
            plain: Plain::default(),
            claims: Claims::default(),
        }
    }

    /// Records an id: `true` is its first sighting (process it), `false` is not (do not process it).
    ///
    /// A duplicate does not extend its id's life.
    ///
    /// # Errors
    /// `empty_id`, `invalid_id` for the id; `invalid_time` for a time out of range, or of the other kind than the first call's
    /// ([`Now`]); `clock_step` beyond `max_step`; `full` if the window rejects; `out_of_memory`.
    #[inline]
    pub fn first_seen<'a>(
        &mut self,
        id: impl Into<Id<'a>>,
        now: impl Into<Now>,
    ) -> Result<bool, Error> {
        let (key, now) = (self.printer.key(id)?, now.into());
        match self.record_plain(key, now) {
            Some(found) => Ok(found.is_none()),
            None => Ok(self.record_any(key, now, None)?.is_first()),
        }
    }

    /// As [`first_seen`](Self::first_seen), with the reason.
    ///
    /// `at` is the event's own time: with `max_lateness`, an event that is further behind window time is `late`.
    ///
    /// # Errors
    /// As [`first_seen`](Self::first_seen).
    ///
    /// ```
    /// use firstseen::{Millis, Verdict, Window};
    ///
    /// let mut window = Window::exact(Millis(60_000)).max_lateness(Millis(60_000)).build()?;
    /// assert_eq!(window.observe("a", Millis(100_000), Some(Millis(99_000)))?, Verdict::First);
    /// assert_eq!(window.observe("b", Millis(100_000), Some(Millis(39_999)))?, Verdict::Late);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    pub fn observe<'a>(
        &mut self,
        id: impl Into<Id<'a>>,
        now: impl Into<Now>,
        at: Option<Millis>,
    ) -> Result<Verdict, Error> {
        let key = self.printer.key(id)?;
        self.record(key, now, at)
    }

    /// The same as [`first_seen`](Self::first_seen) one by one in order, at one time: repeats inside the batch are duplicates. Every id
    /// is validated before any is recorded.
    ///
    /// # Errors
    /// As [`first_seen`](Self::first_seen). On `full` nothing is recorded.
    ///
    /// ```
    /// use firstseen::{Millis, Window};
    ///
    /// let mut window = Window::exact(Millis(60_000)).build()?;
    /// assert_eq!(window.first_seen_many(["a", "b", "a"], Millis(0))?, [true, true, false]);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    pub fn first_seen_many<'a, I: Into<Id<'a>>>(
        &mut self,
        ids: impl IntoIterator<Item = I>,
        now: impl Into<Now>,
    ) -> Result<Vec<bool>, Error> {
        let keys = self.printer.keys(ids)?;
        let mut answers = reserved(keys.len())?;
        self.record_many(&keys, now, |verdict| answers.push(verdict.is_first()))?;
        Ok(answers)
    }

    /// As [`first_seen_many`](Self::first_seen_many), with the reasons.
    ///
    /// # Errors
    /// As [`first_seen_many`](Self::first_seen_many).
    pub fn observe_many<'a, I: Into<Id<'a>>>(
        &mut self,
        ids: impl IntoIterator<Item = I>,
        now: impl Into<Now>,
    ) -> Result<Vec<Verdict>, Error> {
        let keys = self.printer.keys(ids)?;
        let mut answers = reserved(keys.len())?;
        self.record_many(&keys, now, |verdict| answers.push(verdict))?;
        Ok(answers)
    }

    /// What [`observe`](Self::observe) would say, as of `now` or window time, whichever is later. Changes nothing.
    ///
    /// # Errors
    /// `empty_id`, `invalid_id`, `invalid_time`.
    ///
    /// ```
    /// use firstseen::{Millis, Verdict, Window};
    ///
    /// let mut window = Window::exact(Millis(60_000)).build()?;
    /// window.first_seen("a", Millis(0))?;
    /// assert_eq!(window.check("a", Millis(5_000))?, Verdict::Duplicate { age: Millis(5_000) });
    /// assert_eq!(window.check("a", Millis(61_000))?, Verdict::First);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    pub fn check<'a>(&self, id: impl Into<Id<'a>>, now: impl Into<Now>) -> Result<Verdict, Error> {
        self.look_up(self.printer.key(id)?, now)
    }

    /// [`check`](Self::check) of several ids.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn check_many<'a, I: Into<Id<'a>>>(
        &self,
        ids: impl IntoIterator<Item = I>,
        now: impl Into<Now>,
    ) -> Result<Vec<Verdict>, Error> {
        let keys = self.printer.keys(ids)?;
        let mut answers = reserved(keys.len())?;
        self.look_up_many(&keys, now, |verdict| answers.push(verdict))?;
        Ok(answers)
    }

    /// Whether an id is held, as of window time.
    ///
    /// # Errors
    /// `empty_id`, `invalid_id`.
    pub fn contains<'a>(&self, id: impl Into<Id<'a>>) -> Result<bool, Error> {
        let key = self.printer.key(id)?;
        Ok(self.contains_key(key))
    }

    /// Forgets an id, so that its next sighting is first; says whether it was held, as of window time.
    ///
    /// # Errors
    /// `empty_id`, `invalid_id`; `unsupported` in a Bloom filter, where ids share their bits.
    pub fn forget<'a>(&mut self, id: impl Into<Id<'a>>) -> Result<bool, Error> {
        let key = self.printer.key(id)?;
        self.forget_key(key)
    }

    /// Moves window time forward to `now`, which may be any step ahead; does nothing if it is not ahead.
    ///
    /// # Errors
    /// `invalid_time` for a time out of range, or of the other kind than the recording calls'.
    pub fn advance(&mut self, now: impl Into<Now>) -> Result<(), Error> {
        let (now, _) = self.mode.admit(now.into())?;
        self.time.advance(now, &self.config.geometry);
        self.told(now);
        self.follow_leases();
        self.refresh();
        Ok(())
    }

    /// Forgets every id, counted in `forgotten`. Window time and the other counts stay.
    pub fn clear(&mut self) {
        self.counts.forgotten += self.ring.clear();
        self.memory.clear();
        self.claims.clear();
        self.retire_bodies();
        self.complete_since = self.time.time().map(|time| time as i64);
        self.refresh();
    }

    /// The number of ids held, as of window time. O(1).
    #[must_use]
    pub fn len(&self) -> u64 {
        self.ring.held()
    }

    /// Whether no id is held, as of window time.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bucket width.
    #[must_use]
    pub fn bucket(&self) -> Millis {
        Millis(self.config.geometry.bucket)
    }

    /// Whether a call without a time would read the window's clock: not once it is told.
    ///
    /// For bindings, which then pass [`Now::Clock`], else [`Now::Unsaid`].
    #[must_use]
    pub fn wants_clock(&self) -> bool {
        self.mode != Mode::Told
    }

    /// What turns this window's ids into fingerprints.
    #[must_use]
    pub fn fingerprinter(&self) -> Fingerprinter {
        self.printer
    }

    /// The figures, as of `now` or window time, whichever is later. Changes nothing.
    ///
    /// O(1) as of window time: all is counted as it happens. As of a later time, O(buckets, at most 250, and leases that will have run out by then);
    /// buckets whose every id was forgotten one by one are looked at too, and of a Bloom filter all of its generations, at most 64.
    ///
    /// # Errors
    /// `invalid_time`.
    pub fn stats(&self, now: impl Into<Now>) -> Result<Stats, Error> {
        let as_of = self.mode.as_of(now.into(), self.time.time())?;
        let geometry = &self.config.geometry;
        let head = as_of.map_or(self.time.head(), |time| geometry.index(time));
        let gone = self.ring.expired_by(head, geometry);
        let held = self.ring.held() - gone;
        let complete = match (as_of, self.complete_since) {
            (Some(time), Some(since)) => (time as i64 - since).max(0) as u64,
            _ => 0,
        };
        // Whatever was first is held, gone, or was claimed and is neither: so recording calls need not count it.
        let first = self.ring.held() + self.counts.gone() + self.counts.first;
        let oldest = self.ring.oldest(head, geometry);
        let (pending, leases_expired) = self.claims.as_of(as_of.unwrap_or(0));
        let claims = self.claims.memory_bytes();
        let bodies = self.bodies.as_ref().map_or(0, Bodies::memory_bytes);
        let max_ids = self.config.max_ids;
        // A memory that is sure of none counts its duplicates in the same place.
        let found = self.counts.duplicate;
        let (duplicate, probable_duplicate) = if M::EXACT { (found, 0) } else { (0, found) };
        Ok(Stats {
            checked: self.counts.others() + first,
            first,
            duplicate,
            probable_duplicate,
            expired: self.counts.expired + gone,
            held,
            pending,
            leases_expired: self.counts.leases_expired + leases_expired,
            max_ids,
            memory_bytes: (self.memory.memory_bytes() + self.ring.memory_bytes() + bodies + claims)
                as u64,
            window_ms: geometry.window,
            bucket_ms: geometry.bucket,
            buckets: geometry.buckets,
            effective_window_ms: complete.min(geometry.window),
            oldest_age_ms: oldest.map(|index| self.age(head, index).0),
            fill_ratio: max_ids
                .map(|max_ids| held as f64 / max_ids as f64)
                .or(self.memory.fill_ratio(held)),
            estimated_false_drop_rate: self
                .memory
                .false_drop_rate(held, self.ring.front_at(head, geometry)),
            ..self.counts
        })
    }

    /// How many parts of the memory are of the form that keeps fewer bits.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn narrow_segments(&self) -> usize {
        self.memory.narrow_segments()
    }

    /// Checks what must always hold.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn validate(&self) {
        self.ring.validate();
        self.memory.validate(self.ring.front(), self.ring.held());
        assert!(self
            .config
            .capacity
            .is_none_or(|capacity| self.ring.held() + self.claims.len() <= capacity));
        self.claims.validate(self.time.time().unwrap_or(0));
    }
}

impl<M: Memory> fmt::Debug for Window<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let geometry = &self.config.geometry;
        f.debug_struct("Window")
            .field("window_ms", &geometry.window)
            .field("bucket_ms", &geometry.bucket)
            .field("buckets", &geometry.buckets)
            .field("held", &self.len())
            .field("max_ids", &self.config.max_ids)
            .finish()
    }
}

pub(crate) fn reserved<T>(capacity: usize) -> Result<Vec<T>, Error> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(capacity)
        .map_err(|_| Error::OutOfMemory)?;
    Ok(vec)
}
