//! The default clock: Unix time at its creation, advanced by a monotonic clock that counts sleep.
//!
//! The windows themselves never read a clock. [`Steady`] is the arithmetic for hosts that bring two readings of their own;
//! `SteadyClock` reads the system's.

use crate::time::Millis;

/// A steady clock made of two others: a monotonic one, which may stand still while the machine sleeps, and the wall clock.
///
/// It starts at the wall clock's time and advances with the monotonic one. When the wall clock leads it by more than `slack`
/// (the machine slept, or the wall clock was set forward), it moves forward to it. It never goes back, so a wall clock that is
/// set back neither freezes nor wipes a window.
///
/// ```
/// use firstseen::{Millis, Steady};
///
/// let mut clock = Steady::new(Millis(1_000), 5, 1_700_000_000_000);
/// assert_eq!(clock.now(15, 1_700_000_000_010), Millis(1_700_000_000_010));
/// // The wall clock is set back by an hour: time goes on.
/// assert_eq!(clock.now(25, 1_699_996_400_020), Millis(1_700_000_000_020));
/// // The machine slept for a minute, which the monotonic clock did not count.
/// assert_eq!(clock.now(26, 1_700_000_060_021), Millis(1_700_000_060_021));
/// ```
#[derive(Clone, Debug)]
pub struct Steady {
    slack: u64,
    /// Monotonic reading and steady time at the last correction.
    monotonic: u64,
    base: u64,
    last: u64,
}

impl Steady {
    /// A clock that starts at the wall clock's reading. `slack` is how far the wall clock may lead: a window's bucket width.
    #[must_use]
    pub fn new(slack: Millis, monotonic_ms: u64, wall_ms: u64) -> Self {
        Self {
            slack: slack.0,
            monotonic: monotonic_ms,
            base: wall_ms,
            last: wall_ms,
        }
    }

    /// The time, given the present readings in milliseconds.
    pub fn now(&mut self, monotonic_ms: u64, wall_ms: u64) -> Millis {
        let elapsed = monotonic_ms.saturating_sub(self.monotonic);
        let steady = self.base.saturating_add(elapsed);
        if wall_ms > steady.saturating_add(self.slack) {
            self.base = wall_ms;
            self.monotonic = monotonic_ms;
            self.last = wall_ms;
        } else {
            self.last = self.last.max(steady);
        }
        Millis(self.last)
    }
}

#[cfg(feature = "std")]
pub use system::SteadyClock;

#[cfg(feature = "std")]
mod system {
    use std::time::{SystemTime, UNIX_EPOCH};

    use crate::time::Millis;

    fn wall_ms() -> u64 {
        // A clock set before 1970 reads as 1970: the window only needs it to go on from there.
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_millis() as u64)
    }

    /// The default clock of the hosts: Unix time at its creation, advanced by a clock that counts sleep.
    ///
    /// On Linux that is `CLOCK_BOOTTIME`, which goes on during a suspend; elsewhere see [`Steady`](crate::Steady). A
    /// reading costs some 30 ns (`BENCHMARKS.md`).
    ///
    /// ```
    /// use firstseen::{SteadyClock, Window};
    /// use std::time::Duration;
    ///
    /// let mut window = Window::exact(Duration::from_secs(60)).build()?;
    /// let clock = SteadyClock::new(window.bucket());
    /// assert!(window.first_seen("evt_1", clock.now())?);
    /// assert!(!window.first_seen("evt_1", clock.now())?);
    /// # Ok::<(), firstseen::Error>(())
    /// ```
    #[derive(Debug)]
    pub struct SteadyClock {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        boot_wall_ms: i64,
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        steady: std::sync::Mutex<(crate::Steady, std::time::Instant)>,
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    impl SteadyClock {
        /// A clock that starts at Unix time. `slack` matters only where no clock counts sleep: see [`Steady`](crate::Steady).
        #[must_use]
        pub fn new(slack: Millis) -> Self {
            let _ = slack;
            Self {
                boot_wall_ms: wall_ms() as i64 - boottime_ms(),
            }
        }

        /// The time.
        #[must_use]
        pub fn now(&self) -> Millis {
            Millis((self.boot_wall_ms + boottime_ms()).max(0) as u64)
        }
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn boottime_ms() -> i64 {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    impl SteadyClock {
        /// A clock that starts at Unix time. `slack` matters only where no clock counts sleep: see [`Steady`](crate::Steady).
        #[must_use]
        pub fn new(slack: Millis) -> Self {
            let steady = crate::Steady::new(slack, 0, wall_ms());
            Self {
                steady: std::sync::Mutex::new((steady, std::time::Instant::now())),
            }
        }

        /// The time.
        #[must_use]
        pub fn now(&self) -> Millis {
            let mut guard = self
                .steady
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            let monotonic = guard.1.elapsed().as_millis() as u64;
            guard.0.now(monotonic, wall_ms())
        }
    }
}
