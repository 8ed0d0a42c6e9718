//! The simple exact memory: one hash table. The twin of the fast one in the tests.

use super::stash::Stash;
use super::{sealed::Sealed, Kept, Memory};
use crate::config::Cap;
use crate::error::Error;
use crate::fingerprint::Key;

#[derive(Default)]
pub(crate) struct Simple(Stash);

impl Sealed for Simple {}

impl Memory for Simple {
    type Size = Cap;

    fn prefetch(&self, _: Key) {}

    fn look(&self, key: Key, front: u64) -> Option<u64> {
        self.0.find(key.0, front)
    }

    fn reserve(&mut self, more: usize, front: u64) -> Result<(), Error> {
        self.0.reserve(more, front)
    }

    fn release(&mut self) {}

    fn is_ready(&self) -> bool {
        false
    }

    fn insert(&mut self, key: Key, serial: u64, _: u64, _: u64) -> bool {
        self.0.insert(key.0, serial);
        true
    }

    fn look_or_insert(&mut self, key: Key, serial: u64, front: u64, live: u64) -> Kept {
        let found = self.look(key, front);
        if found.is_none() {
            self.insert(key, serial, front, live);
        }
        found.into()
    }

    fn remove(&mut self, key: Key, _: u64) {
        self.0.remove(key.0);
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }

    fn false_drop_rate(&self, held: u64, _: u64) -> f64 {
        held as f64 / 2_f64.powi(64)
    }

    fn validate(&self, front: u64, live: u64) {
        assert_eq!(self.0.live(front).count() as u64, live);
    }
}
