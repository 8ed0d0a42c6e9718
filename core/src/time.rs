//! 3. Time: buckets, the promise, regressions and re-anchoring. Pure arithmetic; no clock is read here.
//!
//! `DESIGN.md` §3 gives the rules in the order in which [`Timeline::tell`] follows them.

use core::fmt;
use core::time::Duration;

use crate::error::{Error, ANY_TIME};

/// A time or a duration in milliseconds: at most 2^53−1, which every host's numbers can hold exactly.
///
/// As a time it is in the scale of the caller's choice; the hosts' default clock uses Unix time. A value above
/// [`Millis::MAX`] is refused with `invalid_time` where it is used.
///
/// ```
/// use firstseen::Millis;
/// use std::time::Duration;
///
/// assert_eq!(Millis::from(Duration::from_secs(60)), Millis(60_000));
/// assert_eq!(Millis::from_ms("now", 1.5)?, Millis(2));
/// assert_eq!(Millis::from_secs("now", 0.25)?, Millis(250));
/// assert_eq!(Millis::from_ms("now", f64::NAN).unwrap_err().code(), "invalid_time");
/// # Ok::<(), firstseen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

impl Millis {
    /// The latest time and the longest duration: 2^53−1 ms, some 285 thousand years.
    pub const MAX: Self = Self((1 << 53) - 1);

    /// A number of milliseconds, rounded half up: `floor(x + 0.5)`.
    ///
    /// # Errors
    /// `invalid_time`, naming the argument `name`, if it is not finite, negative, or above [`Millis::MAX`].
    pub fn from_ms(name: &'static str, value: f64) -> Result<Self, Error> {
        Self::round(name, value, value)
    }

    /// A number of seconds, rounded half up to milliseconds: `floor(x·1000 + 0.5)`.
    ///
    /// # Errors
    /// As [`Millis::from_ms`].
    #[inline]
    pub fn from_secs(name: &'static str, value: f64) -> Result<Self, Error> {
        Self::round(name, value, value * 1000.0)
    }

    #[inline]
    fn round(name: &'static str, given: f64, ms: f64) -> Result<Self, Error> {
        // From 2^52 on a double has no half, and adding one would round to even.
        let rounded = if ms < 4_503_599_627_370_496.0 {
            ms + 0.5
        } else {
            ms
        };
        // NaN fails the comparison; the cast is the floor, since the value is not negative.
        if ms >= 0.0 && rounded < 9_007_199_254_740_992.0 {
            Ok(Self(rounded as u64))
        } else {
            Err(Self::out_of_range(name, given))
        }
    }

    #[cold]
    fn out_of_range(name: &'static str, given: f64) -> Error {
        // Three hundred digits help nobody.
        Error::invalid_time(name, Error::value(format_args!("{given:?}")))
    }

    /// Itself if it is in range.
    pub(crate) fn checked(self, name: &'static str) -> Result<u64, Error> {
        if self <= Self::MAX {
            Ok(self.0)
        } else {
            Err(Error::InvalidTime {
                name,
                found: Error::value(self),
                accepted: ANY_TIME,
            })
        }
    }
}

impl From<Duration> for Millis {
    /// Rounded half up; a duration too long to express becomes a value that is refused where it is used.
    fn from(duration: Duration) -> Self {
        let ms = (duration.as_nanos() + 500_000) / 1_000_000;
        Self(u64::try_from(ms).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

/// Where a call's time comes from.
///
/// A window is *told* or *clocked*: its first recording call decides, and mixing is `invalid_time`, since one forgotten `now`
/// would otherwise wipe the window. A plain [`Millis`] converts into [`Now::Told`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Now {
    /// The caller says what time it is.
    Told(Millis),
    /// The reading of the window's clock.
    Clock(Millis),
    /// Neither: a read answers as of window time; a recording call is refused.
    Unsaid,
}

impl Now {
    /// Refuses a time out of range.
    pub(crate) fn checked(self) -> Result<(), Error> {
        match self {
            Self::Told(now) | Self::Clock(now) => now.checked("now").map(drop),
            Self::Unsaid => Ok(()),
        }
    }
}

impl From<Millis> for Now {
    fn from(now: Millis) -> Self {
        Self::Told(now)
    }
}

/// Whether recording calls give the time or leave it to the clock; the first decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Undecided,
    Told,
    Clocked,
}

impl Mode {
    /// The time of a call that moves window time, and the mode that it belongs to.
    #[inline]
    pub(crate) fn admit(self, now: Now) -> Result<(u64, Self), Error> {
        match (now, self) {
            (Now::Told(time), Self::Undecided | Self::Told) => {
                Ok((time.checked("now")?, Self::Told))
            }
            (Now::Clock(time), Self::Undecided | Self::Clocked) => {
                Ok((time.checked("now")?, Self::Clocked))
            }
            (Now::Told(time), Self::Clocked) => Err(Error::InvalidTime {
                name: "now",
                found: Error::value(Millis(time.checked("now")?)),
                accepted:
                    "no time in any call, since the first recording call left it to the clock",
            }),
            (Now::Clock(_), Self::Told) | (Now::Unsaid, _) => Err(Error::InvalidTime {
                name: "now",
                found: "not given".into(),
                accepted: "a time in every call of a window that is told the time",
            }),
        }
    }

