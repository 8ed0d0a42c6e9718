//! Lines: where they end, and the format in which each is an id.

use firstseen::Fingerprinter;
use memchr::memchr;

use crate::format::{content, Fault, Format, Frame, Record};

/// Finds the ends of lines.
#[derive(Default)]
pub(crate) struct Splitter {
    /// How many bytes of the line at hand are known to hold no end.
    searched: usize,
}

impl Splitter {
    #[inline]
    pub(crate) fn frame(&mut self, data: &[u8], ended: bool) -> Option<Frame> {
        let length = match memchr(b'\n', data.get(self.searched..).unwrap_or_default()) {
            Some(end) => self.searched + end + 1,
            None if ended && !data.is_empty() => data.len(),
            None => {
                self.searched = data.len();
                return None;
            }
        };
        self.searched = 0;
        Some(Frame { length, lines: 1 })
    }
}

/// Each line is an id, by its bytes.
pub(crate) struct Lines {
    splitter: Splitter,
    printer: Fingerprinter,
}

impl Lines {
    pub(crate) fn new(printer: Fingerprinter) -> Self {
        Self {
            splitter: Splitter::default(),
            printer,
        }
    }
}

impl Format for Lines {
    #[inline]
    fn frame(&mut self, data: &[u8], ended: bool) -> Option<Frame> {
        self.splitter.frame(data, ended)
    }

    #[inline]
    fn read(&mut self, record: &[u8]) -> Result<Record, Fault> {
        match content(record) {
            [] => Ok(Record::Blank),
            line => Ok(Record::Event(self.printer.key(line)?, None)),
        }
    }
}
