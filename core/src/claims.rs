//! Claims: ids whose effect is under way, each with a lease on window time.
//!
//! A claim is on record while its lease runs, so that the id is in flight, and then for a window more, so that a late commit can still be
//! recorded. Then its record is freed by itself: a heap by time finds it. Nothing is allocated before the first claim.

mod heap;

use alloc::vec::Vec;
use core::hash::BuildHasher;

use hashbrown::HashTable;

use self::heap::Heap;
use crate::error::Error;
use crate::fingerprint::Key;
use crate::memory::Seeded;
use crate::time::Millis;
use crate::verdict::Verdict;

/// Names one claim, for [`commit`](crate::Window::commit), [`release`](crate::Window::release) and [`renew`](crate::Window::renew).
///
/// Tokens of a window grow and are never used again, so a later claim of the same id has the larger one: a store that remembers the largest
/// it has seen can refuse a consumer whose lease ran out (a *fencing token*).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(pub u64);

/// What a window says of an event that somebody wants to process; see [`Window::claim`](crate::Window::claim).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// As [`observe`](crate::Window::observe) would have said.
    pub verdict: Verdict,
    /// The claim's name, if the verdict is `first`.
    pub token: Option<Token>,
}

impl Claim {
    /// Whether to process the event, and then to commit.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.token.is_some()
    }
}

/// One claim on record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) key: Key,
    pub(crate) token: Token,
    /// When the lease is over, less the table's offset.
    deadline: i64,
    /// Whether window time has not passed the deadline yet.
    runs: bool,
}

/// The first time at which a claim whose lease ran out is on record no more, less the table's offset.
fn freed_at(record: &Record, window: u64) -> i64 {
    record.deadline + window as i64 + 1
}

/// Memory for more claims than this is given back once it is nearly empty.
const LARGE: usize = 1024;

/// The claims of a window.
#[derive(Default)]
pub(crate) struct Claims {
    records: Vec<Record>,
    by_key: HashTable<u32>,
    by_token: HashTable<u32>,
    heap: Heap,
    hasher: Seeded,
    /// Added to every time kept, so that a re-anchoring moves them all at once.
    offset: i64,
    last_token: u64,
    running: u64,
}

impl Claims {
    /// Claims on record, whether their leases run or not.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.records.len() as u64
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(crate) fn find(&self, key: Key) -> Option<&Record> {
        if self.is_empty() {
            return None;
        }
        let hash = self.hasher.hash_one(key.0);
        let same = |slot: &u32| self.record(*slot).is_some_and(|r| r.key == key);
        self.record(*self.by_key.find(hash, same)?)
    }

    pub(crate) fn get(&self, token: Token) -> Option<&Record> {
        self.record(self.slot_of(token)?)
    }

    /// How much of a claim's lease is left at a time, if it runs then.
    pub(crate) fn left(&self, record: &Record, time: u64) -> Option<Millis> {
        let left = record.deadline + self.offset - time as i64;
        (left > 0).then_some(Millis(left as u64))
    }

    /// Whether a claim can still be committed at a time.
    pub(crate) fn is_on_record(&self, record: &Record, time: u64, window: u64) -> bool {
        time as i64 <= record.deadline + self.offset + window as i64
    }

    /// The verdict on an id in flight.
    pub(crate) fn in_flight(&self, key: Key, time: u64) -> Option<Verdict> {
        let lease_left = self.left(self.find(key)?, time)?;
        Some(Verdict::InFlight { lease_left })
    }

    /// Makes sure that so many claims need no memory.
    pub(crate) fn reserve(&mut self, more: usize) -> Result<(), Error> {
        let Self {
            records,
            by_key,
            by_token,
            heap,
            hasher,
            ..
        } = self;
        let full = |_| Error::OutOfMemory;
        // Slots are numbered by 32 bits.
        if records.len() + more > u32::MAX as usize {
            return Err(Error::OutOfMemory);
        }
        records.try_reserve(more).map_err(full)?;
        let record = |slot: &u32| records.get(*slot as usize);
        let key = |slot: &u32| record(slot).map_or(0, |r| hasher.hash_one(r.key.0));
        let token = |slot: &u32| record(slot).map_or(0, |r| hasher.hash_one(r.token.0));
        by_key
            .try_reserve(more, key)
            .map_err(|_| Error::OutOfMemory)?;
        by_token
            .try_reserve(more, token)
            .map_err(|_| Error::OutOfMemory)?;
        heap.reserve(more)
    }

    /// Claims an id that has no claim on record, until a deadline. Memory was reserved.
    pub(crate) fn insert(&mut self, key: Key, deadline: u64) -> Token {
        self.last_token += 1;
        let token = Token(self.last_token);
        let deadline = deadline as i64 - self.offset;
        let record = Record {
            key,
            token,
            deadline,
            runs: true,
        };
        self.put(record, deadline);
        token
    }

    /// Puts a claim back on record that was taken off it. Memory was reserved, or became free by that.
    pub(crate) fn put_back(&mut self, record: Record, window: u64) {
        let next = match record.runs {
            true => record.deadline,
            false => freed_at(&record, window),
        };
        self.put(record, next);
    }

    fn put(&mut self, record: Record, next: i64) {
        let slot = self.records.len() as u32;
        self.records.push(record);
        let Self {
            records,
            by_key,
            by_token,
            hasher,
            ..
        } = self;
        let find = |slot: &u32| records.get(*slot as usize);
        let key = |slot: &u32| find(slot).map_or(0, |r| hasher.hash_one(r.key.0));
        let token = |slot: &u32| find(slot).map_or(0, |r| hasher.hash_one(r.token.0));
        by_key.insert_unique(hasher.hash_one(record.key.0), slot, key);
        by_token.insert_unique(hasher.hash_one(record.token.0), slot, token);
        self.running += u64::from(record.runs);
        self.heap.push(slot, next);
    }

