//! Sorting in place, by little code: what the standard library brings would be a large part of the WebAssembly module.

/// Sorts so that no item comes after one that it is `before`. Takes n log n comparisons, whatever the order was.
// [Williams, "Algorithm 232: Heapsort", 1964.]
#[inline(never)]
pub(super) fn sort<T>(items: &mut [T], before: &dyn Fn(&T, &T) -> bool) {
    let length = items.len();
    // First the heap is made, from its last inner node on, then its greatest item goes to the end again and again.
    for step in (0..length + length / 2).rev() {
        let (mut node, bound) = if step >= length {
            (step - length, length)
        } else {
            items.swap(0, step);
            (0, step)
        };
        let is_before =
            |items: &[T], one: usize, other: usize| match (items.get(one), items.get(other)) {
                (Some(one), Some(other)) => before(one, other),
                _ => false,
            };
        loop {
            let mut child = 2 * node + 1;
            if child >= bound {
                break;
            }
            if child + 1 < bound && is_before(items, child, child + 1) {
                child += 1;
            }
            if !is_before(items, node, child) {
                break;
            }
            items.swap(node, child);
            node = child;
        }
    }
}
