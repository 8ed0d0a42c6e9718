//! A binary heap by time whose entries can be found by their slot, so that what is renewed or taken out leaves nothing behind.

use alloc::vec::Vec;

use crate::error::Error;

#[derive(Default)]
pub(super) struct Heap {
    /// Each entry's time is not after those of its two children, at 2·place + 1 and 2·place + 2.
    entries: Vec<(i64, u32)>,
    /// By slot, its place in the heap.
    places: Vec<u32>,
}

impl Heap {
    pub(super) fn reserve(&mut self, more: usize) -> Result<(), Error> {
        let both = self.entries.try_reserve(more);
        both.and_then(|()| self.places.try_reserve(more))
            .map_err(|_| Error::OutOfMemory)
    }

    /// The earliest entry: its slot and time.
    pub(super) fn first(&self) -> Option<(u32, i64)> {
        self.entries.first().map(|(at, slot)| (*slot, *at))
    }

    /// Adds a slot, the next one or one that was removed. Memory was reserved.
    pub(super) fn push(&mut self, slot: u32, at: i64) {
        let place = self.entries.len();
        self.entries.push((at, slot));
        if self.places.len() <= slot as usize {
            self.places.resize(slot as usize + 1, 0);
        }
        self.set(place, (at, slot));
        self.rise(place);
    }

    /// Takes a slot out.
    pub(super) fn remove(&mut self, slot: u32) {
        let Some(place) = self.places.get(slot as usize).copied() else {
            return;
        };
        let place = place as usize;
        if let Some(last) = self.entries.pop() {
            if place < self.entries.len() {
                self.set(place, last);
                self.rise(place);
                self.sink(place);
            }
        }
    }

    /// Says that what was in one slot is in another.
    pub(super) fn renumber(&mut self, from: u32, to: u32) {
        if let Some(place) = self.places.get(from as usize).copied() {
            if let Some((at, _)) = self.entries.get(place as usize).copied() {
                self.set(place as usize, (at, to));
            }
        }
    }

    /// Moves every time.
    pub(super) fn shift(&mut self, by: i64) {
        for (at, _) in &mut self.entries {
            *at += by;
        }
    }

    /// Visits the slots whose time is not after `time`, in no order. O(1) if there is none.
    pub(super) fn up_to(&self, time: i64, mut visit: impl FnMut(u32)) {
        // A walk without a stack: down to the left while the time is reached, else to the next on the right, above.
        let reached = |place: usize| self.entries.get(place).filter(|(at, _)| *at <= time);
        let mut place = 0;
        loop {
            if let Some((_, slot)) = reached(place) {
                visit(*slot);
                place = 2 * place + 1;
                continue;
            }
            // From a right child up to the parent, until there is a right sibling.
            while place > 0 && place.is_multiple_of(2) {
                place = (place - 1) / 2;
            }
            if place == 0 {
                return;
            }
            place += 1;
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(i64, u32)>() + self.places.capacity() * 4
    }

    fn at(&self, place: usize) -> i64 {
        self.entries.get(place).map_or(i64::MAX, |(at, _)| *at)
    }

    fn set(&mut self, place: usize, entry: (i64, u32)) {
        if let Some(found) = self.entries.get_mut(place) {
            *found = entry;
        }
        if let Some(found) = self.places.get_mut(entry.1 as usize) {
            *found = place as u32;
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        let entries = (
            self.entries.get(one).copied(),
            self.entries.get(other).copied(),
        );
        if let (Some(first), Some(second)) = entries {
            self.set(one, second);
            self.set(other, first);
        }
    }

    fn rise(&mut self, mut place: usize) {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.at(parent) <= self.at(place) {
                return;
            }
            self.swap(place, parent);
            place = parent;
        }
    }

    fn sink(&mut self, mut place: usize) {
        loop {
            let (left, right) = (2 * place + 1, 2 * place + 2);
            let least = if self.at(right) < self.at(left) {
                right
            } else {
                left
            };
            if least >= self.entries.len() || self.at(place) <= self.at(least) {
                return;
            }
            self.swap(place, least);
            place = least;
        }
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    #[cfg(any(test, fuzzing))]
    pub(super) fn validate(&self) {
        for (place, (at, slot)) in self.entries.iter().enumerate() {
            assert_eq!(self.places.get(*slot as usize), Some(&(place as u32)));
            assert!(place == 0 || self.at((place - 1) / 2) <= *at);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::vec::Vec;

    use super::Heap;
    use crate::tests::operations::Random;

    #[test]
    fn a_heap_and_a_sorted_map_agree() {
        let mut random = Random::Seed(1);
        let (mut heap, mut times) = (Heap::default(), BTreeMap::new());
        for round in 0..100_000 {
            let slot = random.below(200) as u32;
            heap.remove_if_in(slot, times.contains_key(&slot));
            times.remove(&slot);
            if random.below(3) > 0 {
                let at = random.below(1_000) as i64;
                heap.push(slot, at);
                times.insert(slot, at);
            }
            let earliest = times.values().min().copied();
            assert_eq!(heap.first().map(|(_, at)| at), earliest, "round {round}");
            let mut reached = Vec::new();
            let time = random.below(1_100) as i64;
            heap.up_to(time, |slot| reached.push(slot));
            reached.sort_unstable();
            let expected = times.iter().filter(|(_, at)| **at <= time);
            assert!(expected.map(|(slot, _)| slot).eq(&reached), "round {round}");
            if round % 100 == 0 {
                heap.validate();
            }
        }
    }

    impl Heap {
        fn remove_if_in(&mut self, slot: u32, is_in: bool) {
            if is_in {
                self.remove(slot);
            }
        }
    }
}
