//! The one error type. Each variant has a stable [`code`](Error::code), the same in every host.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use crate::time::Millis;

/// Why a call was refused. A refused call changes nothing, but for [`Error::Full`], which has told the time.
///
/// Messages name the value and what is accepted; they show an id's kind and length, never its content.
///
/// ```
/// use firstseen::{Error, Millis, Window};
/// use std::time::Duration;
///
/// let mut window = Window::exact(Duration::from_secs(60)).build()?;
/// let error = window.first_seen("", Millis(0)).unwrap_err();
/// assert_eq!(error.code(), "empty_id");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// `empty_id`: a text, byte string or composite without a single byte or integer in it.
    EmptyId {
        /// The number of parts if the id is a composite, else none.
        parts: Option<usize>,
    },
    /// `empty_id` too: a JSON text of which `ignore` or `only` leaves nothing.
    EmptyPayload,
    /// `invalid_id`: something that identifies no event.
    InvalidId {
        /// What was given, by kind.
        found: Cow<'static, str>,
    },
    /// `invalid_id` too: a number of an event, or an epoch, that is none.
    InvalidNumber {
        /// The argument's name.
        name: &'static str,
        /// What was given, by kind.
        found: Cow<'static, str>,
    },
    /// `invalid_text`: a text that has no UTF-8 form, because of a lone surrogate.
    InvalidText {
        /// The length of the text, in UTF-16 code units.
        units: usize,
    },
    /// `invalid_json`: no JSON text, or one that two readers could read as two different values.
    InvalidJson {
        /// What is wrong, by kind.
        found: Cow<'static, str>,
        /// At which byte of the text, from 0 on; none if there is no text.
        at: Option<usize>,
    },
    /// `invalid_time`: not a time between 0 and 2^53−1 ms, or not one that this window may take.
    InvalidTime {
        /// The argument's name.
        name: &'static str,
        /// What was given.
        found: Cow<'static, str>,
        /// What is accepted.
        accepted: &'static str,
    },
    /// `clock_step`: a told time more than `max_step` ahead of window time.
    ClockStep {
        /// The time told.
        now: Millis,
        /// The latest time told before.
        window_time: Millis,
        /// The configured limit.
        max_step: Millis,
    },
    /// `invalid_config`: an option out of range, or options that contradict each other.
    InvalidConfig {
        /// The option's name.
        name: &'static str,
        /// What was given.
        found: Cow<'static, str>,
        /// What is accepted.
        accepted: &'static str,
    },
    /// `full`: there is no room for what is new, and `on_full` is `reject`.
    Full {
        /// How many ids are held.
        held: u64,
        /// The configured cap; a filter has none.
        max_ids: Option<u64>,
    },
    /// `lease_lost`: the token is not the present claim of its id.
    LeaseLost {
        /// The token.
        token: u64,
    },
    /// `unsupported`: this memory has no such call.
    Unsupported {
        /// The call's name.
        call: &'static str,
        /// Which memories have it.
        accepted: &'static str,
    },
    /// `out_of_memory`: an allocation failed.
    OutOfMemory,
    /// `closed`: the window was closed or freed by its host.
    Closed,
}

/// Every code that an [`Error`] of this version can have.
pub const ERROR_CODES: [&str; 12] = [
    "empty_id",
    "invalid_id",
    "invalid_text",
    "invalid_json",
    "invalid_time",
    "clock_step",
    "invalid_config",
    "full",
    "lease_lost",
    "unsupported",
    "out_of_memory",
    "closed",
];

/// What every time argument accepts.
pub(crate) const ANY_TIME: &str = "a finite time from 0 to 2^53-1 ms";

