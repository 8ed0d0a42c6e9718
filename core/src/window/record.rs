//! What a window does with keys: the calls beneath those that take ids, and what they share.

use alloc::vec::Vec;

use super::plain::AHEAD;
use super::{reserved, Window};
use crate::config::OnFull;
use crate::error::Error;
use crate::fingerprint::Key;
use crate::memory::{Kept, Memory};
use crate::ring::{Closing, Evicted};
use crate::sizing::MAX_GENERATIONS;
use crate::time::{Millis, Mode, Now, Tick};
use crate::verdict::Verdict;

impl<M: Memory> Window<M> {
    /// Records a key made by the [`fingerprinter`](Self::fingerprinter): [`observe`](Self::observe) for callers that make
    /// keys elsewhere, outside a lock for instance.
    ///
    /// # Errors
    /// As [`observe`](Self::observe), but for the id's.
    #[inline(always)]
    pub fn record(
        &mut self,
        key: Key,
        now: impl Into<Now>,
        at: Option<Millis>,
    ) -> Result<Verdict, Error> {
        let now = now.into();
        if at.is_none() {
            if let Some(found) = self.record_plain(key, now) {
                return Ok(match found {
                    Some(serial) => self.duplicate(self.time.head(), serial),
                    None => Verdict::First,
                });
            }
        }
        self.record_any(key, now, at)
    }

    /// [`record`](Self::record) where more is to be done than to look.
    #[inline(never)]
    pub(super) fn record_any(
        &mut self,
        key: Key,
        now: Now,
        at: Option<Millis>,
    ) -> Result<Verdict, Error> {
        let (now, mode) = self.mode.admit(now)?;
        let at = at.map(|at| at.checked("at")).transpose()?;
        self.prepare(now, mode, 1)?;
        self.tell(now, mode, 1);
        let verdict = self.judge(key, at);
        self.refresh();
        verdict
    }

    /// Records keys in order, at one time: [`observe_many`](Self::observe_many) for callers that make keys elsewhere.
    /// `sink` gets each verdict.
    ///
    /// # Errors
    /// As [`observe_many`](Self::observe_many), but for the ids'. Nothing reaches `sink` then.
    pub fn record_many(
        &mut self,
        keys: &[Key],
        now: impl Into<Now>,
        sink: impl FnMut(Verdict),
    ) -> Result<(), Error> {
        let now = now.into();
        if keys.is_empty() {
            return now.checked();
        }
        let (now, mode) = self.mode.admit(now)?;
        let mut fresh = match self.config.on_full {
            OnFull::Reject => reserved(keys.len())?,
            OnFull::EvictOldest | OnFull::Degrade => Vec::new(),
        };
        let claimed = M::FIXED && !self.claims.is_empty();
        let in_flight = reserved(if claimed { keys.len() } else { 0 })?;
        self.prepare(now, mode, keys.len())?;
        self.tell(now, mode, keys.len() as u64);
        self.refresh();
        if self.config.on_full == OnFull::Reject {
            if M::FIXED {
                return self.judge_all(keys, fresh, in_flight, sink);
            }
            self.fits(keys, &mut fresh)?;
        } else if !self.claims_leave_room(keys) {
            return Err(self.reject());
        }
        // Called in one place, so that it is compiled into it.
        let judged = self.judge_many(keys, sink);
        self.memory.release();
        judged
    }

    /// As [`check`](Self::check), of a key made by the [`fingerprinter`](Self::fingerprinter).
    ///
    /// # Errors
    /// `invalid_time`.
    pub fn look_up(&self, key: Key, now: impl Into<Now>) -> Result<Verdict, Error> {
        let mut answer = Verdict::First;
        self.look_up_many(&[key], now, |verdict| answer = verdict)?;
        Ok(answer)
    }

    /// As [`check_many`](Self::check_many), of keys made by the [`fingerprinter`](Self::fingerprinter). `sink` gets each verdict.
    ///
    /// # Errors
    /// `invalid_time`. Nothing reaches `sink` then.
    pub fn look_up_many(
        &self,
        keys: &[Key],
        now: impl Into<Now>,
        mut sink: impl FnMut(Verdict),
    ) -> Result<(), Error> {
        let as_of = self.mode.as_of(now.into(), self.time.time())?;
        let geometry = &self.config.geometry;
        let head = as_of.map_or(self.time.head(), |time| geometry.index(time));
        let time = as_of.unwrap_or(0);
        for (place, key) in keys.iter().enumerate() {
            if let Some(ahead) = keys.get(place + AHEAD) {
                self.memory.prefetch(*ahead);
            }
            let found = self.alive(*key);
            sink(match found.and_then(|serial| self.ring.index(serial)) {
                Some(index) if head - index < geometry.buckets as i64 => {
                    self.duplicate_of(head, index)
                }
                _ => self.claims.in_flight(*key, time).unwrap_or(Verdict::First),
            });
        }
        Ok(())
    }

