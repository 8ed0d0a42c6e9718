//! A window's configuration: plain data with setters that never fail; only `build` does.

mod filters;

use crate::error::Error;
use crate::fingerprint::Secret;
use crate::memory::{Exact, Memory};
use crate::ring::{Closing, MAX_EARLY};
use crate::time::{duration, Geometry, Millis, MAX_BUCKETS};
use crate::window::Window;

/// What happens to a new id when the memory is full: an exact one of `max_ids`, a filter of the ids it was built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OnFull {
    /// The oldest buckets are forgotten whole until there is room; counted in `evicted`. Exact (its default) and cuckoo.
    EvictOldest,
    /// The call is refused with `full`. All memories; the default of cuckoo.
    Reject,
    /// It is recorded, and more new ids are lost as probable duplicates: see `estimated_false_drop_rate`. Bloom, its default.
    Degrade,
}

impl OnFull {
    /// The stable name, the same in every host.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EvictOldest => "evict_oldest",
            Self::Reject => "reject",
            Self::Degrade => "degrade",
        }
    }
}

impl core::str::FromStr for OnFull {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "evict_oldest" => Ok(Self::EvictOldest),
            "reject" => Ok(Self::Reject),
            "degrade" => Ok(Self::Degrade),
            other => Err(Error::invalid_config(
                "on_full",
                Error::value(other),
                "`evict_oldest`, `reject` or `degrade`, as the memory allows",
            )),
        }
    }
}

/// The ring's shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// Remember for at least `window`.
    Window {
        /// How long an id is remembered: at least this, at most N·bucket.
        window: Millis,
        /// The bucket width; ceil(window / 60) if not given.
        bucket: Option<Millis>,
    },
    /// The raw ring.
    Buckets {
        /// The bucket width.
        bucket: Millis,
        /// The number of buckets, 2 to 250.
        buckets: u64,
    },
}

impl Span {
    fn geometry(self) -> Result<Geometry, Error> {
        match self {
            Self::Window { window, bucket } => Geometry::for_window(window, bucket),
            Self::Buckets { bucket, buckets } => Geometry::for_buckets(bucket, buckets),
        }
    }
}

/// What bounds an exact memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cap {
    /// At most this many ids are held; unbounded if none.
    pub max_ids: Option<u64>,
}

/// What a filter is built for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Load {
    /// Distinct ids accepted in one window.
    pub expected_ids: u64,
    /// The chance that a new id is called a probable duplicate, and so lost, at that load.
    pub false_drop_rate: f64,
}

impl Load {
    /// So many distinct ids a window, at this rate.
    #[must_use]
    pub fn new(expected_ids: u64, false_drop_rate: f64) -> Self {
        Self {
            expected_ids,
            false_drop_rate,
        }
    }
}

/// How a window is built. Start from [`Window::exact`], [`Window::from_buckets`], [`Window::bloom`] or [`Window::cuckoo`].
///
/// **Quick advice:** the defaults are right unless ids are chosen by strangers (`secret`), memory must have a ceiling
/// (`max_ids`), or producers' clocks are not to be trusted (`max_step`).
///
/// ```
/// use firstseen::{OnFull, Window};
/// use std::time::Duration;
///
/// let window = Window::exact(Duration::from_secs(600))
///     .max_ids(1_000_000)
///     .on_full(OnFull::Reject)
///     .build()?;
/// assert_eq!(window.bucket(), Duration::from_secs(10).into());
/// # Ok::<(), firstseen::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config<M: Memory = Exact> {
    /// The ring's shape.
    pub span: Span,
    /// What bounds the memory.
    pub size: M::Size,
    /// What happens to a new id when the memory is full.
    pub on_full: OnFull,
    /// The key of the fingerprints.
    pub secret: Secret,
    /// A told recording call further ahead of window time than this is refused with `clock_step`.
    pub max_step: Option<Millis>,
    /// An event whose own time is further behind window time than this is `late`.
    pub max_lateness: Option<Millis>,
    /// Whether the same id with another body is told. Exact memories only, and not sharded.
    pub detect_conflicts: bool,
}

impl<M: Memory> Config<M> {
    pub(crate) fn new(span: Span, size: M::Size, on_full: OnFull) -> Self {
        Self {
            span,
            size,
            on_full,
            secret: Secret::default(),
            max_step: None,
            max_lateness: None,
            detect_conflicts: false,
        }
    }

    /// Sets the bucket width: the granularity of forgetting. A window has at most 249 whole buckets.
    #[must_use]
    pub fn bucket(mut self, width: impl Into<Millis>) -> Self {
        match &mut self.span {
            Span::Window { bucket, .. } => *bucket = Some(width.into()),
            Span::Buckets { bucket, .. } => *bucket = width.into(),
        }
        self
    }

    /// Sets what happens to a new id when the memory is full.
    #[must_use]
    pub fn on_full(mut self, on_full: OnFull) -> Self {
        self.on_full = on_full;
        self
    }

