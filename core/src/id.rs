//! 1. What identifies an event.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Error;

/// What identifies an event: bytes (a text is its UTF-8 bytes), an integer, or a composite of these.
///
/// The three kinds are domains of their own: `7` is not `"7"`, and `("a", "bc")` is neither `("ab", "c")` nor
/// `"abc"`. Texts are taken as they are, without Unicode normalisation. Most calls take anything that converts
/// into an `Id`: a text, bytes, an unsigned integer, or a slice of [`Part`]s.
///
/// An id that identifies nothing is refused where it is used: `empty_id` for empty bytes, alone or as all parts of a
/// composite; `invalid_id` for a composite without parts.
///
/// ```
/// use firstseen::{fingerprint, Id, Part, Secret};
///
/// let secret = Secret::default();
/// assert_eq!(fingerprint("abc", &secret)?, fingerprint(b"abc", &secret)?);
/// assert_ne!(fingerprint("7", &secret)?, fingerprint(7_u64, &secret)?);
/// let composite = [Part::from("tenant-1"), Part::from(7_u64)];
/// assert_ne!(fingerprint(&composite, &secret)?, fingerprint("tenant-17", &secret)?);
/// // A signed integer converts if it is not negative.
/// assert_eq!(Id::try_from(-1_i64).unwrap_err().code(), "invalid_id");
/// # Ok::<(), firstseen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id<'a> {
    /// A text or a byte string, by its bytes.
    Bytes(&'a [u8]),
    /// An unsigned integer.
    Int(u64),
    /// A list of parts, in order.
    Composite(&'a [Part<'a>]),
}

/// One part of a composite [`Id`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A text or a byte string, by its bytes; it may be empty beside a part that is not.
    Bytes(&'a [u8]),
    /// An unsigned integer.
    Int(u64),
}

/// The same conversions for a whole id and for a part of one.
macro_rules! from_simple {
    ($name:ident) => {
        impl<'a> From<&'a str> for $name<'a> {
            fn from(text: &'a str) -> Self {
                Self::Bytes(text.as_bytes())
            }
        }
        impl<'a> From<&'a String> for $name<'a> {
            fn from(text: &'a String) -> Self {
                Self::Bytes(text.as_bytes())
            }
        }
        impl<'a> From<&'a [u8]> for $name<'a> {
            fn from(bytes: &'a [u8]) -> Self {
                Self::Bytes(bytes)
            }
        }
        impl<'a> From<&'a Vec<u8>> for $name<'a> {
            fn from(bytes: &'a Vec<u8>) -> Self {
                Self::Bytes(bytes)
            }
        }
        impl<'a, const LEN: usize> From<&'a [u8; LEN]> for $name<'a> {
            fn from(bytes: &'a [u8; LEN]) -> Self {
                Self::Bytes(bytes)
            }
        }
        impl From<u64> for $name<'_> {
            fn from(value: u64) -> Self {
                Self::Int(value)
            }
        }
        impl From<u32> for $name<'_> {
            fn from(value: u32) -> Self {
                Self::Int(value.into())
            }
        }
        impl TryFrom<i64> for $name<'_> {
            type Error = Error;

            fn try_from(value: i64) -> Result<Self, Error> {
                Self::try_from(i128::from(value))
            }
        }
        impl TryFrom<i128> for $name<'_> {
            type Error = Error;

            fn try_from(value: i128) -> Result<Self, Error> {
                match u64::try_from(value) {
                    Ok(value) => Ok(Self::Int(value)),
                    Err(_) if value < 0 => Err(Error::invalid_id("a negative integer")),
                    Err(_) => Err(Error::invalid_id("an integer above 2^64-1")),
                }
            }
        }
    };
}

from_simple!(Id);
from_simple!(Part);

impl<'a> From<&'a [Part<'a>]> for Id<'a> {
    fn from(parts: &'a [Part<'a>]) -> Self {
        Self::Composite(parts)
    }
}

impl<'a, const LEN: usize> From<&'a [Part<'a>; LEN]> for Id<'a> {
    fn from(parts: &'a [Part<'a>; LEN]) -> Self {
        Self::Composite(parts)
    }
}

impl<'a> From<&'a Vec<Part<'a>>> for Id<'a> {
    fn from(parts: &'a Vec<Part<'a>>) -> Self {
        Self::Composite(parts)
    }
}

/// A text given as UTF-16 units, in UTF-8: what hosts whose texts are UTF-16 need.
///
/// # Errors
/// `invalid_text` if a surrogate stands alone; it is never replaced.
///
/// ```
/// use firstseen::utf8_from_utf16;
///
/// assert_eq!(utf8_from_utf16(&[0x61, 0xd83d, 0xde00])?, "a😀");
/// assert_eq!(utf8_from_utf16(&[0x61, 0xd83d]).unwrap_err().code(), "invalid_text");
/// # Ok::<(), firstseen::Error>(())
/// ```
pub fn utf8_from_utf16(units: &[u16]) -> Result<String, Error> {
    String::from_utf16(units).map_err(|_| Error::InvalidText { units: units.len() })
}
