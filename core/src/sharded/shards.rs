//! The shards of a window and what locking them means: whoever looks at a shard sees it at the present window time.

use alloc::boxed::Box;

use super::sync::{lock, Mutex, MutexGuard};
use super::timeline::{Alone, Known, SharedTimeline, State};
use super::{shard_of, MAX_SHARDS};
use crate::config::Valid;
use crate::error::Error;
use crate::fingerprint::Key;
use crate::memory::Memory;
use crate::time::Geometry;
use crate::window::{reserved, Window};

pub(super) struct Shard<M: Memory> {
    pub(super) window: Window<M>,
    pub(super) known: Known,
    /// For how many ids batches have been promised room. While the memory is ready it has room for one more than these.
    promised: usize,
}

impl<M: Memory> Shard<M> {
    /// Makes sure that one record cannot fail, nor can those that were promised.
    #[inline]
    pub(super) fn reserve(&mut self) -> Result<(), Error> {
        self.window.reserve(self.promised + 1)
    }

    pub(super) fn promise(&mut self, ids: usize) -> Result<(), Error> {
        self.promised += ids;
        self.reserve().inspect_err(|_| self.promised -= ids)
    }

    pub(super) fn redeem(&mut self, ids: usize) {
        self.promised -= ids;
    }

    /// Gives back what batches were promised, once none is left.
    pub(super) fn release(&mut self) {
        if self.promised == 0 {
            self.window.release_memory();
        }
    }

    /// Takes over the time, whatever has changed.
    pub(super) fn follow(&mut self, state: &State, geometry: &Geometry) {
        let shared = state.share(&mut self.known, self.window.head(), geometry);
        self.window.follow(&shared);
    }
}

pub(super) struct Shards<M: Memory> {
    all: Box<[Alone<Mutex<Shard<M>>>]>,
    pub(super) time: SharedTimeline,
    pub(super) config: Valid,
}

impl<M: Memory + Default> Shards<M> {
    pub(super) fn new(config: Valid, count: usize) -> Result<Self, Error> {
        let mut all = reserved(count)?;
        for _ in 0..count {
            let mut window = Window::with_memory(config.clone(), M::default());
            window.reserve_ring()?;
            all.push(Alone(Mutex::new(Shard {
                window,
                known: Known::default(),
                promised: 0,
            })));
        }
        Ok(Self {
            all: all.into_boxed_slice(),
            time: SharedTimeline::new(&config),
            config,
        })
    }
}

impl<M: Memory> Shards<M> {
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Bytes of the shards themselves.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.all)
    }

    /// Locks a shard, as it was left.
    #[inline]
    #[expect(
        clippy::indexing_slicing,
        reason = "`shard_of` and `enumerate` give numbers below the number of shards"
    )]
    pub(super) fn lock(&self, shard: usize) -> MutexGuard<'_, Shard<M>> {
        lock(&self.all[shard].0)
    }

    /// Locks a shard, and brings it up to the present.
    #[inline]
    pub(super) fn present(&self, shard: usize) -> MutexGuard<'_, Shard<M>> {
        let mut shard = self.lock(shard);
        match self.time.glance(&shard.known) {
            Some(time) => shard.window.follow_calmly(time, 0),
            None => shard.follow(&self.time.lock(), &self.config.geometry),
        }
        shard
    }

    /// [`present`](Self::present) of the shard of a key.
    #[inline]
    pub(super) fn present_of(&self, key: Key) -> MutexGuard<'_, Shard<M>> {
        self.present(shard_of(key, self.count()))
    }

    /// Locks every shard and the time, and brings all up to the present: nobody else does anything meanwhile.
    pub(super) fn stop(&self) -> Stopped<'_, M> {
        let mut shards = [const { None }; MAX_SHARDS];
        for (number, place) in shards.iter_mut().enumerate().take(self.count()) {
            *place = Some(self.lock(number));
        }
        let state = self.time.lock();
        for shard in shards.iter_mut().flatten() {
            shard.follow(&state, &self.config.geometry);
        }
        Stopped { shards, state }
    }
}

/// A window that is at rest while this lives.
pub(super) struct Stopped<'a, M: Memory> {
    shards: [Option<MutexGuard<'a, Shard<M>>>; MAX_SHARDS],
    pub(super) state: MutexGuard<'a, State>,
}

impl<'a, M: Memory> Stopped<'a, M> {
    pub(super) fn windows(&mut self) -> impl Iterator<Item = &mut Window<M>> + use<'_, 'a, M> {
        let shards = self.shards.iter_mut().flatten();
        shards.map(|shard| &mut shard.window)
    }
}
