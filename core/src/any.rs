//! A window whose memory is known only at run time: for hosts, which are not generic over it.

use alloc::vec::Vec;

use crate::claims::{Claim, Token};
use crate::config::{Config, Load, OnFull, Span};
use crate::error::Error;
use crate::fingerprint::{Fingerprinter, Key, Secret};
use crate::memory::{Bloom, Cuckoo, Exact, Memory};
use crate::stats::Stats;
use crate::time::{Millis, Now};
use crate::verdict::Verdict;
use crate::window::Window;

/// A [`Window`] of any memory, called with keys.
///
/// ```
/// use firstseen::{AnyConfig, AnySize, Load, Millis, Span, Verdict};
///
/// let span = Span::Window { window: Millis(60_000), bucket: None };
/// let mut window = AnyConfig::new(span, AnySize::Bloom(Load::new(1_000, 0.001))).build()?;
/// let key = window.fingerprinter().key("evt_1")?;
/// assert_eq!(window.record(key, Millis(0).into(), None)?, Verdict::First);
/// assert_eq!(window.record(key, Millis(0).into(), None)?, Verdict::ProbableDuplicate);
/// # Ok::<(), firstseen::Error>(())
/// ```
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "the exact one is the common one, and stays in place"
)]
pub enum AnyWindow {
    /// See [`Window::exact`].
    Exact(Window<Exact>),
    /// See [`Window::bloom`].
    Bloom(Window<Bloom>),
    /// See [`Window::cuckoo`].
    Cuckoo(Window<Cuckoo>),
}

/// What an [`AnyWindow`] remembers with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AnySize {
    /// See [`Window::exact`].
    Exact {
        /// At most this many ids are held; unbounded if none.
        max_ids: Option<u64>,
        /// See [`Config::detect_conflicts`].
        detect_conflicts: bool,
    },
    /// See [`Window::bloom`].
    Bloom(Load),
    /// See [`Window::cuckoo`].
    Cuckoo(Load),
}

/// The configuration of an [`AnyWindow`]: as [`Config`], of a memory chosen at run time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AnyConfig {
    /// The ring's shape.
    pub span: Span,
    /// What it remembers with.
    pub size: AnySize,
    /// What happens to a new id when the memory is full; the memory's default if none.
    pub on_full: Option<OnFull>,
    /// The key of the fingerprints.
    pub secret: Secret,
    /// See [`Config::max_step`].
    pub max_step: Option<Millis>,
    /// See [`Config::max_lateness`].
    pub max_lateness: Option<Millis>,
}

impl AnyConfig {
    /// A configuration with the defaults.
    #[must_use]
    pub fn new(span: Span, size: AnySize) -> Self {
        Self {
            span,
            size,
            on_full: None,
            secret: Secret::default(),
            max_step: None,
            max_lateness: None,
        }
    }

    /// Builds the window.
    ///
    /// # Errors
    /// As the `build` of the memory's [`Config`].
    pub fn build(self) -> Result<AnyWindow, Error> {
        match self.size {
            AnySize::Exact {
                max_ids,
                detect_conflicts,
            } => {
                let mut config: Config = self.of(crate::Cap { max_ids }, OnFull::EvictOldest);
                config.detect_conflicts = detect_conflicts;
                config.build().map(AnyWindow::Exact)
            }
            AnySize::Bloom(load) => {
                let config: Config<Bloom> = self.of(load, OnFull::Degrade);
                config.build().map(AnyWindow::Bloom)
            }
            AnySize::Cuckoo(load) => {
                let config: Config<Cuckoo> = self.of(load, OnFull::Reject);
                config.build().map(AnyWindow::Cuckoo)
            }
        }
    }

    fn of<M: Memory>(self, size: M::Size, on_full: OnFull) -> Config<M> {
        let mut config = Config::new(self.span, size, self.on_full.unwrap_or(on_full));
        config.secret = self.secret;
        config.max_step = self.max_step;
        config.max_lateness = self.max_lateness;
        config
    }
}

/// Calls the window inside, whatever its memory.
macro_rules! each {
    ($any:expr, $window:ident => $call:expr) => {
        match $any {
            AnyWindow::Exact($window) => $call,
            AnyWindow::Bloom($window) => $call,
            AnyWindow::Cuckoo($window) => $call,
        }
    };
}

/// Each call is that of [`Window`] with the same name.
impl AnyWindow {
    /// [`Window::record`].
    ///
    /// # Errors
    /// As there.
    #[inline(always)]
    pub fn record(&mut self, key: Key, now: Now, at: Option<Millis>) -> Result<Verdict, Error> {
        // So that only the common one is compiled into the caller.
        match self {
            Self::Exact(window) => window.record(key, now, at),
            _ => self.record_probably(key, now, at),
        }
    }

