//! How fast memory itself is.

use std::hint::black_box;

use super::Design;
use crate::stream::Event;

/// The physical limit: a random 64-byte line, read and written, prefetched 32 ahead.
pub(crate) struct Touch {
    lines: Vec<[u64; 8]>,
}

impl Touch {
    pub(crate) fn new(lines: usize) -> Self {
        Self {
            lines: vec![[0; 8]; lines / 8],
        }
    }
}

impl Design for Touch {
    fn name(&self) -> &'static str {
        "limit: one random line read and written; prefetched"
    }

    fn run(&mut self, events: &[Event]) -> u64 {
        let count = self.lines.len() as u64;
        let place = |id: u64| ((u128::from(id) * u128::from(count)) >> 64) as usize;
        for (i, (id, _)) in events.iter().enumerate() {
            if let Some((ahead, _)) = events.get(i + 32) {
                prefetch(&self.lines[place(*ahead)]);
            }
            let line = &mut self.lines[place(*id)];
            line[0] = line[0].wrapping_add(black_box(*id));
        }
        0
    }

    fn held(&mut self) -> u64 {
        0
    }

    fn exact(&self) -> bool {
        false
    }
}

#[inline]
#[expect(
    unsafe_code,
    reason = "there is no safe prefetch; it reads nothing that the program can see"
)]
fn prefetch<T>(target: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address is harmless, and this one is a reference's.
    unsafe {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(target).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = target;
}
