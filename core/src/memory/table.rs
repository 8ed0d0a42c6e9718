//! The lines of a filter: a fixed number of them, allocated once.

use alloc::vec::Vec;

use super::lanes::{prefetch, Bytes};
use crate::error::Error;

/// One cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(pub(super) Bytes);

#[derive(Clone, Default)]
pub(super) struct Table {
    lines: Vec<Line>,
}

impl Table {
    /// So many lines of zeros, fewer than 2^32.
    pub(super) fn new(lines: u64) -> Result<Self, Error> {
        let count = u32::try_from(lines).map_err(|_| Error::OutOfMemory)? as usize;
        let mut lines = Vec::new();
        lines
            .try_reserve_exact(count)
            .map_err(|_| Error::OutOfMemory)?;
        lines.resize(count, Line([0; 64]));
        Ok(Self { lines })
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    #[inline]
    pub(super) fn get(&self, line: u32) -> Option<&Bytes> {
        self.lines.get(line as usize).map(|line| &line.0)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, line: u32) -> Option<&mut Bytes> {
        self.lines.get_mut(line as usize).map(|line| &mut line.0)
    }

    /// The line at this part of the whole: floor(part·lines / 2^64).
    #[inline]
    pub(super) fn scale(&self, part: u64) -> u32 {
        scale(part, self.lines.len() as u64)
    }

    #[inline]
    pub(super) fn prefetch(&self, line: u32) {
        if let Some(line) = self.lines.get(line as usize) {
            prefetch(line);
        }
    }

    pub(super) fn clear(&mut self) {
        self.lines.fill(Line([0; 64]));
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
    }
}

/// floor(part·lines / 2^64) without a product of 128 bits, which 32-bit hosts lack; lines < 2^32.
#[inline]
fn scale(part: u64, lines: u64) -> u32 {
    let low = ((part & 0xffff_ffff) * lines) >> 32;
    (((part >> 32) * lines + low) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::scale;

    #[test]
    fn scaling_in_halves_is_exact() {
        let mut part = 1_u64;
        for round in 0..200_000_u64 {
            part = part
                .wrapping_mul(0x5851_f42d_4c95_7f2d)
                .wrapping_add(0x1405_7b7e_f767_814f);
            for part in [part, part | 0xffff_ffff, !0, 0] {
                let lines = (part.rotate_left(17) >> (round % 48)) & 0xffff_ffff;
                let wide = ((u128::from(part) * u128::from(lines)) >> 64) as u32;
                assert_eq!(scale(part, lines), wide);
            }
        }
    }
}
