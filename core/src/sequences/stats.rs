//! The figures of sequences.

/// The counts since [`Sequences`](crate::Sequences) were built, and their state; see [`Sequences::stats`](crate::Sequences::stats).
///
/// `checked` is the sum of `first`, `duplicate`, `stale` and `fenced`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SequenceStats {
    /// Calls that got a verdict.
    pub checked: u64,
    /// Verdicts `first`.
    pub first: u64,
    /// Verdicts `duplicate`.
    pub duplicate: u64,
    /// Verdicts `stale`.
    pub stale: u64,
    /// Verdicts `fenced`.
    pub fenced: u64,
    /// Verdicts `first` that skipped numbers.
    pub gaps: u64,
    /// Producers forgotten because they were idle for too long.
    pub expired: u64,
    /// Producers forgotten for want of room. **Above 0, the guarantee is lost for them**: their next number is first, whatever it is.
    pub evicted: u64,
    /// Producers forgotten by `forget`.
    pub forgotten: u64,
    /// Calls whose time was behind (see [`Stats::clock_regressions`](crate::Stats::clock_regressions)).
    pub clock_regressions: u64,
    /// Times that window time was re-anchored.
    pub clock_resets: u64,

    /// Producers remembered.
    pub held: u64,
    /// The cap on producers, if there is one.
    pub max_producers: Option<u64>,
    /// Bytes allocated for the producers.
    pub memory_bytes: u64,
    /// How many of the last numbers are told apart.
    pub width: u64,
    /// How long a producer may be idle without being forgotten; for ever if none.
    pub idle_ms: Option<u64>,
}
