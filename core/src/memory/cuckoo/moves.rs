//! Making room: entries are moved to their other lines. Nothing is written before a free slot is found, so that an insertion
//! that fails has changed nothing.

use super::{Cuckoo, Place, Slot};

/// How many lines a search looks at before it gives up.
const MOST: usize = 512;

/// A line that a search reached: by moving an entry out of a slot of its parent.
#[derive(Clone, Copy, Default)]
struct Node {
    line: u32,
    parent: u16,
    slot: u8,
}

impl Cuckoo {
    /// Keeps what has two full lines.
    #[cold]
    #[inline(never)]
    pub(super) fn make_room(&mut self, place: &Place, serial: u64, front: u64) -> bool {
        // One move is nearly always enough.
        for line in place.lines {
            for slot in 0..self.layout.slots() {
                let from = Slot { line, slot };
                if let Some(to) = self.free_for(from, front) {
                    self.relocate(from, to, front);
                    self.put(from, place.remainder, serial, front);
                    return true;
                }
            }
        }
        self.search(place, serial, front)
    }

    /// A free slot in the other line of an entry.
    fn free_for(&self, from: Slot, front: u64) -> Option<Slot> {
        let line = self.other(from.line, self.remainder(from));
        let live = self.live(line, front);
        let slot = live.trailing_ones();
        (live != self.layout.all()).then_some(Slot { line, slot })
    }

    fn relocate(&mut self, from: Slot, to: Slot, front: u64) {
        let (remainder, serial) = (self.remainder(from), self.serial(from));
        self.put(to, remainder, serial, front);
    }

    /// Looks breadth first for the shortest chain of moves. A line is entered once, so that no entry is moved twice.
    #[cold]
    #[inline(never)]
    fn search(&mut self, place: &Place, serial: u64, front: u64) -> bool {
        let mut nodes = [Node::default(); MOST];
        let mut count = 0;
        for line in place.lines {
            enter(
                &mut nodes,
                &mut count,
                Node {
                    line,
                    parent: 0,
                    slot: 0,
                },
            );
        }
        let roots = count;
        let mut next = 0;
        while let Some(node) = nodes.get(next).filter(|_| next < count).copied() {
            for slot in 0..self.layout.slots() {
                let from = Slot {
                    line: node.line,
                    slot,
                };
                if let Some(to) = self.free_for(from, front) {
                    let left = self.unwind(&nodes, roots, next, from, to, front);
                    self.put(left, place.remainder, serial, front);
                    return true;
                }
                let reached = Node {
                    line: self.other(node.line, self.remainder(from)),
                    parent: next as u16,
                    slot: slot as u8,
                };
                enter(&mut nodes, &mut count, reached);
            }
            next += 1;
        }
        false
    }

    /// Moves the entries of a chain, the last first: each goes where there is room, and leaves its own. Returns the slot left.
    fn unwind(
        &mut self,
        nodes: &[Node; MOST],
        roots: usize,
        mut node: usize,
        mut from: Slot,
        mut to: Slot,
        front: u64,
    ) -> Slot {
        loop {
            self.relocate(from, to, front);
            let Some(reached) = nodes.get(node).filter(|_| node >= roots) else {
                return from;
            };
            to = from;
            node = usize::from(reached.parent);
            from = Slot {
                line: nodes.get(node).map_or(0, |parent| parent.line),
                slot: u32::from(reached.slot),
            };
        }
    }
}

/// Adds a line that was not reached yet, if the search may look at one more.
fn enter(nodes: &mut [Node; MOST], count: &mut usize, node: Node) {
    if nodes.iter().take(*count).any(|n| n.line == node.line) {
        return;
    }
    if let Some(place) = nodes.get_mut(*count) {
        *place = node;
        *count += 1;
    }
}