impl Error {
    /// The stable code of this error, the same in every host and version.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::EmptyId { .. } | Self::EmptyPayload => "empty_id",
            Self::InvalidId { .. } | Self::InvalidNumber { .. } => "invalid_id",
            Self::InvalidText { .. } => "invalid_text",
            Self::InvalidJson { .. } => "invalid_json",
            Self::InvalidTime { .. } => "invalid_time",
            Self::ClockStep { .. } => "clock_step",
            Self::InvalidConfig { .. } => "invalid_config",
            Self::Full { .. } => "full",
            Self::LeaseLost { .. } => "lease_lost",
            Self::Unsupported { .. } => "unsupported",
            Self::OutOfMemory => "out_of_memory",
            Self::Closed => "closed",
        }
    }

    /// An [`Error::InvalidId`] for a value of this kind.
    #[must_use]
    pub fn invalid_id(found: impl Into<Cow<'static, str>>) -> Self {
        Self::InvalidId {
            found: found.into(),
        }
    }

    /// An [`Error::InvalidNumber`] for a value of this kind.
    #[must_use]
    pub fn invalid_number(name: &'static str, found: impl Into<Cow<'static, str>>) -> Self {
        Self::InvalidNumber {
            name,
            found: found.into(),
        }
    }

    /// An [`Error::InvalidTime`] for an argument that accepts any time.
    #[must_use]
    pub fn invalid_time(name: &'static str, found: impl Into<Cow<'static, str>>) -> Self {
        Self::InvalidTime {
            name,
            found: found.into(),
            accepted: ANY_TIME,
        }
    }

    /// An [`Error::InvalidConfig`] for an option.
    #[must_use]
    pub fn invalid_config(
        name: &'static str,
        found: impl Into<Cow<'static, str>>,
        accepted: &'static str,
    ) -> Self {
        Self::InvalidConfig {
            name,
            found: found.into(),
            accepted,
        }
    }

    /// The value that was given, written out for a message.
    pub(crate) fn value(value: impl fmt::Display) -> Cow<'static, str> {
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _ = fmt::Write::write_fmt(&mut text, format_args!("{value}"));
        Cow::Owned(text)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyId { parts: None } => {
                f.write_str("the id is a text or byte string of length 0; accepted: at least 1 byte")
            }
            Self::EmptyId { parts: Some(parts) } => write!(
                f,
                "the id is a composite of {parts} empty parts; accepted: at least one part that is not empty"
            ),
            Self::EmptyPayload => f.write_str(
                "the JSON text has nothing that counts; accepted: at least one member that `ignore` leaves or `only` names"
            ),
            Self::InvalidId { found } => write!(
                f,
                "the id is {found}; accepted: a text, bytes, an integer from 0 to 2^64-1, or a composite of at least one of these"
            ),
            Self::InvalidNumber { name, found } => write!(
                f,
                "`{name}` is `{found}`; accepted: an integer from 0 to 2^64-1"
            ),
            Self::InvalidText { units } => write!(
                f,
                "the id has a text of {units} UTF-16 units with a lone surrogate; accepted: well-formed text"
            ),
            Self::InvalidJson { found, at: Some(at) } => write!(
                f,
                "the JSON text has {found} at byte {at}; accepted: one value by RFC 8259 without ambiguities"
            ),
            Self::InvalidJson { found, at: None } => {
                write!(f, "the JSON text is {found}; accepted: a text, or bytes in UTF-8")
            }
            Self::InvalidTime {
                name,
                found,
                accepted,
            }
            | Self::InvalidConfig {
                name,
                found,
                accepted,
            } => write!(f, "`{name}` is `{found}`; accepted: {accepted}"),
            Self::ClockStep {
                now,
                window_time,
                max_step,
            } => write!(
                f,
                "`now` is `{now}`, more than the {max_step} of `max_step` ahead of window time {window_time}; \
                 accepted: a smaller step, or `advance` first"
            ),
            Self::Full {
                held,
                max_ids: Some(max_ids),
            } => write!(
                f,
                "the window holds `{held}` ids and has no room for what is new; \
                 accepted: at most the `{max_ids}` of `max_ids` within one window"
            ),
            Self::Full {
                held,
                max_ids: None,
            } => write!(
                f,
                "the filter holds `{held}` ids and has no room for what is new; \
                 accepted: as many as `expected_ids` says within one window"
            ),
            Self::LeaseLost { token } => write!(
                f,
                "token `{token}` is not the claim of its id: that was committed or released, its lease ran out and the id \
                 was seen again, or it is of another window; accepted: a token whose claim stands"
            ),
            Self::Unsupported { call, accepted } => {
                write!(f, "`{call}` is not possible in this memory; accepted: {accepted}")
            }
            Self::OutOfMemory => f.write_str("an allocation failed; nothing was recorded"),
            Self::Closed => f.write_str("the window is closed; accepted: calls before it was closed"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_and_every_message_is_lower_case() {
        let errors = [
            Error::EmptyId { parts: None },
            Error::EmptyPayload,
            Error::invalid_id("a null"),
            Error::invalid_number("seq", "a negative integer"),
            Error::InvalidText { units: 2 },
            Error::InvalidJson {
                found: "a lone surrogate".into(),
                at: Some(5),
            },
            Error::InvalidJson {
                found: "a null".into(),
                at: None,
            },
            Error::invalid_time("now", "NaN"),
            Error::ClockStep {
                now: Millis(9),
                window_time: Millis(1),
                max_step: Millis(2),
            },
            Error::invalid_config("window", "0 ms", "more"),
            Error::Full {
                held: 3,
                max_ids: Some(3),
            },
            Error::Full {
                held: 3,
                max_ids: None,
            },
            Error::LeaseLost { token: 7 },
            Error::Unsupported {
                call: "forget",
                accepted: "an exact memory",
            },
            Error::OutOfMemory,
            Error::Closed,
        ];
        let mut codes: alloc::vec::Vec<_> = errors.iter().map(Error::code).collect();
        codes.dedup();
        assert_eq!(codes, ERROR_CODES);
        for error in errors {
            let message = alloc::string::ToString::to_string(&error);
            let first = message.chars().next().unwrap();
            assert!(first == '`' || first.is_lowercase(), "{message}");
            assert!(!message.ends_with('.'), "{message}");
        }
    }
}
