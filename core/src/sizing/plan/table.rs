//! A plan as text: the one place, so that every host prints alike.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use super::{Choice, MemoryKind, Plan, SHOWN};
use crate::time::Millis;

/// Left-aligned, but for the bytes.
macro_rules! row {
    ($f:expr, $($cell:expr),*) => {
        writeln!($f, "{:<7} {:>11}  {:<4}  {:<17}  {:<14}  {}", $($cell),*)
    };
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let config = &self.config;
        let window = Seconds(config.window);
        writeln!(f, "{} ids in a window of {window}", self.expected_ids)?;
        match config.budget {
            Some(budget) => writeln!(f, "budget: {}", Bytes(budget))?,
            None => writeln!(f, "budget: none")?,
        }
        match config.false_drop_rate {
            Some(rate) => writeln!(f, "false drop rate of filters: {rate:e}")?,
            None => writeln!(f, "false drop rate of filters: {SHOWN:e}, for comparison")?,
        }
        writeln!(f)?;
        row!(
            f,
            "memory",
            "bytes",
            "fits",
            "false drops a day",
            "odds per event",
            "remembered"
        )?;
        for (name, choice) in [
            ("exact", Some(self.exact)),
            ("cuckoo", self.cuckoo),
            ("bloom", self.bloom),
        ] {
            let Some(choice) = choice else {
                row!(f, name, "-", "no", "-", "-", "cannot keep this rate")?;
                continue;
            };
            row!(
                f,
                name,
                Bytes(choice.bytes).to_string(),
                if choice.fits { "yes" } else { "no" },
                Count(choice.false_drops_per_day).to_string(),
                format!("{:.1e}", choice.false_drop_rate),
                format_args!("{window} to {}", Seconds(choice.remembered))
            )?;
        }
        let recommended = self.recommended.map_or("none", MemoryKind::name);
        write!(f, "\nrecommended: {recommended}; {}", self.reason())
    }
}

pub(super) fn reason(plan: &Plan) -> String {
    let lost = |choice: Option<Choice>| Count(choice.map_or(0.0, |it| it.false_drops_per_day));
    match plan.recommended {
        Some(MemoryKind::Exact) => {
            "it fits, and loses an event only where 64 bits of two hashes agree".into()
        }
        Some(MemoryKind::Cuckoo) => format!(
            "an exact window does not fit; a day, at most {} events are lost",
            lost(plan.cuckoo)
        ),
        Some(MemoryKind::Bloom) => format!(
            "no other memory fits; a day, at most {} events are lost",
            lost(plan.bloom)
        ),
        None => nothing_fits(plan),
    }
}

fn nothing_fits(plan: &Plan) -> String {
    let may_lose = plan.config.false_drop_rate.is_some();
    let mut text = String::from(if may_lose {
        "nothing fits"
    } else {
        "an exact window does not fit, and without a false drop rate no event may be lost"
    });
    let mut lead = "; a shorter one would: ";
    for choice in plan.choices() {
        if choice.memory != MemoryKind::Exact && !may_lose {
            continue;
        }
        let what = match choice.memory {
            MemoryKind::Exact => "an exact window",
            MemoryKind::Cuckoo => "a cuckoo filter",
            MemoryKind::Bloom => "a Bloom filter",
        };
        if let Some(window) = choice.fitting_window {
            text.push_str(&format!("{lead}{what} of {}", Seconds(window)));
            lead = ", ";
        }
    }
    text
}

/// Seconds, to the millisecond if need be.
struct Seconds(Millis);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 .0 / 1000, self.0 .0 % 1000);
        match rest {
            0 => write!(f, "{whole} s"),
            rest => write!(f, "{whole}.{rest:03} s"),
        }
    }
}

/// Binary units, rounded up to a tenth.
struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
        for (name, shift) in units {
            if self.0 >> shift != 0 {
                let tenths = (u128::from(self.0) * 10).div_ceil(1 << shift);
                return write!(f, "{}.{} {name}", tenths / 10, tenths % 10);
            }
        }
        write!(f, "{} B", self.0)
    }
}

/// How many of something that need not be whole.
struct Count(f64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            many if many >= 100.0 => write!(f, "{many:.0}"),
            some if some >= 0.01 => write!(f, "{some:.2}"),
            few => write!(f, "{few:.1e}"),
        }
    }
}
