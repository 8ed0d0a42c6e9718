//! What to do with a numbered event.

/// What [`Sequences`](crate::Sequences) say of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SequenceVerdict {
    /// Not seen: process it. It is recorded now.
    First {
        /// How many numbers were skipped between the high-water mark and this one; they may still come. 0 for a number
        /// below the mark, for a producer's first contact, and for the first number of an epoch.
        gap: u64,
    },
    /// Seen before: acknowledge it, and do not process it.
    Duplicate,
    /// Below the bitmap: too old to be judged. Not recorded.
    Stale,
    /// Of an older epoch than the producer's: it comes from an instance that was replaced. Not recorded.
    Fenced,
}

impl SequenceVerdict {
    /// The stable name of the verdict, the same in every host.
    ///
    /// ```
    /// assert_eq!(firstseen::SequenceVerdict::First { gap: 0 }.kind(), "first");
    /// ```
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::First { .. } => "first",
            Self::Duplicate => "duplicate",
            Self::Stale => "stale",
            Self::Fenced => "fenced",
        }
    }

    /// Whether to process the event.
    #[must_use]
    pub fn is_first(&self) -> bool {
        matches!(self, Self::First { .. })
    }

    /// Whether to acknowledge the delivery without processing it: true for all but `first`.
    #[must_use]
    pub fn acknowledge(&self) -> bool {
        !self.is_first()
    }

    /// How many numbers a `first` skipped; none for other verdicts.
    #[must_use]
    pub fn gap(&self) -> Option<u64> {
        match self {
            Self::First { gap } => Some(*gap),
            _ => None,
        }
    }
}
