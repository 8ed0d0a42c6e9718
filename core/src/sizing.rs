//! How large a filter must be, and how often a filter of that size is wrong: formulas, derived in `DESIGN.md`.
//!
//! Integers, the basic operations of IEEE 754 and `libm`'s portable `exp` only, so that every host sizes alike to the bit.
//!
//! ```
//! use firstseen::sizing::{BloomSize, CuckooSize};
//!
//! let bloom = BloomSize::new(1_000_000, 64, 0.01)?;
//! assert!((17.9..18.0).contains(&(bloom.bytes() as f64 * 8.0 / 1e6)), "bits per expected id");
//! let cuckoo = CuckooSize::new(1_000_000, 61, 0.001)?;
//! assert!(cuckoo.false_drop_rate(cuckoo.held) <= 0.001);
//! # Ok::<(), firstseen::Error>(())
//! ```

mod exact;
mod plan;

use crate::error::Error;
use crate::generations::span;
use crate::time::MAX_BUCKETS;

pub use exact::ExactSize;
pub use plan::{plan, Choice, MemoryKind, Plan, PlanConfig};

/// Bytes of a line: one cache line, and one memory access.
pub const LINE_BYTES: u64 = 64;

/// The most generations that a Bloom filter tells apart: a bit of each byte for each.
pub const MAX_GENERATIONS: u64 = 8;

/// Positions of a Bloom filter's line; its last byte is a tag.
pub(crate) const POSITIONS: u64 = 63;

/// What the rate may be at its peak, when all generations are full, for a mean of at most 1.
const PEAK: f64 = 1.08;

/// A Bloom filter's size.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BloomSize {
    /// Lines of 64 bytes.
    pub lines: u64,
    /// In how many lines an id sets positions.
    pub lines_per_id: u32,
    /// How many positions it sets in each.
    pub positions_per_line: u32,
    /// The ids of a generation at full load and evenly: ceil(`expected_ids`·s/(N−1)), with s = ceil((N−1)/7) buckets in each.
    pub each: u64,
    /// The ids held at full load, in all generations.
    pub held: u64,
    /// The rate at full load when all generations are full, which is when it is highest.
    pub peak: f64,
}

impl BloomSize {
    /// For so many ids in a window of N `buckets`, 2 to 250 of them, at this rate. Smallest when N − 1 is a multiple of 7.
    ///
    /// # Errors
    /// `invalid_config` for an `expected_ids` of 0, or so many that 2^32 lines would not do; for a rate outside 1e-6 to 0.5,
    /// NaN included; for another number of buckets.
    pub fn new(expected_ids: u64, buckets: u64, false_drop_rate: f64) -> Result<Self, Error> {
        check_buckets(buckets)?;
        check_ids(expected_ids)?;
        let span = span(buckets);
        let each = (expected_ids * span).div_ceil(buckets - 1);
        // One more than it takes to span a window, since the newest has only begun.
        let generations = (buckets - 1).div_ceil(span) + 1;
        check_rate(
            false_drop_rate,
            1e-6,
            "a rate from 1e-6 to 0.5 in a Bloom filter",
        )?;
        let (lines_per_id, positions_per_line) = match false_drop_rate {
            p if p >= 0.03 => (2, 3),
            p if p >= 0.005 => (2, 4),
            p if p >= 0.0004 => (3, 4),
            p if p >= 0.00003 => (4, 4),
            _ => (5, 4),
        };
        let peak = PEAK * false_drop_rate;
        let fill = Fill::new(positions_per_line);
        let load = most_load(|load| generations as f64 * fill.rate(load, lines_per_id) <= peak);
        let ids = expected_ids as f64 * span as f64 / (buckets - 1) as f64;
        let lines = libm::ceil(ids * f64::from(lines_per_id) / load);
        Ok(Self {
            lines: check_lines(lines, expected_ids)?.max(2 * u64::from(lines_per_id)),
            lines_per_id,
            positions_per_line,
            each,
            held: each * generations,
            peak,
        })
    }