    /// Whether the id of this key is held: [`contains`](Self::contains) for callers that make keys elsewhere.
    #[must_use]
    pub fn contains_key(&self, key: Key) -> bool {
        self.alive(key).is_some()
    }

    /// Forgets the id of this key: [`forget`](Self::forget) for callers that make keys elsewhere.
    ///
    /// # Errors
    /// `unsupported`, as there.
    pub fn forget_key(&mut self, key: Key) -> Result<bool, Error> {
        if !M::FORGETS {
            return Err(Error::Unsupported {
                call: "forget",
                accepted: "an exact memory or a cuckoo filter, which keep ids apart",
            });
        }
        let claimed = self.claims.find(key).map(|record| record.token);
        if let Some(token) = claimed {
            self.claims.remove(token);
            self.refresh();
        }
        let Some(serial) = self.alive(key) else {
            return Ok(claimed.is_some());
        };
        self.memory.remove(key, self.ring.front());
        self.ring.remove(serial);
        if let Some(bodies) = &mut self.bodies {
            bodies.remove(serial, key);
        }
        self.counts.forgotten += 1;
        Ok(true)
    }

    /// Everything that can still refuse a recording call, `full` excepted.
    #[inline]
    pub(super) fn prepare(&mut self, now: u64, mode: Mode, ids: usize) -> Result<(), Error> {
        if let (Some(max_step), Mode::Told) = (self.config.max_step, mode) {
            self.time.check_step(now, max_step)?;
        }
        self.ring.reserve(ids)?;
        self.memory.reserve(ids, self.ring.front())
    }

    /// Tells the time of a recording call of so many ids.
    #[inline]
    pub(super) fn tell(&mut self, now: u64, mode: Mode, ids: u64) {
        self.mode = mode;
        let (head, before) = (self.time.head(), self.time.time());
        match self.time.tell(now, &self.config.geometry) {
            Tick::Forward if head == self.time.head() && self.complete_since.is_some() => {}
            Tick::Forward => self.told(now),
            Tick::Regression => self.counts.clock_regressions += ids,
            Tick::Reset { buckets } => {
                let time = buckets * self.config.geometry.bucket as i64;
                self.ring.shift(buckets, time);
                // A thousand resets from end to end would overflow. What lies so far back is all one.
                let moved = |since: i64| (since + time).max(i64::MIN / 2);
                self.complete_since = self.complete_since.map(moved);
                self.claims.shift(now as i64 - before.unwrap_or(0) as i64);
                self.counts.clock_resets += 1;
            }
        }
        self.follow_leases();
    }

    /// What follows when window time has moved.
    pub(super) fn told(&mut self, now: u64) {
        self.complete_since.get_or_insert(now as i64);
        let head = self.time.head();
        let expired = self.ring.expire(head, &self.config.geometry);
        self.ring.turn(&self.config.closing, head);
        if expired > 0 {
            self.counts.expired += expired;
            self.memory.retire(self.ring.front(), self.ring.held());
            self.retire_bodies();
        }
    }

    /// The verdict on one id whose time was told, and its record if it is first.
    pub(super) fn judge(&mut self, key: Key, at: Option<u64>) -> Result<Verdict, Error> {
        if let Some(verdict) = self.seen(key, at) {
            return Ok(verdict);
        }
        // A claim whose lease ran out gives its place to its id's next sighting.
        let lost = self.claims.find(key).map(|record| record.token);
        self.make_room(u64::from(lost.is_some()))?;
        let may_evict = self.config.on_full == OnFull::EvictOldest;
        if !self.insert(key, may_evict) {
            return Err(self.reject());
        }
        if let Some(token) = lost {
            self.claims.remove(token);
        }
        Ok(Verdict::First)
    }

    /// The verdict on one id whose time was told, unless that is `first`.
    pub(super) fn seen(&mut self, key: Key, at: Option<u64>) -> Option<Verdict> {
        let (head, time) = (self.time.head(), self.time.time().unwrap_or(0));
        if let Some(serial) = self.alive(key) {
            self.counts.duplicate += 1;
            return Some(self.duplicate(head, serial));
        }
        if let Some(verdict) = self.claims.in_flight(key, time) {
            self.counts.in_flight += 1;
            return Some(verdict);
        }
        let max_lateness = self.config.max_lateness?;
        let is_late = time.saturating_sub(at?) > max_lateness;
        self.counts.late += u64::from(is_late);
        is_late.then_some(Verdict::Late)
    }

