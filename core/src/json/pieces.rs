//! A text in canonical form but for the order of members: what it takes to read it in the right one.

use alloc::vec::Vec;
use core::ops::Range;

use crate::error::Error;

/// A member of an object, from its name on, or an element of an array.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) start: usize,
    /// Where it ends; its start if it is left out.
    pub(super) end: usize,
    /// Where it begins in what was read.
    pub(super) from: usize,
}

impl Span {
    pub(super) fn is_kept(&self) -> bool {
        self.end > self.start
    }
}

/// An object or array whose members are to be read as `spans` has them, and not as they stand.
pub(super) struct Container {
    pub(super) start: usize,
    end: usize,
    spans: Range<usize>,
}

/// The pieces of a canonical form.
#[derive(Default)]
pub(super) struct Pieces {
    pub(super) text: Vec<u8>,
    pub(super) spans: Vec<Span>,
    /// By their starts, once all is read.
    pub(super) rebuilt: Vec<Container>,
    /// Nothing is left of what was read.
    pub(super) is_empty: bool,
}

impl Pieces {
    /// The name that stands here, from behind its opening quote on, and what follows.
    pub(super) fn name(&self, start: usize) -> &[u8] {
        self.text.get(start + 1..).unwrap_or_default()
    }

    /// Notes that the container which begins at `start`, and ends the text, has these members.
    pub(super) fn rebuild(&mut self, start: usize, members: &[Span]) -> Result<(), Error> {
        let first = self.spans.len();
        let reserved = self.spans.try_reserve(members.len());
        let reserved = reserved.and_then(|()| self.rebuilt.try_reserve(1));
        reserved.map_err(|_| Error::OutOfMemory)?;
        self.spans.extend_from_slice(members);
        self.rebuilt.push(Container {
            start,
            end: self.text.len(),
            spans: first..self.spans.len(),
        });
        Ok(())
    }

    /// What they take.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.text.capacity()
            + self.spans.capacity() * size_of::<Span>()
            + self.rebuilt.capacity() * size_of::<Container>()
    }

    /// Hands over the canonical form, piece by piece.
    pub(super) fn read(&self, take: &mut dyn FnMut(&[u8])) {
        self.read_range(0..self.text.len(), take);
    }

    /// Deeper within itself only as the containers are.
    fn read_range(&self, range: Range<usize>, take: &mut dyn FnMut(&[u8])) {
        let mut at = range.start;
        while let Some(container) = self.next(at).filter(|next| next.start < range.end) {
            // With its opening bracket.
            self.hand(at..container.start + 1, take);
            let spans = self.spans.get(container.spans.clone()).unwrap_or_default();
            let kept = spans.iter().filter(|span| span.is_kept());
            for (index, span) in kept.enumerate() {
                if index > 0 {
                    take(b",");
                }
                self.read_range(span.start..span.end, take);
            }
            at = container.end - 1;
        }
        self.hand(at..range.end, take);
    }

    /// The first container from here on.
    fn next(&self, at: usize) -> Option<&Container> {
        let next = self
            .rebuilt
            .partition_point(|container| container.start < at);
        self.rebuilt.get(next)
    }

    fn hand(&self, range: Range<usize>, take: &mut dyn FnMut(&[u8])) {
        take(self.text.get(range).unwrap_or_default());
    }
}
