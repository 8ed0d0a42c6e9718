//! Which members count, by JSON Pointers (RFC 6901).

use alloc::vec::Vec;

use super::string;
use crate::error::Error;

/// What becomes of what the pointers name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    LeftOut,
    Kept,
}

/// How much of a value counts.
#[derive(Clone, Copy)]
pub(super) enum Part {
    All,
    Nothing,
    /// What the pointers say that are active from this one on.
    Some(usize),
}

/// Which members count, and where the pointers are while a text is read.
pub(super) struct Select<'p> {
    named: Named,
    /// What remains of each pointer at the containers that are open. A container's own are the last ones.
    active: Vec<&'p [u8]>,
}

impl<'p> Select<'p> {
    /// All members.
    pub(super) fn all() -> Self {
        Self {
            named: Named::LeftOut,
            active: Vec::new(),
        }
    }

    /// All but these, or only these.
    pub(super) fn new(ignore: Option<&[&'p str]>, only: Option<&[&'p str]>) -> Result<Self, Error> {
        let (name, named, pointers) = match (ignore, only) {
            (None, None) => return Ok(Self::all()),
            (Some(pointers), None) => ("ignore", Named::LeftOut, pointers),
            (None, Some([])) => {
                return Err(Error::invalid_config(
                    "only",
                    "empty",
                    "at least one JSON Pointer",
                ));
            }
            (None, Some(pointers)) => ("only", Named::Kept, pointers),
            (Some(_), Some(_)) => {
                let accepted = "one of `ignore` and `only`";
                return Err(Error::invalid_config(
                    "only",
                    "given beside `ignore`",
                    accepted,
                ));
            }
        };
        for pointer in pointers {
            if !is_pointer(pointer) {
                let accepted = "JSON Pointers to members, such as `/meta/sent_at`";
                return Err(Error::invalid_config(name, Error::value(pointer), accepted));
            }
        }
        let mut active = Vec::new();
        active
            .try_reserve_exact(pointers.len())
            .map_err(|_| Error::OutOfMemory)?;
        active.extend(pointers.iter().map(|pointer| pointer.as_bytes()));
        Ok(Self { named, active })
    }

    /// How much of the whole text counts.
    pub(super) fn whole(&self) -> Part {
        if self.active.is_empty() {
            Part::All
        } else {
            Part::Some(0)
        }
    }

    /// How much counts of a member or element, of a container of which `part` counts. The mark is for [`leave`](Self::leave).
    pub(super) fn inside(
        &mut self,
        part: Part,
        name: Option<&[u8]>,
        index: usize,
    ) -> Result<(Part, usize), Error> {
        let mark = self.active.len();
        let Part::Some(first) = part else {
            return Ok((part, mark));
        };
        for place in first..mark {
            let rest = self.active.get(place).copied().unwrap_or_default();
            let rest = rest.get(1..).unwrap_or_default();
            let end = rest
                .iter()
                .position(|byte| *byte == b'/')
                .unwrap_or(rest.len());
            let (token, rest) = rest.split_at_checked(end).unwrap_or_default();
            let matches = match name {
                Some(name) => string::decoded(name).eq(unescaped(token)),
                None => is_index(token, index),
            };
            if matches && rest.is_empty() {
                let named = match self.named {
                    Named::LeftOut => Part::Nothing,
                    Named::Kept => Part::All,
                };
                self.active.truncate(mark);
                return Ok((named, mark));
            }
            if matches {
                self.active.try_reserve(1).map_err(|_| Error::OutOfMemory)?;
                self.active.push(rest);
            }
        }
        let inside = if self.active.len() > mark {
            Part::Some(mark)
        } else {
            match self.named {
                Named::LeftOut => Part::All,
                Named::Kept => Part::Nothing,
            }
        };
        Ok((inside, mark))
    }

    /// Back from a member to its container.
    pub(super) fn leave(&mut self, mark: usize) {
        self.active.truncate(mark);
    }

    /// Whether a scalar counts. A pointer that goes on names nothing in it.
    pub(super) fn keeps_scalar(&self, part: Part) -> bool {
        self.keeps_container(part, false)
    }

    /// Whether a container counts, of which something is kept or nothing.
    pub(super) fn keeps_container(&self, part: Part, something: bool) -> bool {
        match part {
            Part::All => true,
            Part::Nothing => false,
            Part::Some(_) => self.named == Named::LeftOut || something,
        }
    }
}

/// Whether this is a JSON Pointer, and not that to the whole text.
fn is_pointer(pointer: &str) -> bool {
    let mut tildes = pointer.as_bytes().split(|byte| *byte == b'~');
    tildes.next().is_some_and(|first| first.starts_with(b"/"))
        && tildes.all(|rest| matches!(rest.first(), Some(b'0' | b'1')))
}

/// The bytes of a pointer's token.
fn unescaped(token: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut bytes = token.iter();
    core::iter::from_fn(move || match *bytes.next()? {
        b'~' if bytes.next() == Some(&b'1') => Some(b'/'),
        byte => Some(byte),
    })
}

/// Whether a token is the index of this element.
fn is_index(token: &[u8], mut index: usize) -> bool {
    let mut digits = token.iter().rev();
    loop {
        if digits.next() != Some(&(b'0' + (index % 10) as u8)) {
            return false;
        }
        index /= 10;
        if index == 0 {
            return digits.next().is_none();
        }
    }
}
