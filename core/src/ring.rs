//! The ring of live buckets, oldest first: how many ids each holds, and what the cap and time take away whole.
//!
//! The ring knows no ids. A memory keeps for each id the *serial* of its bucket, a number that only grows; an id lives
//! iff its serial is not below [`Ring::front`]. So to expire or evict a bucket is to move the front, whatever it holds.

use alloc::vec::Vec;

use crate::error::Error;
use crate::generations::Generations;
use crate::time::Geometry;

/// At most this many early-closed buckets are alive at a time, so that time and cap share 250 bucket tags.
pub(crate) const MAX_EARLY: u64 = 64;

/// When a bucket closes before its time is up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Closing {
    /// Never.
    InTime,
    /// Once so many ids were recorded in it, so that it can be evicted by itself: see `DESIGN.md` §4.
    At(u64),
    /// Buckets are generations, which also span buckets: see `DESIGN.md` §8.
    Generations(Generations),
}

#[derive(Clone, Debug)]
struct Bucket {
    /// floor(time / b) of its ids, of a generation's latest; negative only after a re-anchoring.
    index: i64,
    /// The index that it was opened with.
    first: i64,
    recorded: u64,
    held: u64,
    /// The latest window time of its records, in the scale of `index`.
    last: i64,
    early: bool,
}

/// Ids that left the ring, and for an eviction since when the memory is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evicted {
    pub(crate) ids: u64,
    /// One more than the time of the last id that was evicted.
    pub(crate) complete_since: Option<i64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Ring {
    /// At most 250: to drop the oldest moves a few kilobytes, once a bucket.
    buckets: Vec<Bucket>,
    front: u64,
    held: u64,
    early: u64,
    /// Ids in the newest bucket that its counts and `held` do not have yet, and the time of the last of them: so to
    /// count one more is to write here.
    more: u64,
    last: i64,
    /// The bucket of time that the newest generation is extended to once an id is recorded in it.
    extends_to: Option<i64>,
}

impl Default for Ring {
    fn default() -> Self {
        Self {
            buckets: Vec::new(),
            // So that a memory can keep a serial's distance to the one before the front, and 0 for no entry.
            front: 1,
            held: 0,
            early: 0,
            more: 0,
            last: 0,
            extends_to: None,
        }
    }
}

impl Ring {
    /// Serials below this are no longer alive.
    #[inline]
    pub(crate) fn front(&self) -> u64 {
        self.front
    }

    /// Ids in live buckets.
    #[inline]
    pub(crate) fn held(&self) -> u64 {
        self.held + self.more
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.buckets.capacity() * size_of::<Bucket>()
    }

    /// Makes sure that so many calls of [`record`](Self::record) at one time need no allocation.
    pub(crate) fn reserve(&mut self, ids: usize) -> Result<(), Error> {
        // One bucket of the present time, and those that close early beside it.
        let more = ids.min(MAX_EARLY as usize + 1);
        if self.buckets.capacity() - self.buckets.len() >= more {
            return Ok(());
        }
        self.buckets
            .try_reserve(more)
            .map_err(|_| Error::OutOfMemory)
    }

    /// Makes sure that no call of [`record`](Self::record) needs an allocation, while no bucket closes early.
    #[cfg(feature = "std")]
    pub(crate) fn reserve_whole(&mut self, geometry: &Geometry) -> Result<(), Error> {
        self.buckets
            .try_reserve_exact(geometry.buckets as usize)
            .map_err(|_| Error::OutOfMemory)
    }

    /// The bucket index of a live serial.
    pub(crate) fn index(&self, serial: u64) -> Option<i64> {
        let position = usize::try_from(serial.checked_sub(self.front)?).ok()?;
        self.buckets.get(position).map(|bucket| bucket.index)
    }

    /// How many ids the bucket of a live serial holds.
    pub(crate) fn held_in(&self, serial: u64) -> u64 {
        let position = serial.wrapping_sub(self.front) as usize;
        let newest = position + 1 == self.buckets.len();
        let held = self.buckets.get(position).map_or(0, |bucket| bucket.held);
        held + if newest { self.more } else { 0 }
    }

    /// The index of the oldest bucket that holds an id and is not expired by `head`.
    pub(crate) fn oldest(&self, head: i64, geometry: &Geometry) -> Option<i64> {
        let alive = |bucket: &&Bucket| !expired(bucket, head, geometry);
        let oldest = self.buckets.iter().filter(alive).find(|b| b.held > 0);
        // If there is none, the newest may hold what its counts do not have yet.
        let newest = self.buckets.last().filter(|_| self.more > 0).filter(alive);
        oldest.or(newest).map(|bucket| bucket.first)
    }

