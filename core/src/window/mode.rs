//! Whether a window is told the time or reads a clock.

use crate::error::Error;
use crate::time::{Millis, Now};

/// Whether recording calls give the time or leave it to the clock; the first decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Undecided,
    Told,
    Clocked,
}

impl Mode {
    /// The time of a call that moves window time, and the mode that it belongs to.
    #[inline]
    pub(crate) fn admit(self, now: Now) -> Result<(u64, Self), Error> {
        match (now, self) {
            (Now::Told(time), Self::Undecided | Self::Told) => {
                Ok((time.checked("now")?, Self::Told))
            }
            (Now::Clock(time), Self::Undecided | Self::Clocked) => {
                Ok((time.checked("now")?, Self::Clocked))
            }
            (Now::Told(time), Self::Clocked) => Err(Error::InvalidTime {
                name: "now",
                found: Error::value(Millis(time.checked("now")?)),
                accepted:
                    "no time in any call, since the first recording call left it to the clock",
            }),
            (Now::Clock(_), Self::Told) | (Now::Unsaid, _) => Err(Error::InvalidTime {
                name: "now",
                found: "not given".into(),
                accepted: "a time in every call of a window that is told the time",
            }),
        }
    }
}
