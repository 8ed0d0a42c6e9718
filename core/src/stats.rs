//! The figures by which an operator sees what a window did and what it can vouch for.

/// A window's counts since it was built, and its state; see [`Window::stats`](crate::Window::stats).
///
/// `checked` is the sum of `first`, `duplicate`, `conflict`, `probable_duplicate`, `in_flight`, `late` and `rejected`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Stats {
    /// Recording calls, one per id, that got a verdict or `full`.
    pub checked: u64,
    /// Verdicts `first`.
    pub first: u64,
    /// Verdicts `duplicate`.
    pub duplicate: u64,
    /// Verdicts `conflict`: only where conflicts are detected.
    pub conflict: u64,
    /// Verdicts `probable_duplicate`: only from a probabilistic memory.
    pub probable_duplicate: u64,
    /// Verdicts `in_flight`: only where ids are claimed.
    pub in_flight: u64,
    /// Verdicts `late`.
    pub late: u64,
    /// Calls refused with `full`.
    pub rejected: u64,
    /// Ids forgotten because their time was over.
    pub expired: u64,
    /// Ids forgotten before their time, for want of room.
    pub evicted: u64,
    /// Ids forgotten by `forget` and `clear`.
    pub forgotten: u64,
    /// Claims whose lease ran out.
    pub leases_expired: u64,
    /// Ids whose time was behind the newest bucket.
    pub clock_regressions: u64,
    /// Times the window was re-anchored because the caller's clock was reset.
    pub clock_resets: u64,

    /// Ids remembered.
    pub held: u64,
    /// Claims whose lease runs.
    pub pending: u64,
    /// The cap on ids held, if there is one.
    pub max_ids: Option<u64>,
    /// Bytes allocated for the window's ids and buckets.
    pub memory_bytes: u64,
    /// How long an id is remembered, at least.
    pub window_ms: u64,
    /// The bucket width.
    pub bucket_ms: u64,
    /// The number of buckets.
    pub buckets: u64,
    /// How far back the memory is complete: from its start or the last eviction, and at most the window. The one number
    /// that shows a window that silently shrank.
    pub effective_window_ms: u64,
    /// The age of the oldest id held, to the bucket.
    pub oldest_age_ms: Option<u64>,
    /// How full the memory is. Exact: held / `max_ids`, none without a cap. Bloom: held / what it was built for, so more than 1
    /// when it is overfilled. Cuckoo: held / slots, of which up to nine tenths serve.
    pub fill_ratio: Option<f64>,
    /// The chance that a new id is now taken for a duplicate.
    pub estimated_false_drop_rate: f64,
}

impl Stats {
    /// Ids that are no longer held.
    pub(crate) fn gone(&self) -> u64 {
        self.expired + self.evicted + self.forgotten
    }

    /// Recording calls that got a verdict other than `first`, or `full`.
    pub(crate) fn others(&self) -> u64 {
        let seen = self.duplicate + self.conflict + self.probable_duplicate;
        seen + self.in_flight + self.late + self.rejected
    }

    /// Adds the figures of another shard of the same window.
    #[cfg(feature = "std")]
    pub(crate) fn add_shard(&mut self, shard: &Self) {
        self.checked += shard.checked;
        self.first += shard.first;
        self.duplicate += shard.duplicate;
        self.conflict += shard.conflict;
        self.probable_duplicate += shard.probable_duplicate;
        self.in_flight += shard.in_flight;
        self.late += shard.late;
        self.rejected += shard.rejected;
        self.expired += shard.expired;
        self.evicted += shard.evicted;
        self.forgotten += shard.forgotten;
        self.leases_expired += shard.leases_expired;
        self.clock_regressions += shard.clock_regressions;
        self.clock_resets += shard.clock_resets;
        self.held += shard.held;
        self.pending += shard.pending;
        self.memory_bytes += shard.memory_bytes;
        self.effective_window_ms = self.effective_window_ms.min(shard.effective_window_ms);
        self.oldest_age_ms = self.oldest_age_ms.max(shard.oldest_age_ms);
        // Of a new id's 64 bits some say that it belongs to the shard, so the chances add.
        self.estimated_false_drop_rate += shard.estimated_false_drop_rate;
    }
}
