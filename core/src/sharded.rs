//! One window for several threads: its ids are spread over shards, each a window behind a lock of its own, and its time is one.

mod groups;
mod record;
mod shards;
mod sync;
mod timeline;

use alloc::vec::Vec;
use core::fmt;

use self::shards::Shards;
use crate::config::Config;
use crate::error::Error;
use crate::fingerprint::{Fingerprinter, Key};
use crate::id::Id;
use crate::memory::{Exact, Memory};
use crate::stats::Stats;
use crate::time::{Millis, Now};
use crate::verdict::Verdict;
use crate::window::reserved;

/// As many as the bits that choose a shard can tell apart.
const MAX_SHARDS: usize = 256;

/// The shard of a key: bits 18 to 25 are those that no other part of the exact memory looks at by themselves (`DESIGN.md` §7).
#[inline]
fn shard_of(key: Key, shards: usize) -> usize {
    (key.to_u64() >> 18) as usize & (shards - 1)
}

/// A [`Window`](crate::Window) that threads share: every call takes `&self`.
///
/// It answers as one window would. Window time is one, the latest time told by any thread, and so are the mode (told or clocked),
/// the suspicion that a clock was reset, and the figures. A call for one id, `advance`, `len`, `stats` and `clear` are each
/// atomic: the answers are those of one window which got the same calls in some order. A batch is not: calls of other threads
/// may come between its ids.
///
/// **Quick advice:** 64 shards if ids come one at a time, 16 if they come in batches of some hundreds: a batch locks each of
/// its shards twice. Two threads do not do twice the work of one, since a shard's lock and counts travel between their caches:
/// measure (`cargo bench --bench threads`).
///
/// **When not to use it:** for one thread, which a plain window serves sooner; where memory must have a ceiling
/// (`max_ids` forgets the oldest ids of all, which takes one lock: put a plain window behind a `Mutex`).
///
/// A call takes O(1) amortised and holds one lock of one shard; a thread that panics leaves none unusable.
///
/// ```
/// use firstseen::{Millis, Window};
/// use std::time::Duration;
///
/// let window = Window::exact(Duration::from_secs(60)).build_sharded(16)?;
/// let firsts: usize = std::thread::scope(|scope| {
///     let thread = || (0..1_000_u64).filter(|id| window.first_seen(*id, Millis(0)) == Ok(true)).count();
///     let threads = [scope.spawn(thread), scope.spawn(thread)];
///     threads.into_iter().map(|thread| thread.join().unwrap()).sum()
/// });
/// assert_eq!(firsts, 1_000);
/// # Ok::<(), firstseen::Error>(())
/// ```
pub struct ShardedWindow<M: Memory = Exact> {
    printer: Fingerprinter,
    shards: Shards<M>,
}

impl Config {
    /// Builds a window that threads share, of so many shards: a power of two, at most 256. Allocates the shards and
    /// their buckets: per shard some 770 bytes and 40 per bucket.
    ///
    /// # Errors
    /// As [`build`](Self::build); `invalid_config` for another number of shards, and for `max_ids`; `out_of_memory`.
    ///
    /// ```
    /// use firstseen::{Millis, Window};
    ///
    /// let config = Window::exact(Millis(60_000));
    /// assert_eq!(config.clone().build_sharded(3).unwrap_err().code(), "invalid_config");
    /// assert_eq!(config.max_ids(1_000).build_sharded(4).unwrap_err().code(), "invalid_config");
    /// ```
    pub fn build_sharded(self, shards: usize) -> Result<ShardedWindow<Exact>, Error> {
        ShardedWindow::new(self, shards)
    }
}

impl<M: Memory + Default> ShardedWindow<M> {
    pub(crate) fn new(config: Config, shards: usize) -> Result<Self, Error> {
        let config = config.validate()?;
        if let Some(max_ids) = config.max_ids {
            return Err(Error::invalid_config(
                "max_ids",
                Error::value(max_ids),
                "no cap in a sharded window; a plain window behind a mutex can have one",
            ));
        }
        if config.detect_conflicts {
            return Err(Error::invalid_config(
                "detect_conflicts",
                "true",
                "no bodies in a sharded window; a plain window behind a mutex can have them",
            ));
        }
        if !shards.is_power_of_two() || shards > MAX_SHARDS {
            return Err(Error::invalid_config(
                "shards",
                Error::value(shards),
                "a power of two from 1 to 256",
            ));
        }
        Ok(Self {
            printer: Fingerprinter::new(&config.secret),
            shards: Shards::new(config, shards)?,
        })
    }
}