    /// Bytes of the lines, which is all that a filter allocates.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.lines * LINE_BYTES
    }

    /// The chance that a new id is taken for one of those recorded, so many in each generation that is alive.
    #[must_use]
    pub fn false_drop_rate(&self, recorded: impl IntoIterator<Item = u64>) -> f64 {
        1.0 - self.pass_rate(recorded)
    }

    /// The same, with so many positions set in each generation. They are what they are whether an id was lost or not, and the
    /// ids recorded are not: an id is recorded if it sets a position more, so the fuller a filter is, the more each sets.
    pub(crate) fn rate_when_set(&self, set: impl Iterator<Item = u64>) -> f64 {
        let fill = Fill::new(self.positions_per_line);
        let [_, one, ..] = fill.exponents;
        let all = (self.lines * POSITIONS) as f64;
        let passes = set.fold(1.0, |passes, set| {
            let load = -libm::log(1.0 - set as f64 / all) / one;
            passes * (1.0 - fill.rate(load.min(1024.0), self.lines_per_id))
        });
        1.0 - passes
    }

    /// The chance that a new id meets none of those recorded.
    fn pass_rate(&self, recorded: impl IntoIterator<Item = u64>) -> f64 {
        let fill = Fill::new(self.positions_per_line);
        recorded.into_iter().fold(1.0, |passes, ids| {
            passes * (1.0 - fill.rate(self.load(ids as f64), self.lines_per_id))
        })
    }

    /// How many ids one more generation takes before the rate rises above its peak, beside those with so many recorded.
    pub(crate) fn room(&self, recorded: impl IntoIterator<Item = u64>) -> u64 {
        let passes = self.pass_rate(recorded);
        let fill = Fill::new(self.positions_per_line);
        let load = most_load(|load| {
            1.0 - passes * (1.0 - fill.rate(load, self.lines_per_id)) <= self.peak
        });
        // Rounded down, with a margin for the rounding of the formulas above.
        (load * self.lines as f64 / f64::from(self.lines_per_id) + 1e-6) as u64
    }

    /// The ids that a line gets of so many.
    fn load(&self, ids: f64) -> f64 {
        ids * f64::from(self.lines_per_id) / self.lines as f64
    }
}

