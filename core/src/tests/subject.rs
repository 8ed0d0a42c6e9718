//! What plays against the naive twin: a window, or one that is sharded, in one thread.

use alloc::vec::Vec;

use super::operations::Random;
use crate::memory::Memory;
use crate::{Cap, Claim, Config, Error, Millis, Stats, Token, Verdict, Window};

pub(super) trait Subject: Sized {
    /// Whether what it has seen is a duplicate for certain, and whether it can forget.
    const EXACT: bool = true;
    const FORGETS: bool = true;
    const CLAIMS: bool = false;

    /// Whether to ask for figures of the whole now. To answer, a sharded window brings every shard up to the present; so that
    /// shards also lag behind, it is not always asked.
    fn may_be_asked(&self, operation: u64) -> bool;

    fn observe(&mut self, id: u64, now: Millis, at: Option<Millis>) -> Result<Verdict, Error>;
    fn observe_many(&mut self, ids: &[u64], now: Millis) -> Result<Vec<Verdict>, Error>;
    fn check(&self, id: u64, now: Millis) -> Result<Verdict, Error>;
    fn check_many(&self, ids: &[u64], now: Millis) -> Result<Vec<Verdict>, Error>;
    fn contains(&self, id: u64) -> Result<bool, Error>;
    fn forget(&mut self, id: u64) -> Result<bool, Error>;
    fn advance(&mut self, now: Millis) -> Result<(), Error>;
    fn clear(&mut self);
    fn len(&self) -> u64;
    fn stats(&self, now: Millis) -> Result<Stats, Error>;
    fn validate(&self);

    /// Where ids can be claimed.
    fn window(&mut self) -> Option<&mut dyn Claims> {
        None
    }
}

pub(super) trait Claims {
    fn claim(
        &mut self,
        id: u64,
        lease: Millis,
        now: Millis,
        at: Option<Millis>,
    ) -> Result<Claim, Error>;
    fn claim_many(&mut self, ids: &[u64], lease: Millis, now: Millis) -> Result<Vec<Claim>, Error>;
    fn commit(&mut self, token: Token, now: Millis) -> Result<(), Error>;
    fn commit_many(&mut self, tokens: &[Token], now: Millis) -> Result<Vec<bool>, Error>;
    fn release(&mut self, token: Token) -> Result<(), Error>;
    fn renew(&mut self, token: Token, lease: Millis, now: Millis) -> Result<(), Error>;
}

impl<M: Memory> Claims for Window<M> {
    fn claim(
        &mut self,
        id: u64,
        lease: Millis,
        now: Millis,
        at: Option<Millis>,
    ) -> Result<Claim, Error> {
        self.claim(id, lease, now, at)
    }
    fn claim_many(&mut self, ids: &[u64], lease: Millis, now: Millis) -> Result<Vec<Claim>, Error> {
        self.claim_many(ids.iter().copied(), lease, now)
    }
    fn commit(&mut self, token: Token, now: Millis) -> Result<(), Error> {
        self.commit(token, now)
    }
    fn commit_many(&mut self, tokens: &[Token], now: Millis) -> Result<Vec<bool>, Error> {
        self.commit_many(tokens, now)
    }
    fn release(&mut self, token: Token) -> Result<(), Error> {
        self.release(token)
    }
    fn renew(&mut self, token: Token, lease: Millis, now: Millis) -> Result<(), Error> {
        self.renew(token, lease, now)
    }
}

pub(super) trait Built: Subject {
    /// Builds one by a configuration, or by as much of it as it can follow.
    fn build(config: Config, random: &mut Random<'_>) -> (Self, Config);
}

/// Hands every call on to the window inside.
macro_rules! hand_on {
    ($window:tt) => {
        fn observe(&mut self, id: u64, now: Millis, at: Option<Millis>) -> Result<Verdict, Error> {
            self.$window.observe(id, now, at)
        }
        fn observe_many(&mut self, ids: &[u64], now: Millis) -> Result<Vec<Verdict>, Error> {
            self.$window.observe_many(ids.iter().copied(), now)
        }
        fn check(&self, id: u64, now: Millis) -> Result<Verdict, Error> {
            self.$window.check(id, now)
        }
        fn check_many(&self, ids: &[u64], now: Millis) -> Result<Vec<Verdict>, Error> {
            self.$window.check_many(ids.iter().copied(), now)
        }
        fn contains(&self, id: u64) -> Result<bool, Error> {
            self.$window.contains(id)
        }
        fn forget(&mut self, id: u64) -> Result<bool, Error> {
            self.$window.forget(id)
        }
        fn advance(&mut self, now: Millis) -> Result<(), Error> {
            self.$window.advance(now)
        }
        fn clear(&mut self) {
            self.$window.clear();
        }
        fn len(&self) -> u64 {
            self.$window.len()
        }
        fn stats(&self, now: Millis) -> Result<Stats, Error> {
            self.$window.stats(now)
        }
        fn validate(&self) {
            self.$window.validate();
        }
    };
}

pub(super) struct Plain<M: Memory>(pub(super) Window<M>);

impl<M: Memory<Size = Cap> + Default> Built for Plain<M> {
    fn build(config: Config, _: &mut Random<'_>) -> (Self, Config) {
        let valid = config.clone().validate().unwrap();
        (Self(Window::with_memory(valid, M::default())), config)
    }
}

impl<M: Memory> Subject for Plain<M> {
    const EXACT: bool = M::EXACT;
    const FORGETS: bool = M::FORGETS;
    const CLAIMS: bool = true;

    fn may_be_asked(&self, _: u64) -> bool {
        true
    }

    fn window(&mut self) -> Option<&mut dyn Claims> {
        Some(&mut self.0)
    }

    hand_on!(0);
}

#[cfg(feature = "std")]
pub(super) struct Sharded<M: Memory> {
    window: crate::ShardedWindow<M>,
    every: u64,
}

#[cfg(feature = "std")]
impl<M: Memory + Default> Built for Sharded<M> {
    fn build(mut config: Config, random: &mut Random<'_>) -> (Self, Config) {
        config.size.max_ids = None;
        config.on_full = crate::OnFull::EvictOldest;
        let shards = random.pick(&[1, 2, 8, 256]);
        let window = crate::ShardedWindow::new(config.clone(), shards).unwrap();
        let every = random.pick(&[1, 16, 128, 1024]);
        (Self { window, every }, config)
    }
}

#[cfg(feature = "std")]
impl<M: Memory + Default> Subject for Sharded<M> {
    fn may_be_asked(&self, operation: u64) -> bool {
        operation.is_multiple_of(self.every)
    }

    hand_on!(window);
}
