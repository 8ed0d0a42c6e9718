//! A window's configuration: plain data with setters that never fail; only `build` does.

use crate::error::Error;
use crate::fingerprint::Secret;
use crate::memory::Exact;
use crate::time::{duration, Geometry, Millis};
use crate::window::Window;

/// What happens to a new id when `max_ids` are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFull {
    /// The oldest buckets are forgotten whole until there is room; counted in `evicted`.
    #[default]
    EvictOldest,
    /// The call is refused with `full`.
    Reject,
}

impl OnFull {
    /// The stable name, the same in every host.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EvictOldest => "evict_oldest",
            Self::Reject => "reject",
        }
    }
}

impl core::str::FromStr for OnFull {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "evict_oldest" => Ok(Self::EvictOldest),
            "reject" => Ok(Self::Reject),
            other => Err(Error::invalid_config(
                "on_full",
                Error::value(other),
                "`evict_oldest` or `reject`",
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

/// How a window is built. Start from [`Window::exact`] or [`Window::from_buckets`].
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
pub struct Config {
    /// The ring's shape.
    pub span: Span,
    /// At most this many ids are held; unbounded if none.
    pub max_ids: Option<u64>,
    /// What happens when they are.
    pub on_full: OnFull,
    /// The key of the fingerprints.
    pub secret: Secret,
    /// A told recording call further ahead of window time than this is refused with `clock_step`.
    pub max_step: Option<Millis>,
    /// An event whose own time is further behind window time than this is `late`.
    pub max_lateness: Option<Millis>,
}

impl Config {
    pub(crate) fn new(span: Span) -> Self {
        Self {
            span,
            max_ids: None,
            on_full: OnFull::default(),
            secret: Secret::default(),
            max_step: None,
            max_lateness: None,
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

    /// Caps the number of ids held.
    #[must_use]
    pub fn max_ids(mut self, max_ids: u64) -> Self {
        self.max_ids = Some(max_ids);
        self
    }

    /// Sets what happens when `max_ids` are held.
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

    /// Builds the window. Allocates nothing.
    ///
    /// # Errors
    /// `invalid_time` for a duration above 2^53−1 ms; `invalid_config` for a duration of 0 (but for `max_lateness`), for more
    /// than 250 buckets (186 with `max_ids` and `evict_oldest`), for a `max_ids` of 0 or above 2^53−1, and for
    /// `reject` without `max_ids`.
    pub fn build(self) -> Result<Window<Exact>, Error> {
        let memory = Exact::new(self.max_ids.is_some());
        Ok(Window::with_memory(self.validate()?, memory))
    }

    pub(crate) fn validate(self) -> Result<Valid, Error> {
        let geometry = match self.span {
            Span::Window { window, bucket } => Geometry::for_window(window, bucket)?,
            Span::Buckets { bucket, buckets } => Geometry::for_buckets(bucket, buckets)?,
        };
        match (self.max_ids, self.on_full) {
            (Some(max_ids), _) if max_ids == 0 || max_ids > Millis::MAX.0 => {
                return Err(Error::invalid_config(
                    "max_ids",
                    Error::value(max_ids),
                    "1 to 2^53-1 ids",
                ));
            }
            (Some(_), OnFull::EvictOldest) if geometry.buckets > MAX_BUCKETS_EVICTING => {
                return Err(Error::invalid_config(
                    "buckets",
                    Error::value(geometry.buckets),
                    "at most 186 buckets with `max_ids` and `evict_oldest`, so a bucket of at least window / 185",
                ));
            }
            (None, OnFull::Reject) => {
                return Err(Error::invalid_config(
                    "on_full",
                    "reject",
                    "`reject` together with `max_ids`",
                ));
            }
            _ => {}
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
            max_ids: self.max_ids,
            on_full: self.on_full,
            secret: self.secret,
        })
    }
}

/// 250 bucket tags less the 64 of early-closed buckets.
const MAX_BUCKETS_EVICTING: u64 = 186;

/// A configuration whose every value is in range.
#[derive(Clone, Debug)]
pub(crate) struct Valid {
    pub(crate) geometry: Geometry,
    pub(crate) max_ids: Option<u64>,
    pub(crate) on_full: OnFull,
    pub(crate) secret: Secret,
    pub(crate) max_step: Option<u64>,
    pub(crate) max_lateness: Option<u64>,
}