    /// The time as of which a read answers, given the latest time told.
    pub(crate) fn as_of(self, now: Now, told: Option<u64>) -> Result<Option<u64>, Error> {
        let now = match now {
            Now::Told(now) => Some(now.checked("now")?),
            Now::Clock(now) if self != Self::Told => Some(now.checked("now")?),
            Now::Clock(_) | Now::Unsaid => None,
        };
        Ok(now.max(told))
    }
}

/// The ring's shape: N buckets of b ms, which keep the promise for a window of W ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) window: u64,
    pub(crate) bucket: u64,
    pub(crate) buckets: u64,
}

/// The most buckets that a ring may have: entries carry 8-bit bucket tags.
pub(crate) const MAX_BUCKETS: u64 = 250;

impl Geometry {
    /// N = ceil(W/b) + 1, with b = ceil(W/60) unless given.
    pub(crate) fn for_window(window: Millis, bucket: Option<Millis>) -> Result<Self, Error> {
        let window = duration("window", window)?;
        let bucket = match bucket {
            Some(bucket) => duration("bucket", bucket)?,
            None => window.div_ceil(60),
        };
        let buckets = window.div_ceil(bucket) + 1;
        if buckets > MAX_BUCKETS {
            return Err(Error::invalid_config(
                "bucket",
                Error::value(Millis(bucket)),
                "a bucket of at least window / 249",
            ));
        }
        Ok(Self {
            window,
            bucket,
            buckets,
        })
    }

    /// The raw ring: remembers more than (N−1)·b and at most N·b.
    pub(crate) fn for_buckets(bucket: Millis, buckets: u64) -> Result<Self, Error> {
        let bucket = duration("bucket", bucket)?;
        if !(2..=MAX_BUCKETS).contains(&buckets) {
            return Err(Error::invalid_config(
                "buckets",
                Error::value(buckets),
                "2 to 250 buckets",
            ));
        }
        let window = bucket * (buckets - 1);
        if window > Millis::MAX.0 {
            return Err(Error::invalid_config(
                "bucket",
                Error::value(Millis(bucket)),
                "(buckets - 1) * bucket of at most 2^53-1 ms",
            ));
        }
        Ok(Self {
            window,
            bucket,
            buckets,
        })
    }

    /// The index of the bucket in which a time lies.
    pub(crate) fn index(&self, time: u64) -> i64 {
        (time / self.bucket) as i64
    }
}

/// A duration that may not be 0.
pub(crate) fn duration(name: &'static str, value: Millis) -> Result<u64, Error> {
    match value.checked(name)? {
        0 => Err(Error::invalid_config(
            name,
            Error::value(value),
            "a duration from 1 to 2^53-1 ms",
        )),
        ms => Ok(ms),
    }
}

/// What a told time did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tick {
    /// Time stood still or went on.
    Forward,
    /// The time was behind the newest bucket's start: window time stays.
    Regression,
    /// The caller's clock was reset: every bucket's index grows by this.
    Reset { buckets: i64 },
}

/// Window time: the latest time told, and the suspicion that the caller's clock was reset.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    /// The latest time told, if any was.
    time: u64,
    begun: bool,
    suspect: Option<u64>,
    /// The newest bucket: its index and its first millisecond.
    head: i64,
    start: u64,
    /// How many milliseconds from `start` on need no more than a comparison: the bucket's, or none while there is a suspect.
    plain: u64,
}

impl Timeline {
    pub(crate) fn new() -> Self {
        Self {
            time: 0,
            begun: false,
            suspect: None,
            head: 0,
            start: 0,
            plain: 0,
        }
    }

    /// The latest time told.
    #[inline]
    pub(crate) fn time(&self) -> Option<u64> {
        self.begun.then_some(self.time)
    }

    /// The index of the newest bucket.
    #[inline]
    pub(crate) fn head(&self) -> i64 {
        self.head
    }

    /// The times that are plain, as the first one and how many: see [`is_plain`](Self::is_plain).
    pub(crate) fn plain(&self) -> (u64, u64) {
        (self.start, self.plain)
    }

