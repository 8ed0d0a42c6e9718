//! A run of lines that keeps the fingerprints of one prefix: the unit of growth, small enough to be built anew in one call.
//!
//! The home line of a fingerprint is `(rest × homes) >> 64`, where `rest` are the bits after the prefix, so a segment may have any
//! number of lines. An entry whose home is full lies in one of the next [`REACH`] lines, and every line that it passed is marked
//! with its tag as overflown: the mark expires with the entry.

use alloc::vec::Vec;

use super::lanes::prefetch;
use super::line::{Line, Narrow, Wide};
use crate::error::Error;

/// How many lines beyond its home an entry may lie.
pub(super) const REACH: usize = 7;

/// Tags above this are not given out: the base moves first.
const MAX_TAG: u64 = 254;

/// Where a key is, or where it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Alive, in the bucket of this serial.
    Found { serial: u64, at: Place },
    /// Not here. `at` is a free slot nearest to its home, if the search passed one; `spilt` says that an entry which found no
    /// room in its whole reach may live elsewhere.
    Absent { at: Option<Place>, spilt: bool },
}

/// What a key's home line alone tells.
pub(super) enum Quick {
    /// The key is there, in the bucket of this serial.
    Found(u64),
    /// It is nowhere; now it is there.
    Kept,
    /// The line is full or has overflown, or the base must move first.
    Unclear,
}

/// A slot of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    line: u32,
    slot: u16,
    /// Whether the line is the key's home.
    home: bool,
}

impl Place {
    /// Whether the line is the key's home.
    #[inline]
    pub(super) fn is_home(self) -> bool {
        self.home
    }
}

#[derive(Clone)]
enum Lines {
    Wide(Vec<Wide>),
    Narrow(Vec<Narrow>),
}

/// Calls a generic function on the lines, whatever their form.
macro_rules! on_lines {
    ($lines:expr, $name:ident => $call:expr) => {
        match $lines {
            Lines::Wide($name) => $call,
            Lines::Narrow($name) => $call,
        }
    };
}

#[derive(Clone)]
pub(super) struct Segment {
    lines: Lines,
    homes: u32,
    /// Tag t stands for the bucket of serial base + t.
    base: u64,
    /// How many high bits of a fingerprint choose this segment, and which these are.
    depth: u32,
    prefix: u64,
    /// How many ids the whole memory may hold before this segment ought to grow.
    limit: u64,
}

/// What an entry of a segment says when it is taken out.
pub(super) type Entry = (u64, u64);

impl Segment {
    /// A segment of so many home lines; narrow where line and remainder together still give back all 64 bits.
    pub(super) fn new(depth: u32, prefix: u64, homes: usize, base: u64) -> Result<Self, Error> {
        let lines = homes + homes.min(REACH);
        let lines = if narrow_is_enough(depth, homes) {
            Lines::Narrow(empty(lines)?)
        } else {
            Lines::Wide(empty(lines)?)
        };
        Ok(Self {
            lines,
            homes: homes as u32,
            base,
            depth,
            prefix,
            limit: u64::MAX,
        })
    }

    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    pub(super) fn prefix(&self) -> u64 {
        self.prefix
    }

    pub(super) fn homes(&self) -> usize {
        self.homes as usize
    }

    pub(super) fn bytes(&self) -> usize {
        64 * on_lines!(&self.lines, lines => lines.capacity())
    }

    /// How many ids fill the home lines to this many 64ths.
    pub(super) fn load(&self, sixty_fourths: u64) -> u64 {
        let slots = match self.lines {
            Lines::Wide(_) => Wide::SLOTS,
            Lines::Narrow(_) => Narrow::SLOTS,
        };
        u64::from(self.homes) * u64::from(slots) * sixty_fourths / 64
    }

    /// Says that the segment ought to grow once its home lines are filled to more than this many 64ths.
    pub(super) fn limit_to(&mut self, sixty_fourths: u64) {
        self.limit = ((self.load(sixty_fourths) + 1) << self.depth) - 1;
    }

    /// How many ids the whole memory may hold before this segment ought to grow.
    #[inline]
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// The tag of the oldest live bucket.
    #[inline]
    fn least(&self, front: u64) -> u8 {
        // The base is below the front from the start, and the front only grows.
        (front - self.base).min(255) as u8
    }

    #[inline]
    fn home(&self, key: u64) -> usize {
        home(key, self.depth, self.homes)
    }

