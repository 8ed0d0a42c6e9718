//! What a window does as a shard of a [`ShardedWindow`](crate::ShardedWindow), whose time is kept for all shards together.

use super::{Mode, Window};
use crate::error::Error;
use crate::fingerprint::Key;
use crate::memory::Memory;
use crate::time::Timeline;

/// The time that shards share, for one of them to take over.
pub(crate) struct Shared<'a> {
    pub(crate) line: &'a Timeline,
    pub(crate) mode: Mode,
    pub(crate) complete_since: Option<i64>,
    /// By how many buckets re-anchorings have moved the head since the shard looked last; none if all that it held then
    /// has expired.
    pub(crate) moved: Option<i64>,
}

impl<M: Memory> Window<M> {
    /// Makes sure that no call but one that needs room in the memory can fail.
    pub(crate) fn reserve_ring(&mut self) -> Result<(), Error> {
        self.ring.reserve_whole(&self.config.geometry)
    }

    /// Makes sure that so many records cannot fail.
    pub(crate) fn reserve(&mut self, ids: usize) -> Result<(), Error> {
        self.memory.reserve(ids, self.ring.front())
    }

    /// Gives back what was reserved, unless it is little.
    pub(crate) fn release_memory(&mut self) {
        self.memory.release();
    }

    /// Whether one record cannot fail, as far as a glance tells.
    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        self.memory.is_ready()
    }

    #[inline]
    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// Takes over window time, when no more than that has changed since the shard looked last.
    #[inline]
    pub(crate) fn follow_calmly(&mut self, time: u64, regressions: u64) {
        self.time.tell_plain(time);
        self.counts.clock_regressions += regressions;
    }

    /// Takes over the time, whatever has changed, and drops what has expired.
    pub(crate) fn follow(&mut self, shared: &Shared<'_>) {
        let geometry = &self.config.geometry;
        self.mode = shared.mode;
        self.time = shared.line.clone();
        self.complete_since = shared.complete_since;
        let expired = match shared.moved {
            Some(moved) => {
                if moved != 0 {
                    self.ring.shift(moved, moved * geometry.bucket as i64);
                }
                self.ring.expire(self.time.head(), geometry)
            }
            None => self.ring.clear(),
        };
        if expired > 0 {
            self.counts.expired += expired;
            self.memory.retire(self.ring.front(), self.ring.held());
        }
        self.refresh();
    }

    /// The index of the newest bucket, as of the time taken over last.
    pub(crate) fn head(&self) -> i64 {
        self.time.head()
    }

    /// Asks for the memory where these keys belong.
    pub(crate) fn prefetch(&self, keys: &[Key]) {
        for key in keys {
            self.memory.prefetch(*key);
        }
    }
}
