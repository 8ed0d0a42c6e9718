//! The configuration of sequences: setters never fail, only `build` does.

use crate::error::Error;
use crate::sequences::Sequences;
use crate::time::{duration, Geometry, Millis};

/// The widest bitmap.
const MAX_WIDTH: u64 = 65_536;

/// How [`Sequences`] are built. Start from [`Sequences::with_width`].
///
/// **Quick advice:** give `idle` where producers come and go. `max_producers` bounds memory, but whom it evicts is judged anew.
///
/// ```
/// use firstseen::Sequences;
/// use std::time::Duration;
///
/// let sequences = Sequences::with_width(1024)
///     .max_producers(100_000)
///     .idle(Duration::from_secs(86_400))
///     .build()?;
/// assert!(sequences.is_empty());
/// # Ok::<(), firstseen::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SequencesConfig {
    /// How many of the last numbers are told apart.
    pub width: u64,
    /// At most this many producers are held; unbounded if none.
    pub max_producers: Option<u64>,
    /// A producer without contact for longer than this is forgotten; none is if not given.
    pub idle: Option<Millis>,
}

impl SequencesConfig {
    pub(super) fn new(width: u64) -> Self {
        Self {
            width,
            max_producers: None,
            idle: None,
        }
    }

    /// Caps the number of producers held. When a further one comes, the one that was idle for longest is forgotten.
    #[must_use]
    pub fn max_producers(mut self, max_producers: u64) -> Self {
        self.max_producers = Some(max_producers);
        self
    }

    /// Forgets producers that were without contact for longer than this.
    #[must_use]
    pub fn idle(mut self, idle: impl Into<Millis>) -> Self {
        self.idle = Some(idle.into());
        self
    }

    /// Builds the sequences. Allocates nothing.
    ///
    /// # Errors
    /// `invalid_config` for a width above 65 536, for a `max_producers` of 0 or above 2^53−1, and for an `idle` of 0;
    /// `invalid_time` for an `idle` above 2^53−1 ms.
    pub fn build(self) -> Result<Sequences, Error> {
        if self.width > MAX_WIDTH {
            let found = Error::value(self.width);
            return Err(Error::invalid_config("width", found, "0 to 65536 numbers"));
        }
        if let Some(max) = self.max_producers {
            if max == 0 || max > Millis::MAX.0 {
                return Err(Error::invalid_config(
                    "max_producers",
                    Error::value(max),
                    "1 to 2^53-1 producers",
                ));
            }
        }
        let geometry = match self.idle {
            Some(idle) => {
                duration("idle", idle)?;
                Some(Geometry::for_window(idle, None)?)
            }
            None => None,
        };
        Ok(Sequences::with_config(self, geometry))
    }
}