    #[inline(never)]
    fn record_probably(
        &mut self,
        key: Key,
        now: Now,
        at: Option<Millis>,
    ) -> Result<Verdict, Error> {
        each!(self, window => window.record(key, now, at))
    }

    /// [`Window::record_many`].
    ///
    /// # Errors
    /// As there.
    pub fn record_many(
        &mut self,
        keys: &[Key],
        now: Now,
        sink: impl FnMut(Verdict),
    ) -> Result<(), Error> {
        each!(self, window => window.record_many(keys, now, sink))
    }

    /// [`Window::record_body`].
    ///
    /// # Errors
    /// As there.
    pub fn record_body(
        &mut self,
        key: Key,
        body: &[u8],
        now: Now,
        at: Option<Millis>,
    ) -> Result<Verdict, Error> {
        each!(self, window => window.record_body(key, body, now, at))
    }

    /// [`Window::look_up`].
    ///
    /// # Errors
    /// As there.
    pub fn look_up(&self, key: Key, now: Now) -> Result<Verdict, Error> {
        each!(self, window => window.look_up(key, now))
    }

    /// [`Window::look_up_many`].
    ///
    /// # Errors
    /// As there.
    pub fn look_up_many(
        &self,
        keys: &[Key],
        now: Now,
        sink: impl FnMut(Verdict),
    ) -> Result<(), Error> {
        each!(self, window => window.look_up_many(keys, now, sink))
    }

    /// [`Window::claim_key`].
    ///
    /// # Errors
    /// As there.
    pub fn claim_key(
        &mut self,
        key: Key,
        lease: Millis,
        now: Now,
        at: Option<Millis>,
    ) -> Result<Claim, Error> {
        each!(self, window => window.claim_key(key, lease, now, at))
    }

    /// [`Window::claim_keys`].
    ///
    /// # Errors
    /// As there.
    pub fn claim_keys(
        &mut self,
        keys: &[Key],
        lease: Millis,
        now: Now,
    ) -> Result<Vec<Claim>, Error> {
        each!(self, window => window.claim_keys(keys, lease, now))
    }

    /// [`Window::commit`].
    ///
    /// # Errors
    /// As there.
    pub fn commit(&mut self, token: Token, now: Now) -> Result<(), Error> {
        each!(self, window => window.commit(token, now))
    }

    /// [`Window::commit_many`].
    ///
    /// # Errors
    /// As there.
    pub fn commit_many(&mut self, tokens: &[Token], now: Now) -> Result<Vec<bool>, Error> {
        each!(self, window => window.commit_many(tokens, now))
    }

    /// [`Window::release`].
    ///
    /// # Errors
    /// As there.
    pub fn release(&mut self, token: Token) -> Result<(), Error> {
        each!(self, window => window.release(token))
    }

    /// [`Window::renew`].
    ///
    /// # Errors
    /// As there.
    pub fn renew(&mut self, token: Token, lease: Millis, now: Now) -> Result<(), Error> {
        each!(self, window => window.renew(token, lease, now))
    }

    /// [`Window::contains_key`].
    #[must_use]
    pub fn contains_key(&self, key: Key) -> bool {
        each!(self, window => window.contains_key(key))
    }

    /// [`Window::forget_key`].
    ///
    /// # Errors
    /// As there.
    pub fn forget_key(&mut self, key: Key) -> Result<bool, Error> {
        each!(self, window => window.forget_key(key))
    }

    /// [`Window::advance`].
    ///
    /// # Errors
    /// As there.
    pub fn advance(&mut self, now: Now) -> Result<(), Error> {
        each!(self, window => window.advance(now))
    }

    /// [`Window::clear`].
    pub fn clear(&mut self) {
        each!(self, window => window.clear());
    }

    /// [`Window::len`].
    #[must_use]
    pub fn len(&self) -> u64 {
        each!(self, window => window.len())
    }

    /// [`Window::is_empty`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// [`Window::bucket`].
    #[must_use]
    pub fn bucket(&self) -> Millis {
        each!(self, window => window.bucket())
    }

    /// [`Window::wants_clock`].
    #[inline]
    #[must_use]
    pub fn wants_clock(&self) -> bool {
        each!(self, window => window.wants_clock())
    }

    /// [`Window::fingerprinter`].
    #[inline]
    #[must_use]
    pub fn fingerprinter(&self) -> Fingerprinter {
        each!(self, window => window.fingerprinter())
    }

    /// [`Window::stats`].
    ///
    /// # Errors
    /// As there.
    pub fn stats(&self, now: Now) -> Result<Stats, Error> {
        each!(self, window => window.stats(now))
    }
}