    /// Records one id for which there is room, but for what a memory of a fixed size says: where that has none, the oldest buckets are
    /// forgotten if they may be.
    pub(super) fn insert(&mut self, key: Key, may_evict: bool) -> bool {
        let (head, time) = (self.time.head(), self.time.time().unwrap_or(0));
        loop {
            let (serial, front) = (self.ring.serial(head), self.ring.front());
            if self.memory.insert(key, serial, front, self.ring.held() + 1) {
                break;
            }
            let evicted = if may_evict {
                self.ring.evict_one()
            } else {
                None
            };
            // A memory that holds nothing has room.
            match evicted {
                Some(evicted) => self.count_evicted(evicted),
                None => return false,
            }
        }
        self.ring.record(head, time as i64);
        true
    }

    #[inline]
    pub(super) fn duplicate(&self, head: i64, serial: u64) -> Verdict {
        // A bucket that a batch is about to open is the newest.
        self.duplicate_of(head, self.ring.index(serial).unwrap_or(head))
    }

    /// The verdict on an id that was recorded in the bucket of this index.
    #[inline]
    fn duplicate_of(&self, head: i64, index: i64) -> Verdict {
        if M::EXACT {
            Verdict::Duplicate {
                age: self.age(head, index),
            }
        } else {
            Verdict::ProbableDuplicate
        }
    }

    /// How many more ids can be recorded without a bucket closing early, an eviction, or `full`, as far as the window can tell
    /// without asking the memory for each.
    pub(super) fn room(&mut self) -> u64 {
        let closes_in = self.ring.closes_in(&self.config.closing, self.time.head());
        closes_in.min(self.left(0))
    }

    /// How many more ids fit under the cap beside the claims but so many, or into the bucket by the memory's own measure.
    pub(super) fn left(&mut self, but: u64) -> u64 {
        let capacity = self.config.capacity.unwrap_or(u64::MAX);
        let claims = self.claims.len() - but;
        let left = capacity.saturating_sub(self.ring.held() + claims);
        if !M::LIMITED || self.config.on_full != OnFull::Reject {
            return left;
        }
        let head = self.time.head();
        let (serial, front) = (self.ring.serial(head), self.ring.front());
        let (recorded, others) = self.ring.filling(head);
        let limit = self.memory.limit_of(serial, front, others);
        left.min(limit.saturating_sub(recorded + claims))
    }

    /// How many more ids fit in all, in the buckets that would be opened for them too.
    fn left_in_all(&mut self) -> u64 {
        let Closing::Generations(rule) = &self.config.closing else {
            return self.left(0);
        };
        let claims = self.claims.len();
        let head = self.time.head();
        let most = self.ring.most(rule, head);
        let (mut recorded, filled) = self.ring.filling(head);
        let mut others = [0; MAX_GENERATIONS as usize];
        let mut alive = 0;
        for (other, ids) in others.iter_mut().zip(filled) {
            *other = ids;
            alive += 1;
        }
        let mut left: u64 = 0;
        loop {
            let alive_ones = || others.iter().copied().take(alive);
            let takes = self
                .memory
                .limit(alive_ones())
                .saturating_sub(recorded + claims);
            let closes_in = rule
                .closes_at(most, alive_ones())
                .map_or(u64::MAX, |at| at.saturating_sub(recorded));
            if takes < closes_in {
                return left.saturating_add(takes);
            }
            left += closes_in;
            if let Some(other) = others.get_mut(alive) {
                *other = recorded + closes_in;
            }
            (recorded, alive) = (0, alive + 1);
        }
    }

    /// Sees to it that one more id fits under the cap beside the claims, but so many.
    pub(super) fn make_room(&mut self, but: u64) -> Result<(), Error> {
        self.ring.close(&self.config.closing, self.time.head());
        match (self.config.on_full, self.config.capacity) {
            (OnFull::Reject, _) => {
                if self.left(but) == 0 {
                    return Err(self.reject());
                }
            }
            (OnFull::EvictOldest, Some(capacity)) => {
                // Claims are not evicted.
                let claims = self.claims.len() - but;
                if claims >= capacity {
                    return Err(self.reject());
                }
                let evicted = self.ring.evict(capacity - claims);
                self.count_evicted(evicted);
            }
            (OnFull::EvictOldest | OnFull::Degrade, _) => {}
        }
        Ok(())
    }

