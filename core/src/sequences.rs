//! Producers that number their events: a high-water mark and a bitmap each, instead of every id.

mod config;
mod mark;
mod producers;
mod stats;
mod verdict;

use core::fmt;

pub use self::config::SequencesConfig;
use self::producers::Producers;
pub use self::stats::SequenceStats;
pub use self::verdict::SequenceVerdict;
use crate::error::Error;
use crate::fingerprint::{Fingerprint, Fingerprinter, Secret};
use crate::id::Id;
use crate::time::{Geometry, Millis, Mode, Now, Tick, Timeline};

/// Remembers of each producer the highest number that it sent, and which of the `width` last numbers came.
///
/// Exact under reordering: a number above the high-water mark H is `first`, and one of the `width` last numbers
/// (H−width+1 … H) is `first` once and then `duplicate`. What is lower is `stale`, since nothing is known of it any more. State is
/// O(producers), however many events there are. **`width` 0** is a pure watermark: only what moves forward is `first`, which is the
/// gate for versions of an entity. A higher **epoch** starts a producer anew; what comes from a lower one is `fenced`.
///
/// **When not to use it:** where a producer's numbers are not its own (several writers without a shared counter), are not persistent
/// (a restart that begins at 1 again needs a higher epoch), or lie further apart in time than `width` numbers. Then use a
/// [`Window`](crate::Window) over ids.
///
/// **A producer that was forgotten** (evicted by `max_producers`, idle for longer than `idle`, or by
/// [`forget`](Self::forget)) **is unknown: its next number is first, even if it was processed before, and its epoch is not
/// fenced.** `stats().evicted` counts how often that happened for want of room.
///
/// A producer is known by the 128 bits of its fingerprint: among n producers, two are taken for one with a chance of some
/// n²/2^129 (a million: 10^-27).
///
/// ```
/// use firstseen::{Now, SequenceVerdict, Sequences};
///
/// let mut sequences = Sequences::with_width(64).build()?;
/// assert!(sequences.first_seen("sensor-1", 10, 0, Now::Unsaid)?);
/// assert_eq!(sequences.observe("sensor-1", 13, 0, Now::Unsaid)?, SequenceVerdict::First { gap: 2 });
/// assert_eq!(sequences.observe("sensor-1", 12, 0, Now::Unsaid)?, SequenceVerdict::First { gap: 0 });
/// assert_eq!(sequences.observe("sensor-1", 12, 0, Now::Unsaid)?, SequenceVerdict::Duplicate);
/// # Ok::<(), firstseen::Error>(())
/// ```
pub struct Sequences {
    config: SequencesConfig,
    printer: Fingerprinter,
    producers: Producers,
    /// None if no producer is ever idle for too long; then time plays no part.
    aging: Option<Aging>,
    counts: SequenceStats,
}

/// Window time, told as to a window of length `idle`.
struct Aging {
    idle: i64,
    geometry: Geometry,
    time: Timeline,
    mode: Mode,
    /// What re-anchorings added to window time. Contacts are kept without it, so that none has to be relabelled.
    shift: i64,
}

impl Aging {
    /// Window time on the scale in which contacts are kept, which never goes back.
    fn steady(&self, time: u64) -> i64 {
        time as i64 - self.shift
    }
}

impl Sequences {
    /// Sequences that tell the `width` last numbers of each producer apart: 0 to 65 536, rounded up to whole words in memory.
    #[must_use = "a configuration does nothing until it is built"]
    pub fn with_width(width: u64) -> SequencesConfig {
        SequencesConfig::new(width)
    }

    fn with_config(config: SequencesConfig, geometry: Option<Geometry>) -> Self {
        let ordered = config.max_producers.is_some() || geometry.is_some();
        Self {
            printer: Fingerprinter::new(&Secret::default()),
            producers: Producers::new(config.width, config.max_producers, ordered),
            aging: geometry.map(|geometry| Aging {
                idle: geometry.window as i64,
                geometry,
                time: Timeline::new(),
                mode: Mode::Undecided,
                shift: 0,
            }),
            counts: SequenceStats {
                max_producers: config.max_producers,
                width: config.width,
                idle_ms: config.idle.map(|idle| idle.0),
                ..SequenceStats::default()
            },
            config,
        }
    }