    /// How many ids will have expired when the newest bucket is `head`.
    pub(crate) fn expired_by(&self, head: i64, geometry: &Geometry) -> u64 {
        if self
            .buckets
            .last()
            .is_some_and(|newest| expired(newest, head, geometry))
        {
            return self.held();
        }
        self.buckets
            .iter()
            .take_while(|bucket| expired(bucket, head, geometry))
            .map(|bucket| bucket.held)
            .sum()
    }

    /// Drops the buckets that have expired when the newest is `head`, and returns how many ids they held.
    pub(crate) fn expire(&mut self, head: i64, geometry: &Geometry) -> u64 {
        let gone = self
            .buckets
            .iter()
            .take_while(|bucket| expired(bucket, head, geometry));
        let gone = gone.count();
        self.drop_oldest(gone)
    }

    /// Closes the newest bucket, if it is that of `head`, when it is due: once so many ids were recorded in it.
    pub(crate) fn close(&mut self, closing: &Closing, head: i64) {
        if self.closes_in(closing, head) == 0 {
            self.close_newest();
        }
    }

    fn close_newest(&mut self) {
        self.settle();
        if let Some(newest) = self.buckets.last_mut().filter(|newest| !newest.early) {
            newest.early = true;
            self.early += 1;
        }
    }

    /// Decides whether the newest generation takes the ids of `head` too, when that has come.
    pub(crate) fn turn(&mut self, closing: &Closing, head: i64) {
        let Closing::Generations(rule) = closing else {
            return;
        };
        // Decided once, whatever is recorded until the next bucket of time.
        if self.taker(head).is_some() {
            return;
        }
        self.settle();
        self.extends_to = None;
        let Some(newest) = self.buckets.last().filter(|newest| !newest.early) else {
            return;
        };
        let is_over = rule.is_over(head, newest.first, newest.recorded);
        if is_over && self.buckets.len() as u64 <= self.most(rule, head) {
            self.close_newest();
        } else {
            self.extends_to = Some(head);
        }
    }

    /// How many generations may be alive for one more to be opened.
    pub(crate) fn most(&self, rule: &Generations, head: i64) -> u64 {
        let oldest = self.buckets.first();
        rule.most(head, oldest.map_or(head, |oldest| oldest.index))
    }

    /// Forgets the oldest buckets until fewer than `max_ids` are held: see `DESIGN.md` §4.
    pub(crate) fn evict(&mut self, max_ids: u64) -> Evicted {
        self.settle();
        let mut evicted = Evicted::default();
        let mut gone = 0;
        for bucket in &self.buckets {
            if self.held - evicted.ids < max_ids {
                break;
            }
            gone += 1;
            evicted.ids += bucket.held;
            if bucket.held > 0 {
                evicted.complete_since = Some(bucket.last + 1);
            }
        }
        self.drop_oldest(gone);
        evicted
    }

    /// Forgets the oldest bucket; none if there is no bucket.
    pub(crate) fn evict_one(&mut self) -> Option<Evicted> {
        self.settle();
        let oldest = self.buckets.first()?;
        let complete_since = (oldest.held > 0).then_some(oldest.last + 1);
        Some(Evicted {
            ids: self.drop_oldest(1),
            complete_since,
        })
    }

    /// The serial of the bucket of `head`, if there is one that takes more ids.
    pub(crate) fn open(&self, head: i64) -> Option<u64> {
        let newest = self.buckets.last()?;
        (newest.index == head && !newest.early).then(|| self.newest())
    }

    /// The serial of the newest bucket.
    fn newest(&self) -> u64 {
        self.front + self.buckets.len() as u64 - 1
    }

    /// The newest bucket, if the next id of the bucket of `head` is recorded in it.
    fn taker(&self, head: i64) -> Option<&Bucket> {
        let is_of = |index| index == head || self.extends_to == Some(head);
        let newest = self.buckets.last()?;
        (is_of(newest.index) && !newest.early).then_some(newest)
    }

    /// The serial under which the next id of the bucket of `head` is recorded.
    pub(crate) fn serial(&self, head: i64) -> u64 {
        match self.taker(head) {
            Some(_) => self.newest(),
            None => self.newest() + 1,
        }
    }

