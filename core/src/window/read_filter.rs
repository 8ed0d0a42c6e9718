//! A Bloom filter in front of a store that is slow to read.

use super::Window;
use crate::config::{Config, OnFull};
use crate::error::Error;
use crate::id::Id;
use crate::memory::{Bloom, Memory};
use crate::time::{Millis, Now};

/// Spares an exact but slow or remote store its *reads*, for ids that it cannot hold; never its writes.
///
/// **When not to use it:** where the store answers "written, and it was absent" in one round trip: then no read is left to spare.
/// Nor where ids reach the store by other ways than through this filter.
///
/// [`must_read`](Self::must_read) records the id and says whether the store may hold it. `false`: it does not, so write it unread. `true`: let the
/// store read, and write the id if it is absent; the store's answer counts. Since an id is recorded before the store is asked, a store that
/// fails in between is read at the next delivery.
///
/// The filter remembers each id for at least `window`, from *each* of its deliveries on: also where the filter took it for another, whose time is over sooner.
/// That must be as long as the store does, plus the difference of their clocks. After a start nothing is known of what the store holds,
/// so every id is read until a `window` has passed. `expected_ids` are the deliveries of a window that are not right after each other;
/// `false_drop_rate` is here the share of new ids that are read needlessly. None is lost.
///
/// ```
/// use firstseen::{Millis, ReadFilter, Window};
/// use std::collections::HashSet;
/// use std::time::Duration;
///
/// let mut filter = ReadFilter::new(Window::bloom(Duration::from_secs(60), 1_000_000, 0.01))?;
/// let (mut store, mut reads) = (HashSet::new(), 0);
/// let mut first_seen = |id: &'static str, now| -> Result<bool, firstseen::Error> {
///     if filter.must_read(id, now)? {
///         reads += 1;
///         if store.contains(id) {
///             return Ok(false);
///         }
///     }
///     store.insert(id);
///     Ok(true)
/// };
/// assert!(first_seen("evt_1", Millis(0))?); // read: the store could hold it from before
/// assert!(first_seen("evt_2", Millis(60_000))?); // not read
/// assert!(!first_seen("evt_1", Millis(60_000))?);
/// assert_eq!(reads, 2);
/// # Ok::<(), firstseen::Error>(())
/// ```
#[derive(Debug)]
pub struct ReadFilter {
    window: Window<Bloom>,
    checked: u64,
    spared: u64,
}

impl ReadFilter {
    /// A filter of this configuration, which knows nothing of the store.
    ///
    /// # Errors
    /// Those of the configuration, and `invalid_config` for `reject`: an id that is not recorded would be written unread later.
    pub fn new(config: Config<Bloom>) -> Result<Self, Error> {
        if config.on_full != OnFull::Degrade {
            return Err(config.wrong_policy("`degrade` in a filter in front of a store"));
        }
        Ok(Self {
            window: config.build()?,
            checked: 0,
            spared: 0,
        })
    }

    /// Records the id, and says whether the store may hold it. O(1).
    ///
    /// # Errors
    /// `empty_id`, `invalid_id`, `invalid_time`, `clock_step`, as in [`Window::first_seen`]. Nothing is recorded then.
    pub fn must_read<'a>(
        &mut self,
        id: impl Into<Id<'a>>,
        now: impl Into<Now>,
    ) -> Result<bool, Error> {
        let window = &mut self.window;
        let key = window.printer.key(id)?;
        let (now, mode) = window.mode.admit(now.into())?;
        window.prepare(now, mode, 1)?;
        window.tell(now, mode, 1);
        let found = window.alive(key);
        window.insert_again(key, found);
        let must_read = found.is_some() || !window.is_complete();
        self.checked += 1;
        self.spared += u64::from(!must_read);
        Ok(must_read)
    }

    /// How many ids were asked for, and how many of these spared the store a read.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        (self.checked, self.spared)
    }

    /// The chance that a new id is read needlessly, as of window time.
    #[must_use]
    pub fn needless_read_rate(&self) -> f64 {
        let window = &self.window;
        let held = window.ring.held();
        window.memory.false_drop_rate(held, window.ring.front())
    }

    /// Bytes allocated.
    #[must_use]
    pub fn memory_bytes(&self) -> u64 {
        (self.window.memory.memory_bytes() + self.window.ring.memory_bytes()) as u64
    }

    /// How long each delivery is remembered at least.
    #[must_use]
    pub fn window(&self) -> Millis {
        Millis(self.window.config.geometry.window)
    }
}

impl Window<Bloom> {
    /// Whether every id that was recorded within the window, by anyone, would be known.
    fn is_complete(&self) -> bool {
        let time = self.time.time().zip(self.complete_since);
        let since = time.map(|(time, since)| (time as i64).saturating_sub(since));
        since.is_some_and(|since| since >= self.config.geometry.window as i64)
    }
}