    /// Records a number: `true` is its first sighting (process it), `false` is not (do not process it).
    ///
    /// `now` matters only with `idle`, and is told or clocked as a window's; without `idle` give [`Now::Unsaid`]. Any call that gets
    /// a verdict is a contact with the producer.
    ///
    /// O(1 + width/64) at worst, O(1) where numbers move by less than 64; amortised with `idle`.
    ///
    /// # Errors
    /// `empty_id`, `invalid_id` for the producer; `invalid_time` for a time out of range or, with `idle`, of the other kind than the
    /// first call's ([`Now`]); `out_of_memory`.
    #[inline]
    pub fn first_seen<'a>(
        &mut self,
        producer: impl Into<Id<'a>>,
        seq: u64,
        epoch: u64,
        now: impl Into<Now>,
    ) -> Result<bool, Error> {
        Ok(self.observe(producer, seq, epoch, now)?.is_first())
    }

    /// As [`first_seen`](Self::first_seen), with the reason.
    ///
    /// # Errors
    /// As [`first_seen`](Self::first_seen).
    ///
    /// ```
    /// use firstseen::{Now, SequenceVerdict, Sequences};
    ///
    /// // The gate for versions of an entity: only a newer one is applied.
    /// let mut versions = Sequences::with_width(0).build()?;
    /// assert_eq!(versions.observe("order-7", 3, 0, Now::Unsaid)?, SequenceVerdict::First { gap: 0 });
    /// assert_eq!(versions.observe("order-7", 3, 0, Now::Unsaid)?, SequenceVerdict::Duplicate);
    /// assert_eq!(versions.observe("order-7", 2, 0, Now::Unsaid)?, SequenceVerdict::Stale);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    #[inline]
    pub fn observe<'a>(
        &mut self,
        producer: impl Into<Id<'a>>,
        seq: u64,
        epoch: u64,
        now: impl Into<Now>,
    ) -> Result<SequenceVerdict, Error> {
        let print = self.printer.fingerprint(producer)?;
        self.record(print, seq, epoch, now)
    }

    /// [`observe`](Self::observe) for callers that make fingerprints elsewhere, by the [`fingerprinter`](Self::fingerprinter).
    ///
    /// # Errors
    /// As [`observe`](Self::observe), but for the producer's.
    #[inline]
    pub fn record(
        &mut self,
        print: Fingerprint,
        seq: u64,
        epoch: u64,
        now: impl Into<Now>,
    ) -> Result<SequenceVerdict, Error> {
        let now = self.admit(now.into())?;
        self.producers.reserve(self.config.max_producers)?;
        let contact = now.map_or(0, |(now, mode)| self.tell(now, mode));
        let verdict = self.judge(print, seq, epoch, contact);
        match verdict {
            SequenceVerdict::First { gap } => {
                self.counts.first += 1;
                self.counts.gaps += u64::from(gap > 0);
            }
            SequenceVerdict::Duplicate => self.counts.duplicate += 1,
            SequenceVerdict::Stale => self.counts.stale += 1,
            SequenceVerdict::Fenced => self.counts.fenced += 1,
        }
        Ok(verdict)
    }

    /// Forgets a producer, so that its next number is first, whatever it is; says whether it was held, as of window time.
    ///
    /// # Errors
    /// `empty_id`, `invalid_id`.
    pub fn forget<'a>(&mut self, producer: impl Into<Id<'a>>) -> Result<bool, Error> {
        let print = self.printer.fingerprint(producer)?;
        Ok(self.forget_print(print))
    }

    /// [`forget`](Self::forget) for callers that make fingerprints elsewhere.
    pub fn forget_print(&mut self, print: Fingerprint) -> bool {
        let Some(slot) = self.producers.find(print) else {
            return false;
        };
        self.producers.remove(slot);
        self.counts.forgotten += 1;
        true
    }

    /// The number of producers held, as of window time. O(1).
    #[must_use]
    pub fn len(&self) -> u64 {
        self.producers.len() as u64
    }

    /// Whether no producer is held, as of window time.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a call without a time would read the clock: only with `idle`, and not once it is told.
    ///
    /// For bindings, which then pass [`Now::Clock`], else [`Now::Unsaid`].
    #[must_use]
    pub fn wants_clock(&self) -> bool {
        let aging = self.aging.as_ref();
        aging.is_some_and(|aging| aging.mode != Mode::Told)
    }

    /// The width of the buckets by which a steady clock is judged ([`SteadyClock::new`](crate::SteadyClock::new)): a sixtieth of `idle`.
    #[must_use]
    pub fn bucket(&self) -> Millis {
        let aging = self.aging.as_ref();
        Millis(aging.map_or(1, |aging| aging.geometry.bucket))
    }

    /// What turns producers into fingerprints.
    #[must_use]
    pub fn fingerprinter(&self) -> Fingerprinter {
        self.printer
    }

    /// The figures, as of `now` or window time, whichever is later. Changes nothing. O(1 + producers that would expire by `now`).
    ///
    /// # Errors
    /// `invalid_time`.
    pub fn stats(&self, now: impl Into<Now>) -> Result<SequenceStats, Error> {
        let now = now.into();
        let gone = match &self.aging {
            None => {
                valid(now)?;
                0
            }
            Some(aging) => match aging.mode.as_of(now, aging.time.time())? {
                Some(time) => self.producers.idle_since(aging.steady(time) - aging.idle),
                None => 0,
            },
        } as u64;
        let counts = &self.counts;
        Ok(SequenceStats {
            checked: counts.first + counts.duplicate + counts.stale + counts.fenced,
            expired: counts.expired + gone,
            held: self.len() - gone,
            memory_bytes: self.producers.memory_bytes() as u64,
            ..*counts
        })
    }

    /// The time of a call and its mode, if time plays a part.
    #[inline]
    fn admit(&self, now: Now) -> Result<Option<(u64, Mode)>, Error> {
        match &self.aging {
            Some(aging) => aging.mode.admit(now).map(Some),
            None => valid(now).map(|()| None),
        }
    }

    /// Tells the time, forgets who was idle for too long, and says when this contact is.
    #[inline]
    fn tell(&mut self, now: u64, mode: Mode) -> i64 {
        let Some(aging) = &mut self.aging else {
            return 0;
        };
        aging.mode = mode;
        let before = aging.time.time();
        match aging.time.tell(now, &aging.geometry) {
            Tick::Forward => {}
            Tick::Regression => self.counts.clock_regressions += 1,
            Tick::Reset { .. } => {
                let moved = now as i64 - before.unwrap_or(now) as i64;
                aging.shift += moved;
                self.counts.clock_resets += 1;
            }
        }
        let contact = aging.steady(aging.time.time().unwrap_or(now));
        let alive_from = contact - aging.idle;
        while let Some((slot, last)) = self.producers.oldest() {
            if last >= alive_from {
                break;
            }
            self.producers.remove(slot);
            self.counts.expired += 1;
        }
        contact
    }

    /// The verdict, once the time was told and room was reserved.
    #[inline]
    fn judge(&mut self, print: Fingerprint, seq: u64, epoch: u64, contact: i64) -> SequenceVerdict {
        if let Some(slot) = self.producers.find(print) {
            self.producers.touch(slot, contact);
            if let Some(mut mark) = self.producers.mark(slot) {
                return mark.judge(seq, epoch, self.config.width);
            }
        }
        let max = self.config.max_producers;
        if max.is_some_and(|max| self.len() >= max) {
            if let Some((slot, _)) = self.producers.oldest() {
                self.producers.remove(slot);
                self.counts.evicted += 1;
            }
        }
        self.producers.add(print, seq, epoch, contact);
        SequenceVerdict::First { gap: 0 }
    }

    /// Checks what must always hold.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn validate(&self) {
        self.producers.validate();
        let max = self.config.max_producers;
        assert!(max.is_none_or(|max| self.len() <= max));
    }
}

impl fmt::Debug for Sequences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sequences")
            .field("width", &self.config.width)
            .field("max_producers", &self.config.max_producers)
            .field("idle_ms", &self.config.idle.map(|idle| idle.0))
            .field("held", &self.len())
            .finish()
    }
}

/// A time that plays no part must still be one.
fn valid(now: Now) -> Result<(), Error> {
    match now {
        Now::Told(now) | Now::Clock(now) => now.checked("now").map(drop),
        Now::Unsaid => Ok(()),
    }
}
