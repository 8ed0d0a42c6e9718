//! What each memory would take for a load, and which to use.

mod table;

use alloc::string::String;
use alloc::vec::Vec;

use super::{BloomSize, CuckooSize, ExactSize};
use crate::config::Load;
use crate::error::Error;
use crate::time::{duration, Millis};
use crate::window::Window;

/// The rate of filters when none is given: for comparison only, no filter is recommended then.
const SHOWN: f64 = 0.001;

/// For the list of buckets of a filter's window.
const FIXED: u64 = 8 * 1024;

/// How much memory a window takes, and which one to use, for so many events a second and a window of this length.
///
/// A rate of *distinct* ids is enough, and closer; with redeliveries the figures are too high, never too low.
///
/// ```
/// use firstseen::sizing::{plan, MemoryKind};
/// use std::time::Duration;
///
/// let ten_minutes = Duration::from_secs(600);
/// let plan = plan(1_000.0, ten_minutes).budget(4 << 20).false_drop_rate(0.001).build()?;
/// assert_eq!(plan.expected_ids, 600_000);
/// assert!(!plan.exact.fits && plan.exact.bytes < 12_000_000);
/// assert_eq!(plan.recommended, Some(MemoryKind::Cuckoo));
/// println!("{plan}");
/// # Ok::<(), firstseen::Error>(())
/// ```
pub fn plan(rate: f64, window: impl Into<Millis>) -> PlanConfig {
    PlanConfig {
        rate,
        window: window.into(),
        budget: None,
        false_drop_rate: None,
    }
}

/// What a [`plan`](plan()) is asked for. Only [`build`](Self::build) fails.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanConfig {
    /// Events a second.
    pub rate: f64,
    /// For how long an id is to be remembered, at least.
    pub window: Millis,
    /// Bytes that the window may take.
    pub budget: Option<u64>,
    /// Which share of new events may be lost.
    pub false_drop_rate: Option<f64>,
}

/// One of the three memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryKind {
    /// [`Window::exact`].
    Exact,
    /// [`Window::cuckoo`].
    Cuckoo,
    /// [`Window::bloom`].
    Bloom,
}

impl MemoryKind {
    /// The stable name, the same in every host.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Cuckoo => "cuckoo",
            Self::Bloom => "bloom",
        }
    }
}

/// What one memory would take, and what it would lose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// Which.
    pub memory: MemoryKind,
    /// Bytes at most: see [`ExactSize::bytes`]; a filter's are allocated at once.
    pub bytes: u64,
    /// Whether that is within the budget; true without one.
    pub fits: bool,
    /// The chance that a new id is taken for a duplicate, on average and at most.
    pub false_drop_rate: f64,
    /// How many events a day are lost so, if all are new.
    pub false_drops_per_day: f64,
    /// How long an id is remembered, at most. At least it is the window.
    pub remembered: Millis,
    /// If it does not fit: a window that would, found by bisection between none and the one asked for; none if none was.
    pub fitting_window: Option<Millis>,
}

/// The memories compared, and the recommendation. Its `Display` is a table.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Plan {
    /// What was asked for.
    pub config: PlanConfig,
    /// Distinct ids in a window, at most: what `expected_ids` of a filter is.
    pub expected_ids: u64,
    /// The exact memory.
    pub exact: Choice,
    /// The cuckoo filter at the rate given, or at 0.001 for comparison; none for so many ids that it cannot keep that rate.
    pub cuckoo: Option<Choice>,
    /// The Bloom filter likewise; none also below 1e-6.
    pub bloom: Option<Choice>,
    /// Exact wherever that fits; else, only if a false drop rate is given, the cuckoo filter, or the Bloom filter if only that fits.
    pub recommended: Option<MemoryKind>,
}

impl PlanConfig {
    /// Sets how many bytes the window may take.
    #[must_use]
    pub fn budget(mut self, bytes: u64) -> Self {
        self.budget = Some(bytes);
        self
    }

    /// Sets which share of new events may be lost. Without it, none may.
    #[must_use]
    pub fn false_drop_rate(mut self, rate: f64) -> Self {
        self.false_drop_rate = Some(rate);
        self
    }

    /// Compares the memories. O(1): allocates no window.
    ///
    /// # Errors
    /// `invalid_config` for a rate that is not finite or not above 0, or of 2^41 ids in a window and more; for a budget of 0 or above 2^53−1; for
    /// a false drop rate outside 1e-10 to 0.5; for a window of 0. `invalid_time` for a window above 2^53−1 ms.
    pub fn build(self) -> Result<Plan, Error> {
        let expected_ids = self.validate()?;
        let Some(exact) = self.choice(MemoryKind::Exact) else {
            return Err(self.wrong_rate());
        };
        let [cuckoo, bloom] = [MemoryKind::Cuckoo, MemoryKind::Bloom].map(|kind| self.choice(kind));
        let filters = [cuckoo, bloom].into_iter().flatten();
        let filters = filters.filter(|_| self.false_drop_rate.is_some());
        let mut choices = core::iter::once(exact).chain(filters);
        Ok(Plan {
            config: self,
            expected_ids,
            exact,
            cuckoo,
            bloom,
            recommended: choices.find(|choice| choice.fits).map(|fits| fits.memory),
        })
    }

