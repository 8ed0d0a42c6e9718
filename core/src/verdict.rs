//! 5. What to do with the event.

use crate::time::Millis;

/// What a window says of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// Not seen within the window: process it. It is recorded now (not by `check`).
    First,
    /// Seen before: acknowledge it, and do not process it.
    Duplicate {
        /// How long ago it was accepted, to the bucket: (floor(now/b) − its bucket)·b.
        age: Millis,
    },
    /// Seen before with another body: the producer gave two events one id, or changed one. Neither process nor acknowledge it unseen.
    Conflict {
        /// How long ago the first of them was accepted, to the bucket.
        age: Millis,
    },
    /// A filter takes it for one seen before: acknowledge it, and do not process it. At the rate that the filter was built for
    /// it is a new event all the same, which is lost then.
    ProbableDuplicate,
    /// Somebody has claimed it and works on it: neither process nor acknowledge it, so that it is delivered again.
    InFlight {
        /// How long the claim's lease runs still.
        lease_left: Millis,
    },
    /// Its own time is more than `max_lateness` behind window time: older than what the window can vouch for. Not recorded.
    Late,
}

impl Verdict {
    /// The stable name of the verdict, the same in every host.
    ///
    /// ```
    /// assert_eq!(firstseen::Verdict::First.kind(), "first");
    /// ```
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Duplicate { .. } => "duplicate",
            Self::Conflict { .. } => "conflict",
            Self::ProbableDuplicate => "probable_duplicate",
            Self::InFlight { .. } => "in_flight",
            Self::Late => "late",
        }
    }

    /// Whether to process the event.
    #[must_use]
    pub fn is_first(&self) -> bool {
        matches!(self, Self::First)
    }

    /// Whether to acknowledge the delivery without processing it.
    #[must_use]
    pub fn acknowledge(&self) -> bool {
        matches!(
            self,
            Self::Duplicate { .. } | Self::ProbableDuplicate | Self::Late
        )
    }

    /// The age of a duplicate or of what it conflicts with, to the bucket; none for other verdicts.
    #[must_use]
    pub fn age(&self) -> Option<Millis> {
        match self {
            Self::Duplicate { age } | Self::Conflict { age } => Some(*age),
            _ => None,
        }
    }
    /// How long the lease runs still of what is in flight; none for other verdicts.
    #[must_use]
    pub fn lease_left(&self) -> Option<Millis> {
        match self {
            Self::InFlight { lease_left } => Some(*lease_left),
            _ => None,
        }
    }
}
