//! What a sharded window does with keys: the calls beneath those that take ids.

use alloc::vec::Vec;

use super::groups::Groups;
use super::shards::Shard;
use super::{shard_of, ShardedWindow};
use crate::error::Error;
use crate::fingerprint::Key;
use crate::memory::Memory;
use crate::time::Mode;
use crate::time::{Millis, Now};
use crate::verdict::Verdict;
use crate::window::reserved;

/// The lines of so many ids stay in a near cache until their shards' turns come.
const AHEAD: usize = 1024;

impl<M: Memory> ShardedWindow<M> {
    /// Records a key made by the [`fingerprinter`](Self::fingerprinter): [`observe`](Self::observe) for callers that make keys
    /// elsewhere.
    ///
    /// # Errors
    /// As [`observe`](Self::observe), but for the id's.
    #[inline]
    pub fn record(
        &self,
        key: Key,
        now: impl Into<Now>,
        at: Option<Millis>,
    ) -> Result<Verdict, Error> {
        let now = now.into();
        let at = at.map(|at| at.checked("at")).transpose();
        let mut shard = self.shards.lock(shard_of(key, self.shards.count()));
        // The time is told while the shard is locked: so no call of another thread comes in between.
        let at = match at {
            Ok(at) if self.tell_calmly(&mut shard, now) => at,
            at => self.tell(&mut shard, now, at)?,
        };
        shard.window.judge_told(key, at)
    }

    /// Tells the time of one id if that changes nothing but window time, and there is nothing to prepare. Most calls are so.
    #[inline]
    fn tell_calmly(&self, shard: &mut Shard<M>, now: Now) -> bool {
        let (now, mode) = match now {
            Now::Told(now) => (now.0, Mode::Told),
            Now::Clock(now) => (now.0, Mode::Clocked),
            Now::Unsaid => return false,
        };
        if shard.window.mode() != mode || !shard.window.is_ready() {
            return false;
        }
        let told = self.shards.time.tell_calmly(&shard.known, now, mode);
        if let Some(told) = told {
            let regressions = u64::from(told.regression);
            shard.window.follow_calmly(told.time, regressions);
        }
        told.is_some()
    }

    /// Tells the time of one id whatever it is, and hands on the event's own time.
    #[inline(never)]
    fn tell(
        &self,
        shard: &mut Shard<M>,
        now: Now,
        at: Result<Option<u64>, Error>,
    ) -> Result<Option<u64>, Error> {
        let shards = &self.shards;
        let mut state = shards.time.lock();
        let (now, mode) = state.mode().admit(now)?;
        let at = at?;
        shard.reserve()?;
        shards.time.tell(&mut state, now, mode, 1)?;
        shard.follow(&state, &shards.config.geometry);
        Ok(at)
    }

    /// Records keys in order, at one time: [`observe_many`](Self::observe_many) for callers that make keys elsewhere.
    /// `sink` gets each verdict once all are recorded, and no lock is held.
    ///
    /// # Errors
    /// As [`observe_many`](Self::observe_many), but for the ids'. Nothing reaches `sink` then.
    pub fn record_many(
        &self,
        keys: &[Key],
        now: impl Into<Now>,
        sink: impl FnMut(Verdict),
    ) -> Result<(), Error> {
        let now = now.into();
        if keys.is_empty() {
            return match now {
                Now::Told(now) | Now::Clock(now) => now.checked("now").map(drop),
                Now::Unsaid => Ok(()),
            };
        }
        let groups = Groups::new(keys, self.shards.count())?;
        let mut verdicts: Vec<Verdict> = reserved(keys.len())?;
        self.promise(&groups, keys.len() <= AHEAD)?;
        if let Err(error) = self.tell_many(now, keys.len() as u64) {
            self.redeem(&groups, usize::MAX);
            return Err(error);
        }
        for (number, group) in groups.each() {
            let mut shard = self.shards.present(number);
            shard.redeem(group.len());
            let push = |verdict| verdicts.push(verdict);
            // Nothing can refuse now: there is no cap, and memory was promised.
            shard.window.judge_many(group, push)?;
            shard.release();
        }
        groups.restore(keys, &verdicts, sink);
        Ok(())
    }

    /// Makes sure that a batch cannot fail halfway, whatever other threads do until its turn comes.
    fn promise(&self, groups: &Groups, prefetch: bool) -> Result<(), Error> {
        for (place, (number, group)) in groups.each().enumerate() {
            let mut shard = self.shards.lock(number);
            let promised = shard.promise(group.len());
            if promised.is_err() {
                drop(shard);
                self.redeem(groups, place);
                return promised;
            }
            if prefetch {
                shard.window.prefetch(group);
            }
        }
        Ok(())
    }

    /// Takes back what the first so many groups were promised.
    #[cold]
    fn redeem(&self, groups: &Groups, count: usize) {
        for (number, group) in groups.each().take(count) {
            let mut shard = self.shards.lock(number);
            shard.redeem(group.len());
            shard.release();
        }
    }

    fn tell_many(&self, now: Now, ids: u64) -> Result<(), Error> {
        let time = &self.shards.time;
        let mut state = time.lock();
        let (now, mode) = state.mode().admit(now)?;
        time.tell(&mut state, now, mode, ids)
    }

    /// As [`check`](Self::check), of a key made by the [`fingerprinter`](Self::fingerprinter).
    ///
    /// # Errors
    /// `invalid_time`.
    pub fn look_up(&self, key: Key, now: impl Into<Now>) -> Result<Verdict, Error> {
        self.shards.present_of(key).window.look_up(key, now)
    }

    /// As [`check_many`](Self::check_many), of keys made by the [`fingerprinter`](Self::fingerprinter). `sink` gets each verdict
    /// once all are known, and no lock is held.
    ///
    /// # Errors
    /// `invalid_time`, `out_of_memory`. Nothing reaches `sink` then.
    pub fn look_up_many(
        &self,
        keys: &[Key],
        now: impl Into<Now>,
        sink: impl FnMut(Verdict),
    ) -> Result<(), Error> {
        let now = now.into();
        if keys.is_empty() {
            return self.shards.present(0).window.look_up_many(keys, now, sink);
        }
        let groups = Groups::new(keys, self.shards.count())?;
        let mut verdicts: Vec<Verdict> = reserved(keys.len())?;
        for (number, group) in groups.each() {
            let push = |verdict| verdicts.push(verdict);
            let shard = self.shards.present(number);
            shard.window.look_up_many(group, now, push)?;
        }
        groups.restore(keys, &verdicts, sink);
        Ok(())
    }

    /// Whether the id of this key is held: [`contains`](Self::contains) for callers that make keys elsewhere.
    #[must_use]
    pub fn contains_key(&self, key: Key) -> bool {
        self.shards.present_of(key).window.contains_key(key)
    }

    /// Forgets the id of this key: [`forget`](Self::forget) for callers that make keys elsewhere.
    ///
    /// # Errors
    /// `unsupported`, as there.
    pub fn forget_key(&self, key: Key) -> Result<bool, Error> {
        self.shards.present_of(key).window.forget_key(key)
    }
}