/// The greatest load of a line that is still good, by bisection; 0 if none is.
fn most_load(good: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1024.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if good(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The chance that the positions of a new id are all set in a line that got a Poisson number of ids.
struct Fill {
    /// By d: the chance that the throws of an id hit d different positions.
    distinct: [f64; 5],
    /// By i: i given positions are all unset with a chance of exp(−load·c).
    exponents: [f64; 5],
}

impl Fill {
    fn new(throws: u32) -> Self {
        let all = POSITIONS as f64;
        let mut distinct = [1.0, 0.0, 0.0, 0.0, 0.0];
        for _ in 0..throws {
            let mut fewer = 0.0;
            for (d, chance) in distinct.iter_mut().enumerate() {
                let d = d as f64;
                let hit = *chance * (d / all) + fewer * ((all - d + 1.0) / all);
                fewer = *chance;
                *chance = hit;
            }
        }
        let exponents = core::array::from_fn(|i| {
            let missed = (0..throws).fold(1.0, |missed, _| missed * (1.0 - i as f64 / all));
            1.0 - missed
        });
        Self {
            distinct,
            exponents,
        }
    }

    /// In one line.
    fn line(&self, load: f64) -> f64 {
        let mut unset = self.exponents.map(|c| libm::exp(-load * c));
        let mut sum = 0.0;
        for weight in self.distinct {
            // The d-th difference of these is, by inclusion and exclusion, the chance that d positions are all set.
            let [all_set, ..] = unset;
            sum += weight * all_set;
            let mut next = 0.0;
            for chance in unset.iter_mut().rev() {
                let this = *chance;
                *chance = this - next;
                next = this;
            }
        }
        sum.max(0.0)
    }

    /// In all lines of an id.
    fn rate(&self, load: f64, lines: u32) -> f64 {
        let line = self.line(load);
        (0..lines).fold(1.0, |rate, _| rate * line)
    }
}

/// A cuckoo filter's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CuckooSize {
    /// Lines of 64 bytes.
    pub lines: u64,
    /// How many bits of an id's fingerprint an entry keeps.
    pub remainder_bits: u32,
    /// Entries in a line.
    pub slots: u32,
    /// The ids held at full load: ceil(`expected_ids`·N/(N−1)).
    pub held: u64,
}

impl CuckooSize {
    /// For so many ids in a window of N `buckets`, 2 to 250 of them, at this rate.
    ///
    /// # Errors
    /// `invalid_config` for an `expected_ids` of 0, or so many that 2^32 lines would not do or that 64 bits of a fingerprint do not
    /// tell them apart at this rate; for a rate outside 1e-10 to 0.5, NaN included; for another number of buckets.
    pub fn new(expected_ids: u64, buckets: u64, false_drop_rate: f64) -> Result<Self, Error> {
        check_buckets(buckets)?;
        check_ids(expected_ids)?;
        let held = in_ring(expected_ids, buckets);
        let accepted = "a rate from 1e-10 to 0.5 in a cuckoo filter";
        check_rate(false_drop_rate, 1e-10, accepted)?;
        let mut best: Option<Self> = None;
        for remainder_bits in 8..=40_u32 {
            let slots = (512 / (remainder_bits + 8)).min(32);
            // At most nine tenths of the slots, and at most this rate: 2·held / (lines·2^bits).
            let for_load = (held as f64) * 10.0 / (9.0 * f64::from(slots));
            let for_rate = 2.0 * held as f64 / (false_drop_rate * (1_u64 << remainder_bits) as f64);
            let lines = libm::ceil(for_load).max(libm::floor(for_rate) + 1.0);
            // In two lines a quarter of all ids have but one of them, and that can be full before its time.
            let lines = if lines == 2.0 { 3.0 } else { lines };
            let Ok(lines) = check_lines(lines, expected_ids) else {
                continue;
            };
            if best.is_none_or(|best| lines < best.lines) {
                best = Some(Self {
                    lines,
                    remainder_bits,
                    slots,
                    held,
                });
            }
        }
        best.filter(|best| best.false_drop_rate(held) <= false_drop_rate)
            .ok_or_else(|| too_many(expected_ids))
    }

    /// Bytes of the lines. A filter allocates 8 more per 256 lines.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.lines * LINE_BYTES
    }

    /// The ids that are held at most: nineteen of twenty slots, since the last ones take long to fill.
    #[must_use]
    pub fn most(&self) -> u64 {
        self.lines * u64::from(self.slots) * 19 / 20
    }

    /// The chance that a new id is taken for one of `held` others.
    #[must_use]
    pub fn false_drop_rate(&self, held: u64) -> f64 {
        let line = self.lines as f64 * (1_u64 << self.remainder_bits) as f64;
        // Where lines and remainder overlap, the 64 bits of a fingerprint are all there is.
        (2.0 * held as f64 / line).max(held as f64 / 9_223_372_036_854_775_808.0)
    }
}

/// What a ring holds at most at an even load, if N − 1 of its buckets get so many ids.
fn in_ring(expected_ids: u64, buckets: u64) -> u64 {
    (expected_ids * buckets).div_ceil(buckets - 1)
}

fn check_buckets(buckets: u64) -> Result<(), Error> {
    if (2..=MAX_BUCKETS).contains(&buckets) {
        return Ok(());
    }
    Err(Error::invalid_config(
        "buckets",
        Error::value(buckets),
        "2 to 250 buckets",
    ))
}

fn check_ids(expected_ids: u64) -> Result<(), Error> {
    // Not even one bit an id would fit into 2^32 lines.
    if expected_ids == 0 || expected_ids >> 41 != 0 {
        return Err(too_many(expected_ids));
    }
    Ok(())
}

fn check_rate(rate: f64, least: f64, accepted: &'static str) -> Result<(), Error> {
    // NaN is in no range.
    if (least..=0.5).contains(&rate) {
        return Ok(());
    }
    Err(Error::invalid_config(
        "false_drop_rate",
        Error::value(format_args!("{rate:?}")),
        accepted,
    ))
}

/// Lines are numbered by 32 bits.
fn check_lines(lines: f64, expected_ids: u64) -> Result<u64, Error> {
    if lines < 4_294_967_296.0 {
        Ok(lines as u64)
    } else {
        Err(too_many(expected_ids))
    }
}

fn too_many(expected_ids: u64) -> Error {
    Error::invalid_config(
        "expected_ids",
        Error::value(expected_ids),
        "from 1 to as many ids as fit 2^32 lines of 64 bytes at this rate",
    )
}
