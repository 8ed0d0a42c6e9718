//! The payload as an id, for events whose producers give none: the fingerprint of a JSON text's canonical form.

mod big;
mod number;
mod order;
mod pieces;
mod reader;
mod select;
mod string;
#[cfg(test)]
#[expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]
mod tests;

use crate::error::Error;
use crate::fingerprint::{Fingerprint, Fingerprinter, Secret};
use select::Select;

/// Reads bytes with and without what a pointer names. What is read must be in its canonical form, so that reading it again
/// changes nothing.
#[cfg(any(test, fuzzing))]
pub(crate) fn check(bytes: &[u8]) {
    let canonical = |text: &[u8], select| {
        let pieces = reader::read(text, select)?;
        let mut bytes = alloc::vec::Vec::new();
        pieces.read(&mut |piece| bytes.extend_from_slice(piece));
        Ok::<_, Error>(bytes)
    };
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let (pointer, text) = match (parts.next(), parts.next()) {
        (Some(pointer), Some(text)) => (core::str::from_utf8(pointer).unwrap_or_default(), text),
        _ => ("", bytes),
    };
    let mut selects = alloc::vec![Ok(Select::all())];
    if !pointer.is_empty() {
        selects.push(Select::new(Some(&[pointer]), None));
        selects.push(Select::new(None, Some(&[pointer])));
    }
    for select in selects.into_iter().flatten() {
        let Ok(once) = canonical(text, select) else {
            continue;
        };
        match canonical(&once, Select::all()) {
            Ok(twice) => assert_eq!(once, twice),
            // Up to 21 digits a double is written as an integer, which need not be the double.
            Err(Error::InvalidJson { found, .. }) => {
                assert_eq!(found, "an integer that no double has")
            }
            Err(other) => assert_eq!(other, Error::OutOfMemory),
        }
    }
}

/// What of a payload counts, and the secret of its fingerprint: see [`fingerprint_json`].
///
/// Members are named by JSON Pointers (RFC 6901): `/meta/sent_at` is the member `sent_at` of the member `meta`, `/items/0` the
/// first element of `items`, and in a name `~1` stands for `/`, `~0` for `~`.
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonOptions<'a> {
    ignore: Option<&'a [&'a str]>,
    only: Option<&'a [&'a str]>,
    secret: Secret,
}

impl<'a> JsonOptions<'a> {
    /// The whole payload, and the default secret.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves these members out, as if they were not there: what differs between two deliveries of one event.
    #[must_use]
    pub fn ignore(self, pointers: &'a [&'a str]) -> Self {
        Self {
            ignore: Some(pointers),
            ..self
        }
    }

    /// Leaves out all but these members, and what they lie in. One that a payload does not have is not missed, unless it
    /// has none of them.
    #[must_use]
    pub fn only(self, pointers: &'a [&'a str]) -> Self {
        Self {
            only: Some(pointers),
            ..self
        }
    }

    /// The key of the fingerprint; 16 zero bytes if not given.
    #[must_use]
    pub fn secret(self, secret: impl Into<Secret>) -> Self {
        Self {
            secret: secret.into(),
            ..self
        }
    }
}

/// The fingerprint of a payload's content: of the canonical form of a JSON text by RFC 8785, taken as an id of text.
///
/// **Do not use it** where the producer gives an id, or a sequence number; or where two real events can have the same
/// payload, which this takes for one: put what tells them apart (a time, a counter, the connection) beside it into a
/// composite id.
///
/// The order of members, white space, escapes, and the way in which a number is written do not matter; the order of elements
/// does. Numbers are doubles, as everywhere in JSON: a fraction stands for the nearest one, but an integer's literal that no
/// double has is refused.
///
/// Takes time in the order of n log n for a text of n bytes, times the pointers that may match, and memory of at most some 20 n, but n for a text whose members stand in order.
///
/// # Errors
/// `invalid_json` with the byte at which the text is no JSON, or is ambiguous: a second member of the same name, a lone
/// surrogate, a number beyond doubles, more than 128 arrays and objects in one another, a byte order mark. `invalid_config`
/// for what is no pointer to a member, `only` without one, `ignore` and `only` together. `empty_id` if what the pointers leave
/// is nothing. `out_of_memory`. They are judged in this order.
///
/// ```
/// use firstseen::{fingerprint_json, JsonOptions, Millis, Part, Window};
/// use std::time::Duration;
///
/// let options = JsonOptions::new().ignore(&["/attempt"]);
/// let first = fingerprint_json(r#"{"temperature": 21.50, "attempt": 1}"#, &options)?;
/// let again = fingerprint_json(r#"{"attempt": 2, "temperature": 2.15e1}"#, &options)?;
/// assert_eq!(first, again);
///
/// // Two readings may be equal: the minute in which they were taken tells them apart.
/// let mut window = Window::exact(Duration::from_secs(600)).build()?;
/// let bytes = first.to_bytes();
/// assert!(window.first_seen(&[Part::from(&bytes), Part::from(7_u64)], Millis(0))?);
/// assert!(window.first_seen(&[Part::from(&bytes), Part::from(8_u64)], Millis(0))?);
/// assert!(!window.first_seen(&[Part::from(&bytes), Part::from(8_u64)], Millis(0))?);
/// # Ok::<(), firstseen::Error>(())
/// ```
pub fn fingerprint_json(
    text: impl AsRef<[u8]>,
    options: &JsonOptions<'_>,
) -> Result<Fingerprint, Error> {
    fingerprint_of(text.as_ref(), options)
}

fn fingerprint_of(text: &[u8], options: &JsonOptions<'_>) -> Result<Fingerprint, Error> {
    let (select, refused) = match Select::new(options.ignore, options.only) {
        Ok(select) => (select, None),
        // The text is judged first, as it stands first.
        Err(error) => (Select::all(), Some(error)),
    };
    let pieces = reader::read(text, select)?;
    if let Some(error) = refused {
        return Err(error);
    }
    if pieces.is_empty {
        return Err(Error::EmptyPayload);
    }
    let printer = Fingerprinter::new(&options.secret);
    Ok(printer.of_pieces(|take| pieces.read(take)))
}
