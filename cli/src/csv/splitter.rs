//! Where records and fields of CSV begin and end, so that a record can be printed byte for byte.
//!
//! A field that begins with a quote ends at the next single quote; two quotes in it are one; what follows the closing quote
//! up to the delimiter is taken as it is. A quote elsewhere is a character like others. The `csv` crate reads the same.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::format::Frame;

/// Splits bytes into records, and keeps the fields of the latest one.
pub(crate) struct Splitter {
    delimiter: u8,
    fields: Vec<Range<usize>>,
    state: State,
    /// The byte of the record to be looked at next, where the field at hand began, and the line ends passed.
    at: usize,
    field: usize,
    lines: u64,
    done: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    FieldStart,
    Plain,
    Quoted,
    /// After a quote in a quoted field: the end, or the first of two.
    QuoteInQuoted,
}

impl Splitter {
    pub(crate) fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            fields: Vec::new(),
            state: State::FieldStart,
            at: 0,
            field: 0,
            lines: 0,
            done: true,
        }
    }

    /// The next record of `data`; none if more bytes are needed, which it then goes on with.
    pub(crate) fn frame(&mut self, data: &[u8], ended: bool) -> Option<Frame> {
        if self.done {
            self.done = false;
            self.fields.clear();
            self.state = State::FieldStart;
            (self.at, self.field, self.lines) = (0, 0, 0);
        }
        while let Some(&byte) = data.get(self.at) {
            match self.state {
                State::FieldStart if byte == b'"' => {
                    self.state = State::Quoted;
                    self.at += 1;
                }
                State::QuoteInQuoted if byte == b'"' => {
                    self.state = State::Quoted;
                    self.at += 1;
                }
                State::Quoted => self.pass_quoted(data),
                State::FieldStart | State::Plain | State::QuoteInQuoted => {
                    self.state = State::Plain;
                    let rest = data.get(self.at..).unwrap_or_default();
                    let Some(length) = memchr2(self.delimiter, b'\n', rest) else {
                        self.at = data.len();
                        break;
                    };
                    let end = self.at + length;
                    self.at = end + 1;
                    if data.get(end) == Some(&b'\n') {
                        self.lines += 1;
                        return Some(self.finish(data, end));
                    }
                    self.fields.push(self.field..end);
                    self.field = self.at;
                    self.state = State::FieldStart;
                }
            }
        }
        if !ended || data.is_empty() {
            return None;
        }
        self.lines += u64::from(!data.ends_with(b"\n"));
        Some(self.finish(data, data.len()))
    }

    fn pass_quoted(&mut self, data: &[u8]) {
        let rest = data.get(self.at..).unwrap_or_default();
        let end = memchr(b'"', rest);
        let inside = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        self.lines += memchr::memchr_iter(b'\n', inside).count() as u64;
        self.at += inside.len();
        if end.is_some() {
            self.at += 1;
            self.state = State::QuoteInQuoted;
        }
    }

    /// Ends the record whose content ends at `end`.
    fn finish(&mut self, data: &[u8], end: usize) -> Frame {
        let mut last = end;
        if self.state != State::Quoted && last > self.field && data.get(last - 1) == Some(&b'\r') {
            last -= 1;
        }
        self.fields.push(self.field..last);
        self.done = true;
        Frame {
            length: self.at,
            lines: self.lines,
        }
    }

    /// Whether the latest record ended within quotes, at the end of its file.
    pub(crate) fn unclosed(&self) -> bool {
        self.state == State::Quoted
    }

    /// How many fields the latest record has.
    pub(crate) fn width(&self) -> usize {
        self.fields.len()
    }

    /// A field of the latest record, without its quotes.
    pub(crate) fn field<'a>(&self, record: &'a [u8], index: usize) -> Option<Cow<'a, [u8]>> {
        let raw = record.get(self.fields.get(index)?.clone())?;
        let Some(inside) = raw.strip_prefix(b"\"") else {
            return Some(Cow::Borrowed(raw));
        };
        let end = memchr(b'"', inside).unwrap_or(inside.len());
        if end + 1 >= inside.len() {
            return Some(Cow::Borrowed(inside.get(..end)?));
        }
        Some(Cow::Owned(unquote(inside)))
    }
}

/// What follows an opening quote, without the quotes.
fn unquote(inside: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(quote) = memchr(b'"', rest) {
        text.extend_from_slice(rest.get(..quote).unwrap_or_default());
        rest = rest.get(quote + 1..).unwrap_or_default();
        let Some(after) = rest.strip_prefix(b"\"") else {
            break;
        };
        text.push(b'"');
        rest = after;
    }
    text.extend_from_slice(rest);
    text
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Records = Vec<Vec<Vec<u8>>>;

    /// Reads all records, handing over `step` bytes more at a time.
    fn split(text: &[u8], step: usize) -> (Records, Vec<u8>) {
        let mut splitter = Splitter::new(b',');
        let (mut records, mut bytes) = (Vec::new(), Vec::new());
        let (mut start, mut end) = (0, 0);
        loop {
            let data = text.get(start..end).unwrap();
            let Some(frame) = splitter.frame(data, end == text.len()) else {
                if end == text.len() {
                    return (records, bytes);
                }
                end = text.len().min(end + step);
                continue;
            };
            let record = data.get(..frame.length).unwrap();
            let ends = record.iter().filter(|byte| **byte == b'\n').count() as u64;
            assert_eq!(
                frame.lines,
                ends + u64::from(!record.ends_with(b"\n")),
                "{record:?}"
            );
            bytes.extend_from_slice(record);
            start += frame.length;
            if record.iter().any(|byte| !b"\r\n".contains(byte)) {
                let field = |index| splitter.field(record, index).unwrap().into_owned();
                records.push((0..splitter.width()).map(field).collect());
            }
        }
    }

    fn by_the_csv_crate(text: &[u8]) -> Records {
        let mut builder = csv::ReaderBuilder::new();
        let reader = builder.has_headers(false).flexible(true).from_reader(text);
        let records = reader.into_byte_records().map(Result::unwrap);
        records
            .map(|record| record.iter().map(<[u8]>::to_vec).collect())
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn records_are_those_of_the_csv_crate(
            pieces in prop::collection::vec(prop::sample::select(vec!["a", "b", ",", "\"", "\"\"", "\n", "\r\n", " "]), 0..40),
            step in 1_usize..10,
        ) {
            let text = pieces.concat();
            let (records, bytes) = split(text.as_bytes(), step);
            prop_assert_eq!(bytes, text.as_bytes());
            prop_assert_eq!(records, by_the_csv_crate(text.as_bytes()));
        }
    }

    #[test]
    fn fields_are_unquoted() {
        let (records, _) = split(b"a,\"b,\"\"c\"\"\nd\",\r\n5\" pipe,x\"y\",\"q\"r\"\"", 1);
        let expected: [&[&[u8]]; 2] = [
            &[b"a", b"b,\"c\"\nd", b""],
            &[b"5\" pipe", b"x\"y\"", b"qr\"\""],
        ];
        assert_eq!(records, expected);
    }

    #[test]
    fn an_open_quote_is_noticed() {
        let mut splitter = Splitter::new(b',');
        let frame = splitter.frame(b"a,\"b\nc\n", true).unwrap();
        assert_eq!(
            frame,
            Frame {
                length: 7,
                lines: 2
            }
        );
        assert!(splitter.unclosed());
        splitter.frame(b"a,\"b\"", true).unwrap();
        assert!(!splitter.unclosed());
    }
}