    /// The first millisecond of the newest bucket.
    #[cfg(feature = "std")]
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// The times that may be told without changing more than window time and the count of regressions: from N·b before the
    /// newest bucket to its end, and none while there is a suspect.
    #[cfg(feature = "std")]
    pub(crate) fn calm(&self, geometry: &Geometry) -> core::ops::Range<u64> {
        let reach = geometry.buckets * geometry.bucket;
        match self.plain {
            0 => 0..0,
            plain => self.start.saturating_sub(reach)..self.start + plain,
        }
    }

    /// Refuses a step of more than `max_step` ahead; there is none before the first time told.
    pub(crate) fn check_step(&self, now: u64, max_step: u64) -> Result<(), Error> {
        match self.time() {
            Some(time) if now > time.saturating_add(max_step) => Err(Error::ClockStep {
                now: Millis(now),
                window_time: Millis(time),
                max_step: Millis(max_step),
            }),
            _ => Ok(()),
        }
    }

    /// Whether a time lies in the newest bucket, and telling it would do nothing but move window time.
    #[inline]
    pub(crate) fn is_plain(&self, now: u64) -> bool {
        now.wrapping_sub(self.start) < self.plain
    }

    /// Tells a plain time, and returns window time: see [`is_plain`](Self::is_plain).
    #[inline]
    pub(crate) fn tell_plain(&mut self, now: u64) -> u64 {
        self.time = self.time.max(now);
        self.time
    }

    /// Takes the time of a recording call.
    pub(crate) fn tell(&mut self, now: u64, geometry: &Geometry) -> Tick {
        if self.is_plain(now) {
            self.tell_plain(now);
            return Tick::Forward;
        }
        if self.begun && now < self.start {
            let tick = self.tell_behind(now, geometry);
            self.set_plain(geometry);
            return tick;
        }
        self.suspect = None;
        self.advance(now, geometry);
        self.set_plain(geometry);
        Tick::Forward
    }

    #[cold]
    fn tell_behind(&mut self, now: u64, geometry: &Geometry) -> Tick {
        let far = self.start - now > geometry.buckets * geometry.bucket;
        match (far, self.suspect) {
            (false, _) => self.suspect = None,
            (true, None) => self.suspect = Some(now),
            (true, Some(suspect)) if now >= suspect + geometry.bucket => {
                let old = self.head;
                self.suspect = None;
                self.set(now, geometry);
                return Tick::Reset {
                    buckets: self.head - old,
                };
            }
            (true, Some(_)) => {}
        }
        Tick::Regression
    }

    /// Moves window time forward to `now`, if that is ahead.
    pub(crate) fn advance(&mut self, now: u64, geometry: &Geometry) {
        if !self.begun || self.time < now {
            self.set(now, geometry);
        }
    }

    fn set(&mut self, now: u64, geometry: &Geometry) {
        (self.time, self.begun) = (now, true);
        self.head = geometry.index(now);
        self.start = now - now % geometry.bucket;
        self.set_plain(geometry);
    }

    fn set_plain(&mut self, geometry: &Geometry) {
        let in_range = Millis::MAX.0 + 1 - self.start;
        self.plain = match self.suspect {
            None => geometry.bucket.min(in_range),
            Some(_) => 0,
        };
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn geometry_keeps_the_promise_and_its_bounds() {
        let ring = Geometry::for_window(Millis(60_000), None).unwrap();
        assert_eq!((ring.bucket, ring.buckets), (1000, 61));
        let ring = Geometry::for_window(Millis(1), None).unwrap();
        assert_eq!((ring.bucket, ring.buckets), (1, 2));
        let ring = Geometry::for_window(Millis(249), Some(Millis(1))).unwrap();
        assert_eq!(ring.buckets, 250);
        for (window, bucket) in [(250, Some(1)), (0, None), (5, Some(0))] {
            let error = Geometry::for_window(Millis(window), bucket.map(Millis)).unwrap_err();
            assert_eq!(error.code(), "invalid_config");
        }
        let longest = Geometry::for_window(Millis::MAX, Some(Millis::MAX)).unwrap();
        assert_eq!(longest.buckets, 2);
    }

    #[test]
    fn rounding_is_half_up_up_to_the_last_value() {
        let max = Millis::MAX.0 as f64;
        assert_eq!(Millis::from_ms("now", max).unwrap(), Millis::MAX);
        assert_eq!(
            Millis::from_ms("now", max - 1.0).unwrap().0,
            Millis::MAX.0 - 1
        );
        assert_eq!(Millis::from_ms("now", 0.49).unwrap(), Millis(0));
        assert_eq!(Millis::from_ms("now", 0.5).unwrap(), Millis(1));
        assert_eq!(Millis::from_ms("now", -0.0).unwrap(), Millis(0));
        for bad in [-0.2, max + 1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(
                Millis::from_ms("now", bad).unwrap_err().code(),
                "invalid_time"
            );
        }
    }
}
