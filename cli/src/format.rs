//! What the formats have in common: where a record ends, and what it says.

use firstseen::{Error, Fingerprinter, Key, Millis, Part};

use crate::failure::{Bad, Failure};

/// Where a record ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// How many bytes it has, its line end included.
    pub(crate) length: usize,
    /// How many lines of the file it takes.
    pub(crate) lines: u64,
}

/// What a record is.
#[derive(Debug)]
pub(crate) enum Record {
    /// An event, by its id's fingerprint and its own time if there is one.
    Event(Key, Option<Millis>),
    /// The column names at the start of a file; `first` for the first file.
    Header { first: bool },
    /// No event at all.
    Blank,
}

/// Why a record is none.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The record is at fault.
    Bad(Bad),
    /// Nothing after it could be right either.
    Stop(Failure),
}

impl From<Bad> for Fault {
    fn from(bad: Bad) -> Self {
        Self::Bad(bad)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Bad(error.into())
    }
}

/// A format that records come in.
pub(crate) trait Format {
    /// A new file begins.
    fn begin(&mut self) {}

    /// Whether the options are known to suit the input: until then no file may be overwritten.
    fn ready(&self) -> bool {
        true
    }

    /// The next record of `data`, or none if it needs more bytes than these; `ended` if there are no more.
    ///
    /// After none, the next call brings the same bytes and more, so that no byte need be looked at twice.
    fn frame(&mut self, data: &[u8], ended: bool) -> Option<Frame>;

    /// What the record just framed says.
    fn read(&mut self, record: &[u8]) -> Result<Record, Fault>;
}

/// A record without its line end.
pub(crate) fn content(record: &[u8]) -> &[u8] {
    let line = record.strip_suffix(b"\n").unwrap_or(record);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The fingerprint of an id made of `--id` fields: of one as it is, of several as a composite.
pub(crate) fn fingerprint<'a>(
    printer: &Fingerprinter,
    count: usize,
    mut part: impl FnMut(usize) -> Result<Part<'a>, Bad>,
) -> Result<Key, Bad> {
    if count == 1 {
        return Ok(match part(0)? {
            Part::Bytes(bytes) => printer.key(bytes),
            Part::Int(value) => printer.key(value),
        }?);
    }
    let mut composite = printer.composite();
    for index in 0..count {
        composite.push(part(index)?);
    }
    Ok(composite.finish()?.key())
}
