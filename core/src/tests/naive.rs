//! The naive twin of a window: lists, linear search, and the rules of `DESIGN.md` word for word.

use alloc::vec::Vec;

use super::naive_claims::Claims;
use crate::{Config, Error, Memory, Millis, OnFull, Span, Stats, Verdict};

#[derive(Clone)]
struct Entry {
    id: u64,
    bucket: usize,
}

#[derive(Clone)]
struct Bucket {
    first: i64,
    index: i64,
    recorded: u64,
    last: i64,
    early: bool,
    alive: bool,
}

#[derive(Clone)]
pub(super) struct Naive {
    window: u64,
    b: u64,
    n: i64,
    max_ids: Option<u64>,
    on_full: OnFull,
    max_step: Option<Millis>,
    max_lateness: Option<Millis>,
    /// Whether what was seen is a duplicate for certain.
    exact: bool,
    time: Option<u64>,
    suspect: Option<u64>,
    complete_since: Option<i64>,
    entries: Vec<Entry>,
    buckets: Vec<Bucket>,
    /// For how many ids in a window generations close by `DESIGN.md` §8, and the bucket decided on last.
    expected: Option<u64>,
    turned: Option<i64>,
    counts: Stats,
    pub(super) claims: Claims,
}

impl Naive {
    pub(super) fn new<M: Memory>(config: &Config<M>, max_ids: Option<u64>, parts: u64) -> Self {
        let (window, b) = match config.span {
            Span::Window { window, bucket } => {
                (window.0, bucket.map_or(window.0.div_ceil(parts), |b| b.0))
            }
            Span::Buckets { bucket, buckets } => ((buckets - 1) * bucket.0, bucket.0),
        };
        Self {
            window,
            b,
            n: window.div_ceil(b) as i64 + 1,
            max_ids,
            on_full: config.on_full,
            max_step: config.max_step,
            max_lateness: config.max_lateness,
            exact: M::EXACT,
            time: None,
            suspect: None,
            complete_since: None,
            entries: Vec::new(),
            buckets: Vec::new(),
            expected: None,
            turned: None,
            counts: Stats::default(),
            claims: Claims::default(),
        }
    }

    pub(super) fn with_generations(mut self, expected: u64) -> Self {
        let (whole, window) = ((self.n as u64 - 1) * self.b, self.window);
        self.expected = Some((expected * whole).div_ceil(window));
        self
    }

    fn alive(&self) -> impl DoubleEndedIterator<Item = &Bucket> {
        self.buckets.iter().filter(|bucket| bucket.alive)
    }

    /// Ids of a generation at an even load, and the buckets that it spans.
    fn even(&self, expected: u64) -> (u64, i64) {
        let span = (self.n as u64 - 1).div_ceil(7);
        ((expected * span).div_ceil(self.n as u64 - 1), span as i64)
    }

    /// How many generations may be alive for one more to be opened.
    fn most(&self) -> usize {
        let oldest = self.alive().next().map_or(self.head(), |b| b.index);
        if self.head() - oldest >= self.n / 2 {
            7
        } else {
            6
        }
    }

    /// When window time has come to another bucket: the newest generation closes, or takes the ids of this bucket too.
    fn turn(&mut self, expected: u64) {
        let head = self.head();
        let (each, span) = self.even(expected);
        let may = self.alive().count() <= self.most();
        let half = self.n - self.n / 2;
        let Some(newest) = self.buckets.last_mut().filter(|b| b.alive) else {
            self.turned = None;
            return;
        };
        if newest.early || newest.index == head || self.turned == Some(head) {
            return;
        }
        let age = head - newest.first;
        let over = age >= half || age >= span && 2 * newest.recorded >= each;
        if over && may {
            newest.early = true;
        } else {
            self.turned = Some(head);
        }
    }

    /// Before a new id: the newest generation closes if it has its share.
    fn close(&mut self, expected: u64) {
        let (alive, most) = (self.alive().count() as u64, self.most() as u64);
        if alive > most {
            return;
        }
        let others: u64 = self.alive().rev().skip(1).map(|b| b.recorded).sum();
        let takers = most - alive + 2;
        let share = expected.saturating_sub(others).div_ceil(takers);
        let (each, _) = self.even(expected);
        if let Some(newest) = self.buckets.last_mut().filter(|b| b.alive && !b.early) {
            newest.early = newest.recorded >= each.max(share);
        }
    }

    fn head(&self) -> i64 {
        (self.time.unwrap() / self.b) as i64
    }