    /// Takes a claim off the record.
    pub(crate) fn remove(&mut self, token: Token) -> Option<Record> {
        let slot = self.slot_of(token)?;
        let last = self.records.len().checked_sub(1)? as u32;
        let removed = self.unlink(slot)?;
        self.heap.remove(slot);
        // The last one takes its slot.
        self.records.swap_remove(slot as usize);
        if slot != last {
            if let Some(moved) = self.records.get(slot as usize).copied() {
                self.renumber(moved, last, slot);
            }
        }
        self.running -= u64::from(removed.runs);
        Some(removed)
    }

    /// Gives a claim another deadline, from which on its lease runs (again).
    pub(crate) fn renew(&mut self, token: Token, deadline: u64) {
        let Some(slot) = self.slot_of(token) else {
            return;
        };
        let deadline = deadline as i64 - self.offset;
        if let Some(record) = self.records.get_mut(slot as usize) {
            self.running += u64::from(!record.runs);
            (record.deadline, record.runs) = (deadline, true);
            self.heap.remove(slot);
            self.heap.push(slot, deadline);
        }
    }

    /// Follows window time: returns how many leases ran out, and frees the records of those that ran out a window ago.
    pub(crate) fn advance(&mut self, time: u64, window: u64) -> u64 {
        let mut expired = 0;
        let time = time as i64 - self.offset;
        while let Some((slot, _)) = self.heap.first().filter(|(_, at)| *at <= time) {
            let Some(record) = self.records.get_mut(slot as usize) else {
                break;
            };
            if record.runs {
                record.runs = false;
                expired += 1;
                self.running -= 1;
                let next = freed_at(record, window);
                self.heap.remove(slot);
                self.heap.push(slot, next);
            } else {
                let token = record.token;
                self.remove(token);
            }
        }
        self.shrink(window);
        expired
    }

    /// Gives back most of a large table that is nearly empty.
    fn shrink(&mut self, window: u64) {
        let (count, room) = (self.records.len(), self.records.capacity());
        if room <= LARGE || room < 8 * count {
            return;
        }
        let mut small = Self {
            offset: self.offset,
            last_token: self.last_token,
            ..Self::default()
        };
        if small.reserve(2 * count).is_ok() {
            for record in &self.records {
                small.put_back(*record, window);
            }
            *self = small;
        }
    }

    /// How many leases run at a time that is not before window time, and how many more will have run out then. O(1) at window time.
    pub(crate) fn as_of(&self, time: u64) -> (u64, u64) {
        let time = time as i64 - self.offset;
        let mut expired = 0;
        self.heap.up_to(time, |slot| {
            expired += u64::from(self.record(slot).is_some_and(|record| record.runs));
        });
        (self.running - expired, expired)
    }

    /// Moves every lease, after a re-anchoring.
    pub(crate) fn shift(&mut self, by: i64) {
        self.offset += by;
        // A thousand re-anchorings from end to end would overflow.
        if self.offset.unsigned_abs() >> 60 != 0 {
            for record in &mut self.records {
                record.deadline += self.offset;
            }
            self.heap.shift(self.offset);
            self.offset = 0;
        }
    }

    /// Drops every claim. Tokens go on.
    pub(crate) fn clear(&mut self) {
        *self = Self {
            last_token: self.last_token,
            ..Self::default()
        };
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.records.capacity() * size_of::<Record>()
            + self.by_key.allocation_size()
            + self.by_token.allocation_size()
            + self.heap.memory_bytes()
    }

    fn record(&self, slot: u32) -> Option<&Record> {
        self.records.get(slot as usize)
    }

    fn slot_of(&self, token: Token) -> Option<u32> {
        let hash = self.hasher.hash_one(token.0);
        let same = |slot: &u32| self.record(*slot).is_some_and(|r| r.token == token);
        self.by_token.find(hash, same).copied()
    }

    /// Takes a slot out of both indices.
    fn unlink(&mut self, slot: u32) -> Option<Record> {
        let record = *self.record(slot)?;
        let same = |other: &u32| *other == slot;
        let hashes = [record.key.0, record.token.0].map(|value| self.hasher.hash_one(value));
        for (index, hash) in [&mut self.by_key, &mut self.by_token]
            .into_iter()
            .zip(hashes)
        {
            if let Ok(found) = index.find_entry(hash, same) {
                found.remove();
            }
        }
        Some(record)
    }

    /// Says everywhere that a record has moved.
    fn renumber(&mut self, record: Record, from: u32, to: u32) {
        let hashes = [record.key.0, record.token.0].map(|value| self.hasher.hash_one(value));
        for (index, hash) in [&mut self.by_key, &mut self.by_token]
            .into_iter()
            .zip(hashes)
        {
            if let Some(slot) = index.find_mut(hash, |slot| *slot == from) {
                *slot = to;
            }
        }
        self.heap.renumber(from, to);
    }

    /// Checks what must always hold.
    #[cfg(any(test, fuzzing))]
    pub(crate) fn validate(&self, time: u64) {
        let count = self.records.len();
        assert_eq!((self.by_key.len(), self.by_token.len()), (count, count));
        assert_eq!(self.heap.len(), count);
        self.heap.validate();
        let running = self.records.iter().filter(|record| record.runs).count();
        assert_eq!(self.running, running as u64);
        for record in &self.records {
            assert_eq!(self.find(record.key).map(|r| r.token), Some(record.token));
            assert_eq!(self.get(record.token).map(|r| r.key), Some(record.key));
            assert_eq!(record.runs, self.left(record, time).is_some());
            assert!(record.token.0 <= self.last_token);
        }
    }
}