impl<M: Memory> ShardedWindow<M> {
    /// Records an id: `true` is its first sighting (process it), `false` is not (do not process it).
    ///
    /// Of several threads that bring one id, one gets `true`.
    ///
    /// # Errors
    /// `empty_id`, `invalid_id` for the id; `invalid_time` for a time out of range, or of the other kind than the first call's
    /// ([`Now`]); `clock_step` beyond `max_step`; `out_of_memory`. A refused call changes nothing.
    #[inline]
    pub fn first_seen<'a>(
        &self,
        id: impl Into<Id<'a>>,
        now: impl Into<Now>,
    ) -> Result<bool, Error> {
        Ok(self.record(self.printer.key(id)?, now, None)?.is_first())
    }

    /// As [`first_seen`](Self::first_seen), with the reason; `at` is the event's own time, for `max_lateness`.
    ///
    /// # Errors
    /// As [`first_seen`](Self::first_seen).
    pub fn observe<'a>(
        &self,
        id: impl Into<Id<'a>>,
        now: impl Into<Now>,
        at: Option<Millis>,
    ) -> Result<Verdict, Error> {
        self.record(self.printer.key(id)?, now, at)
    }

    /// The same as [`first_seen`](Self::first_seen) one by one in order, at one time: repeats inside the batch are duplicates. Every id
    /// is validated before any is recorded. Each shard is locked twice, so a batch costs less than its calls alone.
    ///
    /// Calls of other threads may come between its ids, so a window time that they tell may hold for some of these.
    ///
    /// # Errors
    /// As [`first_seen`](Self::first_seen).
    ///
    /// ```
    /// use firstseen::{Millis, Window};
    ///
    /// let window = Window::exact(Millis(60_000)).build_sharded(4)?;
    /// assert_eq!(window.first_seen_many(["a", "b", "a"], Millis(0))?, [true, true, false]);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    pub fn first_seen_many<'a, I: Into<Id<'a>>>(
        &self,
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
        &self,
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
    pub fn check<'a>(&self, id: impl Into<Id<'a>>, now: impl Into<Now>) -> Result<Verdict, Error> {
        self.look_up(self.printer.key(id)?, now)
    }

    /// [`check`](Self::check) of several ids.
    ///
    /// # Errors
    /// As [`check`](Self::check); `out_of_memory`.
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
        Ok(self.contains_key(self.printer.key(id)?))
    }

    /// Forgets an id, so that its next sighting is first; says whether it was held, as of window time.
    ///
    /// # Errors
    /// `empty_id`, `invalid_id`.
    pub fn forget<'a>(&self, id: impl Into<Id<'a>>) -> Result<bool, Error> {
        self.forget_key(self.printer.key(id)?)
    }

    /// Moves window time forward to `now`, which may be any step ahead; does nothing if it is not ahead. Locks no shard.
    ///
    /// # Errors
    /// `invalid_time` for a time out of range, or of the other kind than the recording calls'.
    pub fn advance(&self, now: impl Into<Now>) -> Result<(), Error> {
        let mut state = self.shards.time.lock();
        let (now, _) = state.mode().admit(now.into())?;
        self.shards.time.advance(&mut state, now);
        Ok(())
    }

    /// Forgets every id, counted in `forgotten`. Window time and the other counts stay. Locks every shard.
    pub fn clear(&self) {
        let mut stopped = self.shards.stop();
        stopped.windows().for_each(|window| window.clear());
        stopped.state.clear();
    }

    /// The number of ids held, as of window time. Locks every shard.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.shards
            .stop()
            .windows()
            .map(|window| window.len())
            .sum()
    }

    /// Whether no id is held, as of window time. Locks every shard.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bucket width.
    #[must_use]
    pub fn bucket(&self) -> Millis {
        Millis(self.shards.config.geometry.bucket)
    }

    /// The number of shards.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.shards.count()
    }

    /// What turns this window's ids into fingerprints.
    #[must_use]
    pub fn fingerprinter(&self) -> Fingerprinter {
        self.printer
    }

    /// The figures of all shards together, as of `now` or window time, whichever is later. Locks every shard; O(shards · buckets).
    /// Changes nothing.
    ///
    /// # Errors
    /// `invalid_time`.
    ///
    /// ```
    /// use firstseen::{Millis, Now, Window};
    ///
    /// let window = Window::exact(Millis(60_000)).build_sharded(4)?;
    /// window.first_seen_many(0..100_u64, Millis(0))?;
    /// assert_eq!(window.stats(Now::Unsaid)?.held, 100);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    pub fn stats(&self, now: impl Into<Now>) -> Result<Stats, Error> {
        let now = now.into();
        let mut stopped = self.shards.stop();
        let mut all: Option<Stats> = None;
        for window in stopped.windows() {
            let shard = window.stats(now)?;
            match &mut all {
                Some(all) => all.add_shard(&shard),
                None => all = Some(shard),
            }
        }
        let mut all = all.unwrap_or_default();
        all.clock_regressions += stopped.state.regressions;
        all.clock_resets += stopped.state.resets;
        all.memory_bytes += self.shards.bytes() as u64;
        Ok(all)
    }

    /// Checks what must always hold.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn validate(&self) {
        self.shards
            .stop()
            .windows()
            .for_each(|window| window.validate());
    }
}

impl<M: Memory> fmt::Debug for ShardedWindow<M> {
    /// The configuration only: it takes no lock.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let geometry = &self.shards.config.geometry;
        f.debug_struct("ShardedWindow")
            .field("shards", &self.shards())
            .field("window_ms", &geometry.window)
            .field("bucket_ms", &geometry.bucket)
            .field("buckets", &geometry.buckets)
            .finish_non_exhaustive()
    }
}
