//! The plain recording call: in the newest bucket, with nothing to prepare and nothing that could refuse it. Most are.

use super::{Mode, Window};
use crate::error::Error;
use crate::fingerprint::Key;
use crate::memory::{Kept, Memory};
use crate::time::Now;
use crate::verdict::Verdict;

/// How many ids ahead a batch asks for memory: long enough for a cache miss, and few enough for the first-level cache.
pub(super) const AHEAD: usize = 32;

/// What plain calls may take for granted until a call that is not plain has changed it.
#[derive(Clone, Copy, Default)]
pub(super) struct Plain {
    /// The times that are plain: so many from the first one on. None where no call is.
    start: u64,
    span: u64,
    /// Whether calls give the time.
    told: bool,
    /// The serial of the newest bucket, which is open, and the oldest serial alive.
    serial: u64,
    front: u64,
    /// How many more ids the bucket and the cap take.
    room: u64,
}

impl<M: Memory> Window<M> {
    /// Works out anew which calls are plain: after every call that moved time or the ring.
    pub(super) fn refresh(&mut self) {
        let (start, span) = self.time.plain();
        let config = &self.config;
        // A step inside a bucket is at most as long as the bucket.
        let may_step = config
            .max_step
            .is_none_or(|max| max >= config.geometry.bucket);
        let room = self.room();
        self.plain = match self.ring.open(self.time.head()) {
            // Where ids are claimed, each is looked for among the claims too.
            Some(serial) if may_step && self.claims.is_empty() => Plain {
                start,
                span,
                told: self.mode == Mode::Told,
                serial,
                front: self.ring.front(),
                room,
            },
            _ => Plain::default(),
        };
    }

    /// Records a key if that is plain: the serial under which it was kept, or none if it is kept now.
    #[inline(always)]
    pub(super) fn record_plain(&mut self, key: Key, now: Now) -> Option<Option<u64>> {
        let (now, told) = match now {
            Now::Told(now) => (now.0, true),
            Now::Clock(now) => (now.0, false),
            Now::Unsaid => return None,
        };
        let Plain { start, span, .. } = self.plain;
        let plain = now.wrapping_sub(start) < span && told == self.plain.told;
        if !plain || !self.is_open() {
            return None;
        }
        // A time behind another in the same bucket leaves window time where it is.
        let time = self.time.tell_plain(now);
        self.record_open(key, time)
    }

    /// Whether there is an open bucket with room, and memory for one id.
    #[inline]
    fn is_open(&self) -> bool {
        self.plain.room > 0 && self.memory.is_ready()
    }

    /// [`record_plain`](Self::record_plain) of a key whose time was told, where [`is_open`](Self::is_open): none if the memory has no
    /// room.
    #[inline(always)]
    fn record_open(&mut self, key: Key, time: u64) -> Option<Option<u64>> {
        let Plain {
            serial,
            front,
            room,
            ..
        } = self.plain;
        let live = self.ring.held() + 1;
        match self.memory.look_or_insert(key, serial, front, live) {
            Kept::Before(serial) => {
                self.counts.duplicate += 1;
                Some(Some(serial))
            }
            Kept::Now => {
                self.plain.room = room - 1;
                self.ring.record_more(time as i64, 1);
                Some(None)
            }
            Kept::Not => None,
        }
    }

    /// The verdict on one id whose time was told, and its record if it is first.
    #[cfg(feature = "std")]
    #[inline]
    pub(crate) fn judge_told(&mut self, key: Key, at: Option<u64>) -> Result<Verdict, Error> {
        if at.is_none() && self.is_open() {
            let time = self.time.time().unwrap_or(0);
            if let Some(found) = self.record_open(key, time) {
                return Ok(match found {
                    Some(serial) => self.duplicate(self.time.head(), serial),
                    None => Verdict::First,
                });
            }
        }
        let verdict = self.judge(key, at);
        self.refresh();
        verdict
    }

    /// [`judge`](Self::judge) in order; what is the same for many is done once for them.
    ///
    /// These are accounted for before `sink` hears of them: a sink that panics leaves the window whole.
    pub(crate) fn judge_many(
        &mut self,
        keys: &[Key],
        mut sink: impl FnMut(Verdict),
    ) -> Result<(), Error> {
        let (head, time) = (self.time.head(), self.time.time().unwrap_or(0));
        let mut verdicts = [Verdict::First; AHEAD];
        for key in keys.iter().take(AHEAD) {
            self.memory.prefetch(*key);
        }
        let mut rest = keys;
        while let Some((key, others)) = rest.split_first() {
            let Plain {
                serial,
                front,
                room,
                ..
            } = self.plain;
            let some = rest
                .len()
                .min(AHEAD)
                .min(usize::try_from(room).unwrap_or(AHEAD));
            if some == 0 {
                if let Some(ahead) = rest.get(AHEAD) {
                    self.memory.prefetch(*ahead);
                }
                let verdict = self.judge(*key, None);
                self.refresh();
                sink(verdict?);
                rest = others;
                continue;
            }
            let (chunk, after) = rest.split_at(some);
            let live = self.ring.held() + 1;
            let (mut firsts, mut done) = (0, some);
            for ((place, key), verdict) in chunk.iter().enumerate().zip(&mut verdicts) {
                if let Some(ahead) = rest.get(place + AHEAD) {
                    self.memory.prefetch(*ahead);
                }
                let kept = self
                    .memory
                    .look_or_insert(*key, serial, front, live + firsts);
                *verdict = match kept {
                    Kept::Before(serial) => self.duplicate(head, serial),
                    Kept::Now => {
                        firsts += 1;
                        Verdict::First
                    }
                    Kept::Not => {
                        done = place;
                        break;
                    }
                };
            }
            if firsts > 0 {
                self.ring.record_more(time as i64, firsts);
            }
            // Where one found no room, the next round makes some.
            self.plain.room = if done == some { room - firsts } else { 0 };
            self.counts.duplicate += done as u64 - firsts;
            for verdict in verdicts.iter().take(done) {
                sink(*verdict);
            }
            rest = if done == some {
                after
            } else {
                rest.get(done..).unwrap_or_default()
            };
        }
        Ok(())
    }
}
