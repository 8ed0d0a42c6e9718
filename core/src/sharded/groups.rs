//! The keys of a batch, grouped by shard, each group in the batch's order.

use alloc::vec::Vec;

use super::{shard_of, MAX_SHARDS};
use crate::error::Error;
use crate::fingerprint::Key;
use crate::window::reserved;

pub(super) struct Groups {
    keys: Vec<Key>,
    /// Where each shard's group ends.
    ends: [usize; MAX_SHARDS],
    shards: usize,
}

impl Groups {
    /// O(keys + shards).
    pub(super) fn new(keys: &[Key], shards: usize) -> Result<Self, Error> {
        let mut grouped = reserved(keys.len())?;
        grouped.resize(keys.len(), Key(0));
        // First how many keys each shard has, then where its group starts, and as keys are put there, where it ends.
        let mut ends = [0; MAX_SHARDS];
        for key in keys {
            if let Some(count) = ends.get_mut(shard_of(*key, shards)) {
                *count += 1;
            }
        }
        let mut start = 0;
        for end in ends.iter_mut().take(shards) {
            start += core::mem::replace(end, start);
        }
        for key in keys {
            if let Some(end) = ends.get_mut(shard_of(*key, shards)) {
                if let Some(place) = grouped.get_mut(*end) {
                    *place = *key;
                }
                *end += 1;
            }
        }
        Ok(Self {
            keys: grouped,
            ends,
            shards,
        })
    }

    /// The shards that have keys, and these.
    pub(super) fn each(&self) -> impl Iterator<Item = (usize, &[Key])> {
        let mut start = 0;
        let ends = self.ends.iter().take(self.shards).enumerate();
        ends.filter_map(move |(shard, end)| {
            let group = self.keys.get(start..*end)?;
            start = *end;
            (!group.is_empty()).then_some((shard, group))
        })
    }

    /// Puts answers, given in the groups' order, back into the order of the `keys` that were grouped.
    pub(super) fn restore<T: Copy>(&self, keys: &[Key], answers: &[T], mut sink: impl FnMut(T)) {
        let mut next = [0; MAX_SHARDS];
        for (next, end) in next.iter_mut().skip(1).zip(&self.ends) {
            *next = *end;
        }
        for key in keys {
            if let Some(next) = next.get_mut(shard_of(*key, self.shards)) {
                if let Some(answer) = answers.get(*next) {
                    sink(*answer);
                }
                *next += 1;
            }
        }
    }
}