    fn tell(&mut self, now: u64, ids: u64) {
        let before = self.time;
        let resets = self.counts.clock_resets;
        self.tell_time(now, ids);
        if self.counts.clock_resets > resets {
            self.claims.shift(now as i64 - before.unwrap() as i64);
        }
        self.follow_leases();
    }

    fn follow_leases(&mut self) {
        if let Some(time) = self.time {
            self.counts.leases_expired += self.claims.advance(time, self.window);
        }
    }

    fn tell_time(&mut self, now: u64, ids: u64) {
        let Some(time) = self.time else {
            self.time = Some(now);
            self.complete_since = Some(now as i64);
            return;
        };
        let start = self.head() * self.b as i64;
        let behind = start - now as i64;
        if behind <= 0 {
            self.suspect = None;
            self.time = Some(time.max(now));
            self.expire();
            return;
        }
        if behind > self.n * self.b as i64 {
            match self.suspect {
                None => self.suspect = Some(now),
                Some(suspect) if now >= suspect + self.b => {
                    let d = (now / self.b) as i64 - self.head();
                    for bucket in &mut self.buckets {
                        bucket.index += d;
                        bucket.first += d;
                        bucket.last += d * self.b as i64;
                    }
                    self.complete_since = self.complete_since.map(|c| c + d * self.b as i64);
                    self.turned = self.turned.map(|head| head + d);
                    self.time = Some(now);
                    self.suspect = None;
                    self.counts.clock_resets += 1;
                    return;
                }
                Some(_) => {}
            }
        } else {
            self.suspect = None;
        }
        self.counts.clock_regressions += ids;
    }

    fn expire(&mut self) {
        for bucket in 0..self.buckets.len() {
            if self.buckets[bucket].alive && self.head() >= self.buckets[bucket].index + self.n {
                self.counts.expired += self.drop_bucket(bucket);
            }
        }
        if let Some(expected) = self.expected {
            self.turn(expected);
        }
    }

    fn drop_bucket(&mut self, bucket: usize) -> u64 {
        let before = self.entries.len();
        self.entries.retain(|entry| entry.bucket != bucket);
        self.buckets[bucket].alive = false;
        (before - self.entries.len()) as u64
    }

    fn position(&self, id: u64) -> Option<usize> {
        self.entries.iter().position(|entry| entry.id == id)
    }

