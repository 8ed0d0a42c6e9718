//! H lines and M positions, chosen once when the filter is built, and compiled for each choice.

use super::Bloom;
use crate::sizing::BloomSize;

/// By its H and M.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    Two3,
    Two4,
    Three4,
    Four4,
    Five4,
}

macro_rules! by_shape {
    ($shape:expr, $bloom:ident.$call:ident($($argument:expr),*)) => {
        match $shape {
            Shape::Two3 => $bloom.$call::<2, 3>($($argument),*),
            Shape::Two4 => $bloom.$call::<2, 4>($($argument),*),
            Shape::Three4 => $bloom.$call::<3, 4>($($argument),*),
            Shape::Four4 => $bloom.$call::<4, 4>($($argument),*),
            Shape::Five4 => $bloom.$call::<5, 4>($($argument),*),
        }
    };
}

impl Shape {
    pub(super) fn of(size: &BloomSize) -> Self {
        match (size.lines_per_id, size.positions_per_line) {
            (2, 3) => Self::Two3,
            (2, _) => Self::Two4,
            (3, _) => Self::Three4,
            (4, _) => Self::Four4,
            _ => Self::Five4,
        }
    }

    #[inline]
    pub(super) fn prefetch(self, bloom: &Bloom, key: u64) {
        by_shape!(self, bloom.prefetch_in(key));
    }

    #[inline]
    pub(super) fn look(self, bloom: &Bloom, key: u64, front: u64) -> Option<u64> {
        by_shape!(self, bloom.look_in(key, front))
    }

    #[inline]
    pub(super) fn insert(self, bloom: &mut Bloom, key: u64, serial: u64) {
        by_shape!(self, bloom.insert_in(key, serial));
    }
}
