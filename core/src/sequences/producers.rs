//! The producers that are held: rows in one slab, a table that finds them, and the order of their contacts.

use alloc::vec::Vec;
use core::hash::BuildHasher;

use hashbrown::HashTable;

use super::mark::Mark;
use crate::error::Error;
use crate::fingerprint::Fingerprint;
use crate::memory::Seeded;

/// A row: the fingerprint's two words, the high-water mark, the epoch, then the bitmap.
const FIXED: usize = 4;

/// No slot.
const NIL: u32 = u32::MAX;

/// Slabs of fewer rows are never given back in part.
const SMALL: usize = 64;

/// The rows of all producers lie one after another in one slab, without holes: when one goes, the last takes its slot.
///
/// The table holds slots only, hashed by a seed of the process (see [`Seeded`]). The order is a doubly linked list by slots
/// beside the rows, so that a contact touches few lines; it is kept only if somebody will ask for it.
pub(super) struct Producers {
    rows: Vec<u64>,
    /// Words per row.
    stride: usize,
    table: HashTable<u32>,
    hasher: Seeded,
    order: Option<Order>,
    held: usize,
    max: usize,
}

/// The producers by their last contact: the first is the one that was idle for longest.
struct Order {
    links: Vec<Link>,
    first: u32,
    last: u32,
}

#[derive(Clone, Copy)]
struct Link {
    before: u32,
    after: u32,
    /// When the last contact was.
    contact: i64,
}

impl Producers {
    pub(super) fn new(width: u64, max: Option<u64>, ordered: bool) -> Self {
        let most = NIL as usize;
        Self {
            rows: Vec::new(),
            stride: FIXED + width.div_ceil(64) as usize,
            table: HashTable::new(),
            hasher: Seeded::default(),
            order: ordered.then_some(Order {
                links: Vec::new(),
                first: NIL,
                last: NIL,
            }),
            held: 0,
            max: max.map_or(most, |max| {
                usize::try_from(max).map_or(most, |max| max.min(most))
            }),
        }
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.held
    }

    /// Makes sure that one more producer can be held without an allocation, unless one must be evicted for it anyway.
    #[inline]
    pub(super) fn reserve(&mut self, max: Option<u64>) -> Result<(), Error> {
        let full = max.is_some_and(|max| self.held as u64 >= max);
        let links = self.order.as_ref().map(|order| &order.links);
        let has_row = self.rows.capacity() - self.rows.len() >= self.stride
            && links.is_none_or(|links| links.capacity() > links.len());
        if (full || has_row) && self.table.capacity() > self.table.len() {
            return Ok(());
        }
        self.grow(full)
    }

    #[cold]
    fn grow(&mut self, full: bool) -> Result<(), Error> {
        if !full {
            if self.held >= NIL as usize {
                return Err(Error::OutOfMemory);
            }
            // Half as many again, but never more than will be asked for.
            let more = (self.held / 2).max(16).min(self.max - self.held).max(1);
            if let Some(order) = &mut self.order {
                order
                    .links
                    .try_reserve_exact(more)
                    .map_err(|_| Error::OutOfMemory)?;
            }
            let words = more.checked_mul(self.stride).ok_or(Error::OutOfMemory)?;
            self.rows
                .try_reserve_exact(words)
                .map_err(|_| Error::OutOfMemory)?;
        }
        let (rows, stride, hasher) = (&self.rows, self.stride, &self.hasher);
        self.table
            .try_reserve(1, |slot| hasher.hash_one(low(rows, stride, *slot)))
            .map_err(|_| Error::OutOfMemory)
    }

    #[inline]
    pub(super) fn find(&self, print: Fingerprint) -> Option<u32> {
        let (rows, stride) = (&self.rows, self.stride);
        let hash = self.hasher.hash_one(print.low);
        let found = self.table.find(hash, |slot| {
            let start = *slot as usize * stride;
            matches!(rows.get(start..), Some([low, high, ..]) if (*low, *high) == (print.low, print.high))
        });
        found.copied()
    }