    fn validate(&self) -> Result<u64, Error> {
        duration("window", self.window)?;
        if !(self.rate.is_finite() && self.rate > 0.0) {
            return Err(self.wrong_rate());
        }
        let expected_ids = self.expected_ids(self.window);
        if expected_ids >> 41 != 0 {
            return Err(self.wrong_rate());
        }
        if let Some(budget) = self
            .budget
            .filter(|bytes| !(1..=Millis::MAX.0).contains(bytes))
        {
            let accepted = "1 to 2^53-1 bytes";
            return Err(Error::invalid_config(
                "budget",
                Error::value(budget),
                accepted,
            ));
        }
        if let Some(rate) = self.false_drop_rate {
            super::check_rate(rate, 1e-10, "a rate from 1e-10 to 0.5")?;
        }
        Ok(expected_ids)
    }

    fn wrong_rate(&self) -> Error {
        Error::invalid_config(
            "rate",
            Error::value(format_args!("{:?}", self.rate)),
            "more than 0 events a second, and less than 2^41 in a window",
        )
    }

    /// Rounded half up, at least 1: a rate is measured, and 6 million an hour has no exact number a second.
    fn expected_ids(&self, window: Millis) -> u64 {
        ((self.rate * window.0 as f64 / 1000.0 + 0.5) as u64).max(1)
    }

    fn choice(&self, memory: MemoryKind) -> Option<Choice> {
        let Needed {
            bytes,
            false_drop_rate,
            remembered,
        } = self.needed(memory, self.window)?;
        let fits = self.has_room_for(bytes);
        Some(Choice {
            memory,
            bytes,
            fits,
            false_drop_rate,
            false_drops_per_day: self.rate * 86_400.0 * false_drop_rate,
            remembered: Millis(remembered),
            fitting_window: if fits {
                None
            } else {
                self.fitting_window(memory)
            },
        })
    }

    fn has_room_for(&self, bytes: u64) -> bool {
        self.budget.is_none_or(|budget| bytes <= budget)
    }

    /// By bisection. What a window takes grows with its length, but for what is rounded to whole buckets: so what is found fits, and
    /// is the longest but for that.
    fn fitting_window(&self, memory: MemoryKind) -> Option<Millis> {
        let (mut fits, mut not) = (0, self.window.0);
        while not - fits > 1 {
            let middle = fits + (not - fits) / 2;
            let needed = self.needed(memory, Millis(middle));
            if needed.is_some_and(|needed| self.has_room_for(needed.bytes)) {
                fits = middle;
            } else {
                not = middle;
            }
        }
        (fits > 0).then_some(Millis(fits))
    }

    /// None if this memory cannot do it, however large.
    fn needed(&self, memory: MemoryKind, window: Millis) -> Option<Needed> {
        let expected_ids = self.expected_ids(window);
        let rate = self.false_drop_rate.unwrap_or(SHOWN);
        let needed = match memory {
            MemoryKind::Exact => {
                let geometry = Window::exact(window).validate().ok()?.geometry;
                let load = Load {
                    expected_ids,
                    false_drop_rate: 0.0,
                };
                let load = load.in_ring(&geometry);
                let size = ExactSize::new(load.expected_ids, geometry.buckets).ok()?;
                Needed {
                    bytes: size.bytes(),
                    false_drop_rate: size.false_drop_rate(size.held),
                    remembered: geometry.buckets * geometry.bucket,
                }
            }
            MemoryKind::Cuckoo => {
                let (valid, size) = Window::cuckoo(window, expected_ids, rate).validate().ok()?;
                let geometry = valid.geometry;
                Needed {
                    bytes: CuckooSize::bytes(&size) + size.lines.div_ceil(256) * 8 + FIXED,
                    false_drop_rate: size.false_drop_rate(size.held),
                    remembered: geometry.buckets * geometry.bucket,
                }
            }
            MemoryKind::Bloom => {
                let (valid, size) = Window::bloom(window, expected_ids, rate).validate().ok()?;
                let geometry = valid.geometry;
                let longest = geometry.buckets + geometry.buckets.div_ceil(2);
                Needed {
                    bytes: BloomSize::bytes(&size) + FIXED,
                    false_drop_rate: rate,
                    remembered: longest * geometry.bucket,
                }
            }
        };
        Some(needed)
    }
}

/// What a memory takes for a window.
struct Needed {
    bytes: u64,
    false_drop_rate: f64,
    remembered: u64,
}

impl Plan {
    /// The memories that can do it, in the order in which they are considered.
    #[must_use]
    pub fn choices(&self) -> Vec<Choice> {
        let filters = [self.cuckoo, self.bloom];
        core::iter::once(self.exact)
            .chain(filters.into_iter().flatten())
            .collect()
    }

    /// Why this memory is recommended, or none: a sentence without an end.
    #[must_use]
    pub fn reason(&self) -> String {
        table::reason(self)
    }
}
