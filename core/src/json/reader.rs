//! From a JSON text to the pieces of its canonical form, in one pass.

use alloc::vec::Vec;
use core::cmp::Ordering;

use super::number::{self, Unfit};
use super::order::sort;
use super::pieces::{Pieces, Span};
use super::select::{Part, Select};
use super::string;
use crate::error::Error;

/// How many arrays and objects may lie in one another.
const MAX_DEPTH: usize = 128;

/// Reads a whole text, of which `select` says what counts.
pub(super) fn read(text: &[u8], select: Select<'_>) -> Result<Pieces, Error> {
    if let Err(error) = core::str::from_utf8(text) {
        return Err(fault("bytes that are no UTF-8", error.valid_up_to()));
    }
    if text.starts_with(b"\xef\xbb\xbf") {
        return Err(fault("a byte order mark", 0));
    }
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
        select,
        open: Vec::new(),
        pieces: Pieces::default(),
        emptied: false,
    };
    let reserved = reader.pieces.text.try_reserve(text.len());
    reserved.map_err(|_| Error::OutOfMemory)?;
    let part = reader.select.whole();
    let kept = reader.value(part)?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.fault("more than one value"));
    }
    let mut pieces = reader.pieces;
    pieces.is_empty = !kept || reader.emptied;
    sort(&mut pieces.rebuilt, &|one, other| one.start < other.start);
    Ok(pieces)
}

struct Reader<'t, 'p> {
    text: &'t [u8],
    at: usize,
    depth: usize,
    select: Select<'p>,
    /// The members so far of the containers that are open.
    open: Vec<Span>,
    pieces: Pieces,
    /// The outermost container had members, and all are left out.
    emptied: bool,
}

