//! The one table of metrics: what each figure is called outside, what it is, and what it says. Every host and exporter
//! has its names from here.

use alloc::vec::Vec;

use crate::error::Error;
use crate::sequences::SequenceStats;
use crate::stats::Stats;
use crate::window::reserved;

/// What kind of number it is. OpenMetrics wants base units: seconds, bytes, ratios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Only grows, but for a restart.
    Counter,
    Gauge,
    /// A gauge, given in milliseconds.
    Seconds,
    Bytes,
    Ratio,
}

impl Kind {
    /// The unit, which also ends the name; empty if there is none.
    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::Counter | Self::Gauge => "",
            Self::Seconds => "seconds",
            Self::Bytes => "bytes",
            Self::Ratio => "ratio",
        }
    }
}

/// One metric; its values are at the same place in the list of a record's values.
#[derive(Debug)]
pub(super) struct Family {
    /// Without prefix, unit and `_total`.
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) help: &'static str,
}

/// A figure. In milliseconds for [`Kind::Seconds`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Absent,
    Whole(u64),
    Real(f64),
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Whole(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Into::into)
    }
}

/// Figures that a host has as doubles, in the order of a table; NaN for none.
pub(super) fn of_figures(families: &[Family], figures: &[f64]) -> Result<Vec<Value>, Error> {
    let mut kept = reserved(figures.len())?;
    kept.extend(families.iter().zip(figures).map(|(family, &figure)| {
        if figure.is_nan() {
            Value::Absent
        } else if family.kind == Kind::Ratio {
            Value::Real(figure)
        } else {
            Value::Whole(figure as u64)
        }
    }));
    Ok(kept)
}

/// Puts the figures of a record beside their names, so that none can be taken for another.
macro_rules! families {
    (
        $table:ident, fn $values:ident($stats:ident: &$record:ty);
        $($name:literal, $kind:ident, $value:expr, $help:literal;)*
    ) => {
        pub(super) const $table: &[Family] = &[
            $(Family { name: $name, kind: Kind::$kind, help: $help },)*
        ];

        pub(super) fn $values($stats: &$record) -> Result<Vec<Value>, Error> {
            let values = [$(Value::from($value)),*];
            let mut kept = reserved(values.len())?;
            kept.extend(values);
            Ok(kept)
        }
    };
}

families! {
    WINDOWS, fn of_window(stats: &Stats);
    "checked", Counter, stats.checked, "Recording calls, one per id, that got a verdict or were refused as full.";
    "first", Counter, stats.first, "Ids seen for the first time within the window: processed.";
    "duplicate", Counter, stats.duplicate, "Ids seen before within the window: dropped.";
    "conflict", Counter, stats.conflict, "Ids seen before with another body: put them aside.";
    "probable_duplicate", Counter, stats.probable_duplicate, "Ids that a filter takes for seen: dropped, a few of them wrongly.";
    "in_flight", Counter, stats.in_flight, "Ids claimed by another consumer whose lease runs.";
    "late", Counter, stats.late, "Events older than max_lateness: not recorded.";
    "rejected", Counter, stats.rejected, "Calls refused because the window is full.";
    "expired", Counter, stats.expired, "Ids forgotten because their time was over.";
    "evicted", Counter, stats.evicted, "Ids forgotten before their time, for want of room.";
    "forgotten", Counter, stats.forgotten, "Ids forgotten by forget and clear.";
    "leases_expired", Counter, stats.leases_expired, "Claims whose lease ran out before they were committed or released.";
    "clock_regressions", Counter, stats.clock_regressions, "Ids whose time was behind the newest bucket.";
    "clock_resets", Counter, stats.clock_resets, "Times the window was re-anchored because the clock was set far back.";
    "held", Gauge, stats.held, "Ids remembered.";
    "pending", Gauge, stats.pending, "Claims whose lease runs.";
    "max_ids", Gauge, stats.max_ids, "The cap on ids held; absent without one.";
    "memory", Bytes, stats.memory_bytes, "Memory allocated for ids and buckets.";
    "window", Seconds, stats.window_ms, "How long an id is to be remembered, at least.";
    "bucket", Seconds, stats.bucket_ms, "The bucket width, which is the grain of forgetting.";
    "buckets", Gauge, stats.buckets, "The number of buckets.";
    "effective_window", Seconds, stats.effective_window_ms, "How far back the memory is complete; less than the window after a start or an eviction.";
    "oldest_age", Seconds, stats.oldest_age_ms, "The age of the oldest id held, to the bucket; absent if none is held.";
    "fill", Ratio, stats.fill_ratio, "How full the memory is; absent without a cap.";
    "estimated_false_drop", Ratio, stats.estimated_false_drop_rate, "The chance that a new id is now taken for a duplicate.";
}

families! {
    SEQUENCES, fn of_sequences(stats: &SequenceStats);
    "checked", Counter, stats.checked, "Numbers that got a verdict.";
    "first", Counter, stats.first, "Numbers seen for the first time: processed.";
    "duplicate", Counter, stats.duplicate, "Numbers seen before: dropped.";
    "stale", Counter, stats.stale, "Numbers below the bitmap, of which nobody knows whether they came before.";
    "fenced", Counter, stats.fenced, "Numbers sent under an older epoch.";
    "gaps", Counter, stats.gaps, "First sightings that skipped numbers.";
    "expired", Counter, stats.expired, "Producers forgotten because they were idle for too long.";
    "evicted", Counter, stats.evicted, "Producers forgotten for want of room: their next number is first, whatever it is.";
    "forgotten", Counter, stats.forgotten, "Producers forgotten by forget.";
    "clock_regressions", Counter, stats.clock_regressions, "Numbers whose time was behind.";
    "clock_resets", Counter, stats.clock_resets, "Times that time was re-anchored because the clock was set far back.";
    "held", Gauge, stats.held, "Producers remembered.";
    "max_producers", Gauge, stats.max_producers, "The cap on producers held; absent without one.";
    "memory", Bytes, stats.memory_bytes, "Memory allocated for producers.";
    "width", Gauge, stats.width, "How many of a producer's last numbers are told apart.";
    "idle", Seconds, stats.idle_ms, "How long a producer may be idle without being forgotten; absent if for ever.";
}