    /// Asks for a key's home line.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        let home = self.home(key);
        on_lines!(&self.lines, lines => if let Some(line) = lines.get(home) {
            prefetch(line);
        });
    }

    #[inline]
    pub(super) fn look(&self, key: u64, front: u64) -> Look {
        let (home, least) = (self.home(key), self.least(front));
        on_lines!(&self.lines, lines => look(lines, home, key, least, self.base))
    }

    /// Finds the key in its home line or keeps it there, if that line alone tells.
    #[inline(always)]
    pub(super) fn quick(&mut self, key: u64, serial: u64, front: u64) -> Quick {
        let (home, least) = (self.home(key), self.least(front));
        let (tag, base) = (serial - self.base, self.base);
        on_lines!(&mut self.lines, lines => quick(lines, home, key, tag, least, base))
    }

    /// Keeps an absent key in a place that [`look`](Self::look) found, or finds one further on. Says whether there was one; if not,
    /// every line in reach is marked as overflown all the same, so that the key is looked for elsewhere.
    #[inline]
    pub(super) fn keep(&mut self, key: u64, at: Option<Place>, serial: u64, front: u64) -> bool {
        if serial - self.base > MAX_TAG {
            self.rebase(front);
        }
        let tag = (serial - self.base) as u8;
        let (home, least) = (self.home(key), self.least(front));
        on_lines!(&mut self.lines, lines => keep(lines, home, key, at, tag, least))
    }

    /// [`keep`](Self::keep) in a new segment, where nothing is dead and no key comes twice.
    #[inline]
    pub(super) fn keep_new(&mut self, key: u64, serial: u64, front: u64) -> bool {
        let home = self.home(key);
        let tag = (serial - self.base).min(MAX_TAG) as u8;
        let kept = on_lines!(&mut self.lines, lines => keep_at_home(lines, home, key, tag));
        kept || self.keep(key, None, serial, front)
    }

    /// Empties a slot.
    pub(super) fn clear(&mut self, at: Place) {
        on_lines!(&mut self.lines, lines => if let Some(line) = lines.get_mut(at.line as usize) {
            line.set_tag(at.slot.into(), 0);
        });
    }

    /// Moves the base up to the oldest live bucket, so that small tags are free for new ones.
    #[cold]
    fn rebase(&mut self, front: u64) {
        let base = front.saturating_sub(1).max(self.base);
        let least = self.least(front);
        // With `least` at 255 every entry is dead, and none is shifted.
        let shift = (base - self.base).min(255) as u8;
        on_lines!(&mut self.lines, lines => for line in lines {
            line.rebase(least, shift);
        });
        self.base = base;
    }

    /// How many entries live.
    pub(super) fn count(&self, front: u64) -> u64 {
        let least = self.least(front);
        on_lines!(&self.lines, lines => lines.iter().map(|line| u64::from(line.live(least).count_ones())).sum())
    }

    /// Calls `each` with every live entry, until it says no.
    #[inline]
    pub(super) fn each(&self, front: u64, mut each: impl FnMut(Entry) -> bool) -> bool {
        let (least, step) = (self.least(front), self.step());
        // The lowest fingerprint whose home is at most `REACH` lines before this one.
        let lowest = |line: usize| {
            let rest = (line.saturating_sub(REACH) as u128 * step) as u64;
            (self.prefix << 1 << (63 - self.depth)) | rest >> self.depth
        };
        on_lines!(&self.lines, lines => entries(lines, least, lowest, |key, tag| {
            each((key, self.base + u64::from(tag)))
        }))
    }

    /// What bounds the fingerprints in a line from below, per line: see [`restore`].
    fn step(&self) -> u128 {
        (1 << 64) / u128::from(self.homes)
    }

    /// Marks a key's whole reach as overflown, since the key is kept elsewhere.
    pub(super) fn mark(&mut self, key: u64, serial: u64, front: u64) {
        let tag = serial.saturating_sub(self.base).clamp(1, MAX_TAG) as u8;
        let (home, least) = (self.home(key), self.least(front));
        on_lines!(&mut self.lines, lines => mark(lines, home, REACH + 1, (key, tag), least));
    }

    pub(super) fn is_narrow(&self) -> bool {
        matches!(self.lines, Lines::Narrow(_))
    }
}

/// The 64 bits of the fingerprint in a slot: the only ones that have its low bits and a home from which it can lie here.
///
/// Its home is at most [`REACH`] lines back, which gives a lower bound; the next fingerprint with the same low bits is out of
/// reach: see [`narrow_is_enough`].
#[inline]
fn restore<L: Line>(line: &L, slot: u32, lowest: u64) -> u64 {
    let kept = line.kept(slot);
    if L::BITS == 64 {
        return kept;
    }
    let key = lowest & !L::MASK | kept;
    if key < lowest {
        key.wrapping_add(L::MASK + 1)
    } else {
        key
    }
}

/// Calls `each` with the fingerprint and tag of every live slot, until it says no.
#[inline]
fn entries<L: Line>(
    lines: &[L],
    least: u8,
    lowest: impl Fn(usize) -> u64,
    mut each: impl FnMut(u64, u8) -> bool,
) -> bool {
    for (number, line) in lines.iter().enumerate() {
        let (mut live, lowest) = (line.live(least), lowest(number));
        while live != 0 {
            let slot = live.trailing_zeros();
            if !each(restore(line, slot, lowest), line.tag(slot)) {
                return false;
            }
            live &= live - 1;
        }
    }
    true
}