    fn step(&self, now: u64) -> Result<(), Error> {
        match (self.time, self.max_step) {
            (Some(time), Some(max_step)) if now > time + max_step.0 => Err(Error::ClockStep {
                now: Millis(now),
                window_time: Millis(time),
                max_step,
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn observe(&mut self, id: u64, now: u64, at: Option<u64>) -> Result<Verdict, Error> {
        self.step(now)?;
        self.tell(now, 1);
        self.judge(id, at)
    }

    pub(super) fn observe_many(&mut self, ids: &[u64], now: u64) -> Result<Vec<Verdict>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.step(now)?;
        self.tell(now, ids.len() as u64);
        // All of it, or nothing.
        let mut copy = self.clone();
        let judged: Result<Vec<_>, Error> = ids.iter().map(|id| copy.judge(*id, None)).collect();
        match judged {
            Ok(_) => *self = copy,
            Err(_) => return Err(self.reject()),
        }
        judged
    }

    pub(super) fn claim(
        &mut self,
        id: u64,
        lease: u64,
        now: u64,
        at: Option<u64>,
    ) -> Result<(Verdict, Option<u64>), Error> {
        self.step(now)?;
        self.tell(now, 1);
        self.judge_claim(id, lease, at)
    }

    pub(super) fn claim_many(
        &mut self,
        ids: &[u64],
        lease: u64,
        now: u64,
    ) -> Result<Vec<(Verdict, Option<u64>)>, Error> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        self.step(now)?;
        self.tell(now, ids.len() as u64);
        let mut copy = self.clone();
        let judged: Result<Vec<_>, Error> = ids
            .iter()
            .map(|id| copy.judge_claim(*id, lease, None))
            .collect();
        match judged {
            Ok(_) => *self = copy,
            Err(_) => {
                // Tokens are never used again, where it was noticed on the way.
                if self.on_full != OnFull::EvictOldest {
                    self.claims.last = copy.claims.last;
                }
                return Err(self.reject());
            }
        }
        judged
    }

    fn judge_claim(
        &mut self,
        id: u64,
        lease: u64,
        at: Option<u64>,
    ) -> Result<(Verdict, Option<u64>), Error> {
        if let Some(verdict) = self.seen(id, at) {
            return Ok((verdict, None));
        }
        if !self.claims.is_on_record(id) {
            self.make_room(0)?;
        }
        self.counts.checked += 1;
        self.counts.first += 1;
        let token = self.claims.put(id, self.time.unwrap() + lease);
        Ok((Verdict::First, Some(token)))
    }

    pub(super) fn commit(&mut self, token: u64, now: u64) -> Result<(), Error> {
        self.step(now)?;
        self.must_stand(token, now)?;
        self.tell(now, 1);
        self.commit_told(token);
        Ok(())
    }

    pub(super) fn commit_many(&mut self, tokens: &[u64], now: u64) -> Result<Vec<bool>, Error> {
        if tokens.is_empty() {
            return Ok(Vec::new());
        }
        self.step(now)?;
        self.tell(now, tokens.len() as u64);
        Ok(tokens
            .iter()
            .map(|token| self.commit_told(*token))
            .collect())
    }

    fn commit_told(&mut self, token: u64) -> bool {
        let Some(id) = self.claims.remove(token) else {
            return false;
        };
        self.close_newest();
        self.record(id);
        true
    }

    pub(super) fn release(&mut self, token: u64) -> Result<(), Error> {
        let removed = self.claims.remove(token);
        removed.map(drop).ok_or(Error::LeaseLost { token })
    }

    pub(super) fn renew(&mut self, token: u64, lease: u64, now: u64) -> Result<(), Error> {
        self.step(now)?;
        self.must_stand(token, now)?;
        self.tell(now, 1);
        let deadline = self.time.unwrap() + lease;
        self.claims.renew(token, deadline);
        Ok(())
    }

    fn must_stand(&self, token: u64, now: u64) -> Result<(), Error> {
        let mut later = self.clone();
        later.tell(now, 1);
        let stands = later.claims.remove(token).is_some();
        stands.then_some(()).ok_or(Error::LeaseLost { token })
    }

    fn reject(&mut self) -> Error {
        self.counts.checked += 1;
        self.counts.rejected += 1;
        Error::Full {
            held: self.len(),
            max_ids: self.max_ids,
        }
    }

    fn judge(&mut self, id: u64, at: Option<u64>) -> Result<Verdict, Error> {
        if let Some(verdict) = self.seen(id, at) {
            return Ok(verdict);
        }
        self.make_room(u64::from(self.claims.is_on_record(id)))?;
        self.claims.drop_id(id);
        self.record(id);
        self.counts.checked += 1;
        self.counts.first += 1;
        Ok(Verdict::First)
    }

    fn seen(&mut self, id: u64, at: Option<u64>) -> Option<Verdict> {
        let (time, head) = (self.time.unwrap(), self.head());
        if let Some(position) = self.position(id) {
            self.counts.checked += 1;
            if self.exact {
                self.counts.duplicate += 1;
            } else {
                self.counts.probable_duplicate += 1;
            }
            return Some(self.duplicate(head, position));
        }
        if let Some(verdict) = self.claims.in_flight(id, time) {
            self.counts.checked += 1;
            self.counts.in_flight += 1;
            return Some(verdict);
        }
        if let (Some(at), Some(max_lateness)) = (at, self.max_lateness) {
            if time as i64 - at as i64 > max_lateness.0 as i64 {
                self.counts.checked += 1;
                self.counts.late += 1;
                return Some(Verdict::Late);
            }
        }
        None
    }

    /// Room for one more beside the claims, but so many.
    fn make_room(&mut self, but: u64) -> Result<(), Error> {
        self.close_newest();
        let Some(max_ids) = self.max_ids else {
            return Ok(());
        };
        let claims = self.claims.len() - but;
        let held = self.entries.len() as u64;
        match self.on_full {
            OnFull::Reject if held + claims >= max_ids => return Err(self.reject()),
            OnFull::EvictOldest if claims >= max_ids => return Err(self.reject()),
            OnFull::EvictOldest => self.evict(max_ids - claims),
            OnFull::Reject | OnFull::Degrade => {}
        }
        Ok(())
    }

    fn record(&mut self, id: u64) {
        let (time, head) = (self.time.unwrap(), self.head());
        if self.turned == Some(head) {
            if let Some(newest) = self.buckets.last_mut().filter(|b| b.alive && !b.early) {
                newest.index = head;
            }
        }
        let open = self
            .buckets
            .last()
            .is_some_and(|bucket| bucket.alive && bucket.index == head && !bucket.early);
        if !open {
            self.buckets.push(Bucket {
                first: head,
                index: head,
                recorded: 0,
                last: i64::MIN,
                early: false,
                alive: true,
            });
        }
        let bucket = self.buckets.len() - 1;
        self.buckets[bucket].recorded += 1;
        self.buckets[bucket].last = self.buckets[bucket].last.max(time as i64);
        self.entries.push(Entry { id, bucket });
    }

    fn close_newest(&mut self) {
        if let Some(expected) = self.expected {
            self.close(expected);
        }
        let (Some(max_ids), OnFull::EvictOldest) = (self.max_ids, self.on_full) else {
            return;
        };
        let head = self.head();
        let early = self.buckets.iter().filter(|b| b.alive && b.early).count();
        if let Some(newest) = self.buckets.last_mut() {
            let full = newest.recorded >= max_ids.div_ceil(64);
            if newest.alive && newest.index == head && full && early < 64 {
                newest.early = true;
            }
        }
    }

    fn evict(&mut self, below: u64) {
        while self.entries.len() as u64 >= below {
            let oldest = self.buckets.iter().position(|bucket| bucket.alive).unwrap();
            let gone = self.drop_bucket(oldest);
            self.counts.evicted += gone;
            if gone > 0 {
                let since = self.buckets[oldest].last + 1;
                self.complete_since = self.complete_since.max(Some(since));
            }
        }
    }

    fn duplicate(&self, head: i64, position: usize) -> Verdict {
        if !self.exact {
            return Verdict::ProbableDuplicate;
        }
        let index = self.buckets[self.entries[position].bucket].index;
        Verdict::Duplicate {
            age: Millis((head - index) as u64 * self.b),
        }
    }

    pub(super) fn check(&self, id: u64, now: u64) -> Verdict {
        let head = (self.time.unwrap_or(0).max(now) / self.b) as i64;
        match self.position(id) {
            Some(position) if head < self.buckets[self.entries[position].bucket].index + self.n => {
                self.duplicate(head, position)
            }
            _ => {
                let time = self.time.unwrap_or(0).max(now);
                self.claims.in_flight(id, time).unwrap_or(Verdict::First)
            }
        }
    }

    pub(super) fn forget(&mut self, id: u64) -> bool {
        let claimed = self.claims.drop_id(id);
        match self.position(id) {
            Some(position) => {
                self.entries.remove(position);
                self.counts.forgotten += 1;
                true
            }
            None => claimed,
        }
    }

    pub(super) fn advance(&mut self, now: u64) {
        if self.time.is_none_or(|time| now > time) {
            self.complete_since.get_or_insert(now as i64);
            self.time = Some(now);
            self.expire();
        }
        self.follow_leases();
    }

    pub(super) fn clear(&mut self) {
        self.counts.forgotten += self.entries.len() as u64;
        self.entries.clear();
        self.buckets.clear();
        self.claims.clear();
        self.complete_since = self.time.map(|time| time as i64);
    }

    pub(super) fn len(&self) -> u64 {
        self.entries.len() as u64
    }

    /// All but the bytes, which the twin has no opinion on.
    pub(super) fn stats(&self, now: u64) -> Stats {
        let as_of = self.time.unwrap_or(0).max(now);
        let head = (as_of / self.b) as i64;
        let mut alive = self.counts;
        let buckets = self.entries.iter().map(|e| &self.buckets[e.bucket]);
        let held: Vec<&Bucket> = buckets.filter(|b| head < b.index + self.n).collect();
        let mut claims = self.claims.clone();
        alive.leases_expired += claims.advance(as_of, u64::MAX >> 2);
        alive.pending = claims.running();
        alive.held = held.len() as u64;
        alive.expired += self.len() - alive.held;
        alive.max_ids = self.max_ids;
        alive.window_ms = self.window;
        alive.bucket_ms = self.b;
        alive.buckets = self.n as u64;
        alive.effective_window_ms = self.complete_since.map_or(0, |since| {
            (as_of as i64 - since).clamp(0, self.window as i64) as u64
        });
        alive.oldest_age_ms = held
            .iter()
            .map(|bucket| bucket.first)
            .min()
            .map(|first| (head - first) as u64 * self.b);
        alive.fill_ratio = alive.max_ids.map(|max| alive.held as f64 / max as f64);
        alive.estimated_false_drop_rate = alive.held as f64 / 2_f64.powi(64);
        alive
    }

    /// Drops what can no longer matter, so that long runs stay quick.
    pub(super) fn compact(&mut self) {
        let dead = self
            .buckets
            .iter()
            .take_while(|bucket| !bucket.alive)
            .count();
        self.buckets.drain(..dead);
        for entry in &mut self.entries {
            entry.bucket -= dead;
        }
    }
}