impl Reader<'_, '_> {
    /// Reads a value; false if nothing of it counts.
    fn value(&mut self, part: Part) -> Result<bool, Error> {
        self.space();
        match self.peek() {
            Some(b'{') => return self.container(part, true),
            Some(b'[') => return self.container(part, false),
            Some(b'"') => self.string()?,
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let word = [&b"true"[..], b"false", b"null"]
                    .into_iter()
                    .find(|word| rest.starts_with(word));
                let word = word.ok_or_else(|| self.unexpected())?;
                self.at += word.len();
                self.put(word)?;
            }
        }
        Ok(self.select.keeps_scalar(part))
    }

    /// Reads an object or an array.
    fn container(&mut self, part: Part, object: bool) -> Result<bool, Error> {
        if self.depth == MAX_DEPTH {
            return Err(self.fault("more than 128 arrays and objects in one another"));
        }
        self.depth += 1;
        let (opening, closing) = if object { (b'{', b'}') } else { (b'[', b']') };
        let start = self.pieces.text.len();
        let first = self.open.len();
        self.at += 1;
        self.put(&[opening])?;
        self.space();
        let mut index = 0;
        while self.peek() != Some(closing) {
            if index > 0 {
                self.expect(b',')?;
                self.put(b",")?;
                self.space();
            }
            self.member(part, object, index)?;
            self.space();
            index += 1;
        }
        self.at += 1;
        self.put(&[closing])?;
        self.depth -= 1;
        self.close(part, object, start, first)
    }

    /// Reads the member or element of this index.
    fn member(&mut self, part: Part, object: bool, index: usize) -> Result<(), Error> {
        let (from, start) = (self.at, self.pieces.text.len());
        if object {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected());
            }
            self.string()?;
            self.space();
            self.expect(b':')?;
            self.put(b":")?;
        }
        let name = object.then(|| self.pieces.name(start));
        let (inner, mark) = self.select.inside(part, name, index)?;
        let kept = self.value(inner)?;
        self.select.leave(mark);
        // The elements of an array that counts as a whole stay as they are.
        if object || matches!(part, Part::Some(_)) {
            let end = if kept { self.pieces.text.len() } else { start };
            self.open.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
            self.open.push(Span { start, end, from });
        }
        Ok(())
    }

    /// Judges the members of a container that was read, from `first` on, and notes it if its text is not as it should be.
    fn close(
        &mut self,
        part: Part,
        object: bool,
        start: usize,
        first: usize,
    ) -> Result<bool, Error> {
        let pieces = &mut self.pieces;
        let members = self.open.get_mut(first..).unwrap_or_default();
        let order = |one: &Span, other: &Span| {
            string::order(pieces.name(one.start), pieces.name(other.start))
        };
        let ordered =
            !object || members.is_sorted_by(|one, other| order(one, other) == Ordering::Less);
        if !ordered {
            sort(members, &|one, other| {
                order(one, other).then(one.from.cmp(&other.from)) == Ordering::Less
            });
            for pair in members.windows(2) {
                if let [one, other] = pair {
                    if order(one, other) == Ordering::Equal {
                        return Err(fault("a second member of the same name", other.from));
                    }
                }
            }
        }
        let kept = members.iter().any(Span::is_kept);
        let whole = members.iter().all(Span::is_kept);
        if self.depth == 0 {
            self.emptied = !whole && !kept;
        }
        if !whole || !ordered {
            pieces.rebuild(start, members)?;
        }
        self.open.truncate(first);
        Ok(self.select.keeps_container(part, kept))
    }

    fn string(&mut self) -> Result<(), Error> {
        self.at += 1;
        self.put(b"\"")?;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let plain = rest
                .iter()
                .position(|byte| matches!(byte, 0..=0x1f | b'"' | b'\\'));
            let run = rest.get(..plain.unwrap_or(rest.len())).unwrap_or_default();
            self.put(run)?;
            self.at += run.len();
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    let (char, length) = string::escape(rest).map_err(|found| self.fault(found))?;
                    string::write(char, &mut |piece| self.put(piece))?;
                    self.at += length;
                }
                Some(_) => return Err(self.fault("a control character in a text")),
                None => return Err(self.unexpected()),
            }
        }
        self.at += 1;
        self.put(b"\"")
    }

    fn number(&mut self) -> Result<(), Error> {
        let from = self.at;
        self.skip(b'-');
        if !self.skip(b'0') {
            self.digits()?;
        }
        if self.skip(b'.') {
            self.digits()?;
        }
        if self.skip(b'e') || self.skip(b'E') {
            let _ = self.skip(b'+') || self.skip(b'-');
            self.digits()?;
        }
        let literal = self.text.get(from..self.at).unwrap_or_default();
        let mut written = number::Written::default();
        number::write(literal, &mut written).map_err(|unfit| {
            let found = match unfit {
                Unfit::Range => "a number beyond the largest double",
                Unfit::Integer => "an integer that no double has",
            };
            fault(found, from)
        })?;
        self.put(written.bytes())
    }

    /// One digit at least.
    fn digits(&mut self) -> Result<(), Error> {
        let from = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == from {
            return Err(self.unexpected());
        }
        Ok(())
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, byte: u8) -> Result<(), Error> {
        if self.skip(byte) {
            Ok(())
        } else {
            Err(self.unexpected())
        }
    }

    #[inline(never)]
    fn put(&mut self, piece: &[u8]) -> Result<(), Error> {
        let text = &mut self.pieces.text;
        let reserved = text.try_reserve(piece.len());
        reserved.map_err(|_| Error::OutOfMemory)?;
        text.extend_from_slice(piece);
        Ok(())
    }

    fn unexpected(&self) -> Error {
        self.fault(if self.at < self.text.len() {
            "an unexpected character"
        } else {
            "its end too early"
        })
    }

    fn fault(&self, found: &'static str) -> Error {
        fault(found, self.at)
    }
}

#[cold]
#[inline(never)]
fn fault(found: &'static str, at: usize) -> Error {
    Error::InvalidJson {
        found: found.into(),
        at: Some(at),
    }
}