fn mark<L: Line>(lines: &mut [L], home: usize, count: usize, (key, tag): (u64, u8), least: u8) {
    for line in lines.iter_mut().skip(home).take(count) {
        line.mark(key, tag, least);
    }
}

#[inline]
fn home(key: u64, depth: u32, homes: u32) -> usize {
    let (rest, homes) = (key << depth, u64::from(homes));
    if cfg!(target_pointer_width = "32") {
        // The same in two halves, as `homes` is small: without a wide multiplication the other way is a call.
        let (high, low) = (rest >> 32, rest & 0xffff_ffff);
        return ((high * homes + ((low * homes) >> 32)) >> 32) as usize;
    }
    ((u128::from(rest) * u128::from(homes)) >> 64) as usize
}

/// Whether 48 bits and the line give back 64: the fingerprints that can lie in one line must span at most 2^48.
pub(super) fn narrow_is_enough(depth: u32, homes: usize) -> bool {
    let per_home = ((1_u128 << 64 >> depth) / homes as u128) + 1;
    // The lower bound of `restore` is off by at most one per line.
    per_home * (REACH as u128 + 1) + (homes as u128) < 1 << Narrow::BITS
}

fn empty<L: Line>(lines: usize) -> Result<Vec<L>, Error> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(lines)
        .map_err(|_| Error::OutOfMemory)?;
    vec.resize(lines, L::EMPTY);
    Ok(vec)
}

#[inline]
fn look<L: Line>(lines: &[L], home: usize, key: u64, least: u8, base: u64) -> Look {
    let Some(line) = lines.get(home) else {
        return Look::Absent {
            at: None,
            spilt: false,
        };
    };
    let live = line.live(least);
    if let Some(slot) = line.find(key, live) {
        return Look::Found {
            serial: base + u64::from(line.tag(slot)),
            at: place(home, slot, true),
        };
    }
    let at = free(line, live, home, true);
    if !line.overflown(key, least) {
        return Look::Absent { at, spilt: false };
    }
    look_beyond(lines, home, key, least, base, at)
}

/// Goes on where the home line has overflown.
#[inline(never)]
fn look_beyond<L: Line>(
    lines: &[L],
    home: usize,
    key: u64,
    least: u8,
    base: u64,
    mut at: Option<Place>,
) -> Look {
    for (number, line) in lines.iter().enumerate().skip(home + 1).take(REACH) {
        let live = line.live(least);
        if let Some(slot) = line.find(key, live) {
            return Look::Found {
                serial: base + u64::from(line.tag(slot)),
                at: place(number, slot, false),
            };
        }
        at = at.or(free(line, live, number, false));
        if !line.overflown(key, least) {
            return Look::Absent { at, spilt: false };
        }
    }
    Look::Absent { at, spilt: true }
}

/// The first free slot of a line.
#[inline]
fn free<L: Line>(_: &L, live: u32, number: usize, home: bool) -> Option<Place> {
    (live & L::ALL != L::ALL).then(|| place(number, live.trailing_ones(), home))
}

#[inline(always)]
fn quick<L: Line>(lines: &mut [L], home: usize, key: u64, tag: u64, least: u8, base: u64) -> Quick {
    let Some(line) = lines.get_mut(home) else {
        return Quick::Unclear;
    };
    let live = line.live(least);
    if let Some(slot) = line.find(key, live) {
        return Quick::Found(base + u64::from(line.tag(slot)));
    }
    if live == L::ALL || line.overflown(key, least) || tag > MAX_TAG {
        return Quick::Unclear;
    }
    let slot = live.trailing_ones();
    line.keep(slot, key);
    line.set_tag(slot, tag as u8);
    Quick::Kept
}

#[inline]
fn put<L: Line>(lines: &mut [L], at: Place, key: u64, tag: u8) {
    if let Some(line) = lines.get_mut(at.line as usize) {
        line.keep(at.slot.into(), key);
        line.set_tag(at.slot.into(), tag);
    }
}

#[inline]
fn keep_at_home<L: Line>(lines: &mut [L], home: usize, key: u64, tag: u8) -> bool {
    let Some(line) = lines.get_mut(home) else {
        return false;
    };
    let live = line.live(1);
    if live == L::ALL {
        return false;
    }
    line.keep(live.trailing_ones(), key);
    line.set_tag(live.trailing_ones(), tag);
    true
}

fn keep<L: Line>(
    lines: &mut [L],
    home: usize,
    key: u64,
    at: Option<Place>,
    tag: u8,
    least: u8,
) -> bool {
    let at = at.or_else(|| {
        let mut reach = lines.iter().enumerate().skip(home).take(REACH + 1);
        reach.find_map(|(number, line)| free(line, line.live(least), number, number == home))
    });
    let passed = at.map_or(REACH + 1, |at| at.line as usize - home);
    mark(lines, home, passed, (key, tag), least);
    let Some(at) = at else { return false };
    put(lines, at, key, tag);
    true
}

fn place(line: usize, slot: u32, home: bool) -> Place {
    Place {
        line: line as u32,
        slot: slot as u16,
        home,
    }
}