    /// How many more ids are recorded with the bucket of `head` before [`close`](Self::close) would do anything.
    pub(crate) fn closes_in(&self, closing: &Closing, head: i64) -> u64 {
        let (recorded, others) = self.filling(head);
        let closes_at = match closing {
            Closing::InTime => None,
            Closing::At(ids) => (self.early < MAX_EARLY).then_some(*ids),
            Closing::Generations(rule) => rule.closes_at(self.most(rule, head), others),
        };
        closes_at.map_or(u64::MAX, |at| at.saturating_sub(recorded))
    }

    /// How many ids were recorded in the bucket that takes those of `head`, if there is one, and in each of the others.
    pub(crate) fn filling(&self, head: i64) -> (u64, impl Iterator<Item = u64> + '_) {
        let newest = self.taker(head);
        let recorded = newest.map_or(0, |newest| newest.recorded + self.more);
        let others = self.buckets.len() - usize::from(newest.is_some());
        let others = self.buckets.iter().take(others);
        (recorded, others.map(|bucket| bucket.recorded))
    }

    /// What the front will be when the newest bucket is `head`.
    pub(crate) fn front_at(&self, head: i64, geometry: &Geometry) -> u64 {
        let gone = self.buckets.iter();
        let gone = gone.take_while(|bucket| expired(bucket, head, geometry));
        self.front + gone.count() as u64
    }

    /// Counts one more id in the bucket of `head`, opening it if need be, and returns its serial.
    pub(crate) fn record(&mut self, head: i64, time: i64) -> u64 {
        if self.open(head).is_none() {
            self.settle();
            let extends = self.taker(head).is_some();
            match self.buckets.last_mut() {
                Some(newest) if extends => newest.index = head,
                _ => self.buckets.push(Bucket {
                    index: head,
                    first: head,
                    recorded: 0,
                    held: 0,
                    last: time,
                    early: false,
                }),
            }
        }
        self.record_more(time, 1);
        self.newest()
    }

    /// Counts so many more ids in the newest bucket, which is open.
    #[inline]
    pub(crate) fn record_more(&mut self, time: i64, ids: u64) {
        self.more += ids;
        self.last = time;
    }

    /// Brings the counts up to date.
    fn settle(&mut self) {
        if self.more == 0 {
            return;
        }
        if let Some(newest) = self.buckets.last_mut() {
            newest.recorded += self.more;
            newest.held += self.more;
            // After a re-anchoring an earlier record can have the later time.
            newest.last = newest.last.max(self.last);
        }
        self.held += self.more;
        self.more = 0;
    }

    /// Counts one id less in the bucket of a live serial.
    pub(crate) fn remove(&mut self, serial: u64) {
        self.settle();
        let position = serial.wrapping_sub(self.front) as usize;
        if let Some(bucket) = self.buckets.get_mut(position) {
            bucket.held -= 1;
            self.held -= 1;
        }
    }

    /// Drops every bucket and returns how many ids they held.
    pub(crate) fn clear(&mut self) -> u64 {
        self.drop_oldest(self.buckets.len())
    }

    /// Relabels every bucket after a re-anchoring.
    pub(crate) fn shift(&mut self, buckets: i64, time: i64) {
        self.settle();
        for bucket in &mut self.buckets {
            bucket.index += buckets;
            bucket.first += buckets;
            bucket.last += time;
        }
        self.extends_to = self.extends_to.map(|head| head + buckets);
    }

    /// Drops so many buckets and returns how many ids they held.
    fn drop_oldest(&mut self, count: usize) -> u64 {
        self.settle();
        let mut ids = 0;
        for bucket in self.buckets.drain(..count) {
            ids += bucket.held;
            self.early -= u64::from(bucket.early);
        }
        self.front += count as u64;
        self.held -= ids;
        if self.buckets.is_empty() {
            self.extends_to = None;
        }
        ids
    }

    /// Whether the counts agree with each other.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn validate(&self) {
        assert_eq!(self.held, self.buckets.iter().map(|b| b.held).sum::<u64>());
        assert_eq!(
            self.early,
            self.buckets.iter().filter(|b| b.early).count() as u64
        );
        assert!(self.buckets.iter().all(|b| b.held <= b.recorded));
        assert!(self.buckets.len() <= 250);
        assert!(self
            .buckets
            .iter()
            .zip(self.buckets.iter().skip(1))
            .all(|(a, b)| a.index < b.index || a.index == b.index && a.early));
    }
}

fn expired(bucket: &Bucket, head: i64, geometry: &Geometry) -> bool {
    head - bucket.index >= geometry.buckets as i64
}