    fn count_evicted(&mut self, evicted: Evicted) {
        self.counts.evicted += evicted.ids;
        self.complete_since = self.complete_since.max(evicted.complete_since);
        if evicted.ids > 0 {
            self.retire_bodies();
        }
    }

    /// Records a batch in a memory that can only be asked by recording: all of it, or nothing. `fresh` has room for the keys.
    fn judge_all(
        &mut self,
        keys: &[Key],
        mut fresh: Vec<u64>,
        mut in_flight: Vec<usize>,
        mut sink: impl FnMut(Verdict),
    ) -> Result<(), Error> {
        let (head, time) = (self.time.head(), self.time.time().unwrap_or(0));
        let (serial, front) = (self.ring.serial(head), self.ring.front());
        let capacity = self.config.capacity.unwrap_or(u64::MAX);
        let mut claims = self.claims.len();
        for key in keys.iter().take(AHEAD) {
            self.memory.prefetch(*key);
        }
        for (place, key) in keys.iter().enumerate() {
            if let Some(ahead) = keys.get(place + AHEAD) {
                self.memory.prefetch(*ahead);
            }
            let live = self.ring.held() + fresh.len() as u64 + 1;
            let claim = self.claims.find(*key);
            let is_in_flight = claim.is_some_and(|claim| self.claims.left(claim, time).is_some());
            let kept = if is_in_flight || live + claims - u64::from(claim.is_some()) > capacity {
                let found = self.memory.look(*key, front);
                found.map_or(Kept::Not, Kept::Before)
            } else {
                self.memory.look_or_insert(*key, serial, front, live)
            };
            match kept {
                Kept::Before(_) => {}
                Kept::Not if is_in_flight => in_flight.push(place),
                Kept::Now => {
                    claims -= u64::from(claim.is_some());
                    fresh.push(key.0);
                }
                Kept::Not => {
                    // Each of these was kept by itself, since it was not found before.
                    for key in fresh {
                        self.memory.remove(Key(key), front);
                    }
                    return Err(self.reject());
                }
            }
        }
        let firsts = fresh.len() as u64;
        self.counts.duplicate += keys.len() as u64 - firsts - in_flight.len() as u64;
        self.counts.in_flight += in_flight.len() as u64;
        if firsts > 0 {
            self.ring.record(head, time as i64);
            self.ring.record_more(time as i64, firsts - 1);
        }
        for key in &fresh {
            if let Some(token) = self.claims.find(Key(*key)).map(|record| record.token) {
                self.claims.remove(token);
            }
        }
        self.refresh();
        // A key was kept at its first place, and in order.
        let mut fresh = fresh.iter().peekable();
        let mut in_flight = in_flight.iter().peekable();
        for (place, key) in keys.iter().enumerate() {
            let is_in_flight = in_flight.next_if(|other| **other == place).is_some();
            let flying = self.claims.in_flight(*key, time).filter(|_| is_in_flight);
            sink(match fresh.next_if(|fresh| **fresh == key.0) {
                Some(_) => Verdict::First,
                None => flying.unwrap_or_else(|| self.duplicate(head, serial)),
            });
        }
        Ok(())
    }

    /// Refuses a batch whose distinct new ids do not all fit. `fresh` has room for them.
    fn fits(&mut self, keys: &[Key], fresh: &mut Vec<u64>) -> Result<(), Error> {
        let room = self.left_in_all();
        // One id is judged as by itself.
        if keys.len() == 1 || keys.len() as u64 <= room {
            return Ok(());
        }
        // What is claimed is in flight, or has its place, though perhaps in another generation than the one that it is recorded in.
        let time = self.time.time().unwrap_or(0);
        let has_place = |key: Key| match M::LIMITED {
            true => self.claims.in_flight(key, time).is_some(),
            false => self.claims.find(key).is_some(),
        };
        let is_new = |key: &&Key| self.alive(**key).is_none() && !has_place(**key);
        let new = keys.iter().filter(is_new);
        fresh.extend(new.map(|key| key.0));
        fresh.sort_unstable();
        fresh.dedup();
        if fresh.len() as u64 <= room {
            return Ok(());
        }
        Err(self.reject())
    }

    pub(super) fn reject(&mut self) -> Error {
        self.counts.rejected += 1;
        Error::Full {
            held: self.ring.held(),
            max_ids: self.config.max_ids,
        }
    }

    /// The serial of an id that is held, as of window time.
    pub(super) fn alive(&self, key: Key) -> Option<u64> {
        self.memory.look(key, self.ring.front())
    }

    pub(super) fn age(&self, head: i64, index: i64) -> Millis {
        Millis((head - index).max(0) as u64 * self.config.geometry.bucket)
    }
}