    /// The mark of a producer that is held.
    #[inline]
    pub(super) fn mark(&mut self, slot: u32) -> Option<Mark<'_>> {
        let start = slot as usize * self.stride;
        match self.rows.get_mut(start..start + self.stride) {
            Some([_, _, high, epoch, bits @ ..]) => Some(Mark { high, epoch, bits }),
            _ => None,
        }
    }

    /// Adds a producer that is not held. Room was reserved.
    pub(super) fn add(&mut self, print: Fingerprint, seq: u64, epoch: u64, contact: i64) {
        let slot = self.held as u32;
        self.rows.extend_from_slice(&[print.low, print.high]);
        self.rows.resize((self.held + 1) * self.stride, 0);
        if let Some(mut mark) = self.mark(slot) {
            mark.begin(seq, epoch);
        }
        let (rows, stride, hasher) = (&self.rows, self.stride, &self.hasher);
        self.table
            .insert_unique(hasher.hash_one(print.low), slot, |slot| {
                hasher.hash_one(low(rows, stride, *slot))
            });
        if let Some(order) = &mut self.order {
            order.links.push(Link {
                before: NIL,
                after: NIL,
                contact,
            });
            order.append(slot);
        }
        self.held += 1;
    }

    /// Notes a contact: the producer is now the one that was idle for the shortest time.
    #[inline]
    pub(super) fn touch(&mut self, slot: u32, contact: i64) {
        let Some(order) = &mut self.order else {
            return;
        };
        if order.last != slot {
            order.unlink(slot);
            order.append(slot);
        }
        if let Some(link) = order.at(slot) {
            link.contact = contact;
        }
    }

    /// The producer that was idle for longest, and when its last contact was.
    #[inline]
    pub(super) fn oldest(&self) -> Option<(u32, i64)> {
        let order = self.order.as_ref()?;
        let link = order.links.get(order.first as usize)?;
        Some((order.first, link.contact))
    }

    /// How many had their last contact before this time. O(that many).
    pub(super) fn idle_since(&self, time: i64) -> usize {
        let Some(order) = &self.order else {
            return 0;
        };
        let first = order.links.get(order.first as usize);
        let all = core::iter::successors(first, |link| order.links.get(link.after as usize));
        all.take_while(|link| link.contact < time).count()
    }

    /// Forgets a producer: the one in the last slot takes its place.
    pub(super) fn remove(&mut self, slot: u32) {
        let last = (self.held - 1) as u32;
        self.untable(slot, None);
        if let Some(order) = &mut self.order {
            order.unlink(slot);
            order.rename(last, slot);
            order.links.pop();
        }
        let start = last as usize * self.stride;
        if slot != last {
            self.untable(last, Some(slot));
            self.rows
                .copy_within(start..start + self.stride, slot as usize * self.stride);
        }
        self.rows.truncate(start);
        self.held -= 1;
        self.shrink();
    }

    /// Takes a slot out of the table, or gives it another name there.
    fn untable(&mut self, slot: u32, becomes: Option<u32>) {
        let hash = self.hasher.hash_one(low(&self.rows, self.stride, slot));
        if let Ok(entry) = self.table.find_entry(hash, |other| *other == slot) {
            match becomes {
                Some(name) => *entry.into_mut() = name,
                None => drop(entry.remove()),
            }
        }
    }

    /// Gives memory back after a burst: most of it once less than a quarter is used. What cannot be had smaller stays.
    fn shrink(&mut self) {
        let capacity = self.rows.capacity() / self.stride;
        if capacity <= SMALL || self.held > capacity / 4 {
            return;
        }
        // At least one more: a call that goes on to add a producer has reserved its room already.
        let keep = self.held + self.held / 2 + 16;
        let mut rows = Vec::new();
        if rows.try_reserve_exact(keep * self.stride).is_ok() {
            rows.extend_from_slice(&self.rows);
            self.rows = rows;
        }
        if let Some(order) = &mut self.order {
            let mut links = Vec::new();
            if links.try_reserve_exact(keep).is_ok() {
                links.extend_from_slice(&order.links);
                order.links = links;
            }
        }
        let mut table = HashTable::new();
        let (rows, stride, hasher) = (&self.rows, self.stride, &self.hasher);
        let hash = |slot: &u32| hasher.hash_one(low(rows, stride, *slot));
        if table.try_reserve(keep, hash).is_ok() {
            for slot in 0..self.held as u32 {
                table.insert_unique(hash(&slot), slot, hash);
            }
            self.table = table;
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let links = self
            .order
            .as_ref()
            .map_or(0, |order| order.links.capacity());
        self.rows.capacity() * size_of::<u64>()
            + links * size_of::<Link>()
            + self.table.allocation_size()
    }

    /// Checks what must always hold.
    #[cfg(any(test, fuzzing))]
    pub(super) fn validate(&self) {
        assert_eq!(self.rows.len(), self.held * self.stride);
        assert_eq!(self.table.len(), self.held);
        for slot in 0..self.held {
            let at = |word: usize| self.rows.get(slot * self.stride + word).copied();
            let (low, high) = (at(0).unwrap_or(0), at(1).unwrap_or(0));
            assert_eq!(self.find(Fingerprint { low, high }), Some(slot as u32));
        }
        let Some(order) = &self.order else {
            return;
        };
        assert_eq!(order.links.len(), self.held);
        let (mut slot, mut before, mut count, mut contact) = (order.first, NIL, 0, i64::MIN);
        while let Some(link) = order.links.get(slot as usize) {
            assert_eq!(link.before, before);
            assert!(link.contact >= contact);
            (before, slot, contact) = (slot, link.after, link.contact);
            count += 1;
        }
        assert_eq!((slot, order.last, count), (NIL, before, self.held));
    }
}

impl Order {
    #[inline]
    fn at(&mut self, slot: u32) -> Option<&mut Link> {
        self.links.get_mut(slot as usize)
    }

    /// Joins two neighbours; `NIL` stands for the end of the list.
    #[inline]
    fn join(&mut self, before: u32, after: u32) {
        match self.at(before) {
            Some(link) => link.after = after,
            None => self.first = after,
        }
        match self.at(after) {
            Some(link) => link.before = before,
            None => self.last = before,
        }
    }

    #[inline]
    fn unlink(&mut self, slot: u32) {
        if let Some(Link { before, after, .. }) = self.at(slot).copied() {
            self.join(before, after);
        }
    }

    #[inline]
    fn append(&mut self, slot: u32) {
        let last = self.last;
        self.join(last, slot);
        self.join(slot, NIL);
    }

    /// Moves a link to another slot, whose own was taken out of the list.
    fn rename(&mut self, from: u32, to: u32) {
        if from == to {
            return;
        }
        if let Some(moved) = self.at(from).copied() {
            if let Some(link) = self.at(to) {
                *link = moved;
            }
            self.join(moved.before, to);
            self.join(to, moved.after);
        }
    }
}

/// The word by which a slot is hashed.
#[inline]
fn low(rows: &[u64], stride: usize, slot: u32) -> u64 {
    rows.get(slot as usize * stride).copied().unwrap_or(0)
}