    /// Sets the key of the fingerprints.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<Secret>) -> Self {
        self.secret = secret.into();
        self
    }

    /// Refuses told times further ahead of window time than this.
    #[must_use]
    pub fn max_step(mut self, max_step: impl Into<Millis>) -> Self {
        self.max_step = Some(max_step.into());
        self
    }

    /// Calls events `late` whose own time is further behind window time than this; 0 is allowed.
    #[must_use]
    pub fn max_lateness(mut self, max_lateness: impl Into<Millis>) -> Self {
        self.max_lateness = Some(max_lateness.into());
        self
    }

    /// With the values that every memory has validated.
    fn valid(
        self,
        geometry: Geometry,
        max_ids: Option<u64>,
        capacity: Option<u64>,
        closing: Closing,
    ) -> Result<Valid, Error> {
        if matches!(closing, Closing::At(_)) && geometry.buckets > MAX_BUCKETS_EVICTING {
            return Err(Error::invalid_config(
                "buckets",
                Error::value(geometry.buckets),
                "at most 186 buckets with `evict_oldest` in a bounded memory, so a bucket of at least window / 185",
            ));
        }
        Ok(Valid {
            geometry,
            max_step: self
                .max_step
                .map(|step| duration("max_step", step))
                .transpose()?,
            max_lateness: self
                .max_lateness
                .map(|lateness| lateness.checked("max_lateness"))
                .transpose()?,
            max_ids,
            capacity,
            on_full: self.on_full,
            closing,
            secret: self.secret,
            detect_conflicts: self.detect_conflicts,
        })
    }

    /// Refuses to detect conflicts in a filter, which would take most of the memory that it spares.
    fn has_no_bodies(&self) -> Result<(), Error> {
        if self.detect_conflicts {
            return Err(Error::invalid_config(
                "detect_conflicts",
                "true",
                "an exact memory",
            ));
        }
        Ok(())
    }

    /// For a policy that this memory does not have.
    pub(crate) fn wrong_policy(&self, accepted: &'static str) -> Error {
        Error::invalid_config("on_full", self.on_full.name(), accepted)
    }
}

impl Config<Exact> {
    /// Caps the number of ids held.
    #[must_use]
    pub fn max_ids(mut self, max_ids: u64) -> Self {
        self.size.max_ids = Some(max_ids);
        self
    }

    /// Keeps a digest of each body given to [`observe_body`](Window::observe_body), so that the same id with another body is a
    /// [`Conflict`](crate::Verdict::Conflict). Costs 19 to 39 bytes more for each id that has one; nothing for others.
    #[must_use]
    pub fn detect_conflicts(mut self, detect: bool) -> Self {
        self.detect_conflicts = detect;
        self
    }

    /// Builds the window. Allocates nothing.
    ///
    /// # Errors
    /// `invalid_time` for a duration above 2^53−1 ms; `invalid_config` for a duration of 0 (but for `max_lateness`), for more
    /// than 250 buckets (186 with `max_ids` and `evict_oldest`), for a `max_ids` of 0 or above 2^53−1, and for
    /// `reject` without `max_ids`, and for `degrade`.
    pub fn build(self) -> Result<Window<Exact>, Error> {
        let memory = Exact::new(self.size.max_ids.is_some());
        Ok(Window::with_memory(self.validate()?, memory))
    }

    pub(crate) fn validate(self) -> Result<Valid, Error> {
        let geometry = self.span.geometry()?;
        let max_ids = self.size.max_ids;
        if max_ids.is_some_and(|max_ids| max_ids == 0 || max_ids > Millis::MAX.0) {
            return Err(Error::invalid_config(
                "max_ids",
                Error::value(max_ids.unwrap_or(0)),
                "1 to 2^53-1 ids",
            ));
        }
        let closing = match self.on_full {
            OnFull::EvictOldest => max_ids.map_or(Closing::InTime, closes_at),
            OnFull::Reject if max_ids.is_some() => Closing::InTime,
            OnFull::Reject => return Err(self.wrong_policy("`reject` together with `max_ids`")),
            OnFull::Degrade => {
                return Err(self.wrong_policy("`evict_oldest` or `reject` in an exact memory"))
            }
        };
        self.valid(geometry, max_ids, max_ids, closing)
    }
}

/// 250 bucket tags less the 64 of early-closed buckets.
const MAX_BUCKETS_EVICTING: u64 = MAX_BUCKETS - MAX_EARLY;

/// A 64th part of the ids that are held at most.
fn closes_at(ids: u64) -> Closing {
    Closing::At(ids.div_ceil(MAX_EARLY))
}

/// A configuration whose every value is in range.
#[derive(Clone, Debug)]
pub(crate) struct Valid {
    pub(crate) geometry: Geometry,
    pub(crate) max_ids: Option<u64>,
    /// How many ids are held at most, by whatever bound.
    pub(crate) capacity: Option<u64>,
    pub(crate) on_full: OnFull,
    pub(crate) closing: Closing,
    pub(crate) secret: Secret,
    pub(crate) max_step: Option<u64>,
    pub(crate) max_lateness: Option<u64>,
    pub(crate) detect_conflicts: bool,
}
