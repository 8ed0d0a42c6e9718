//! This crate's calls, and the designs beside them.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::hint::black_box;

use firstseen::{Fingerprint, Key, Millis, Now, Window};

use super::stream::Event;

pub(crate) trait Design {
    fn name(&self) -> &'static str;
    /// How many of the events were first.
    fn run(&mut self, events: &[Event]) -> u64;
    fn held_and_bytes(&self) -> (u64, u64);
    fn exact(&self) -> bool {
        true
    }
}

pub(crate) fn all(window_ms: u64) -> Vec<Box<dyn Design>> {
    let bucket = window_ms.div_ceil(60);
    vec![
        Box::new(Reference::<HashSet<u64>>::new(
            "(a) std HashSet + VecDeque",
            bucket,
        )),
        Box::new(Reference::<hashbrown::HashSet<u64, Identity>>::new(
            "(b) hashbrown, identity hash + VecDeque",
            bucket,
        )),
        Box::new(Ours::new(
            "memory: record, one at a time",
            window_ms,
            Layer::Memory,
        )),
        Box::new(Ours::new(
            "memory: record_many, 256 a call",
            window_ms,
            Layer::MemoryMany,
        )),
        Box::new(Ours::new(
            "public: first_seen, one at a time",
            window_ms,
            Layer::Public,
        )),
        Box::new(Ours::new(
            "public: first_seen_many, 256 a call",
            window_ms,
            Layer::PublicMany,
        )),
        Box::new(Ours::capped(
            "memory, `max_ids`: record, one at a time",
            window_ms,
            Layer::Memory,
        )),
        Box::new(Ours::capped(
            "memory, `max_ids`: record_many, 256 a call",
            window_ms,
            Layer::MemoryMany,
        )),
        Box::new(Touch::new(8 << 20)),
    ]
}

/// What the reference design keeps ids in.
trait Set: Default {
    fn add(&mut self, id: u64) -> bool;
    fn take(&mut self, id: u64);
    fn size(&self) -> usize;
    fn slots(&self) -> usize;
}

impl Set for HashSet<u64> {
    fn add(&mut self, id: u64) -> bool {
        self.insert(id)
    }
    fn take(&mut self, id: u64) {
        self.remove(&id);
    }
    fn size(&self) -> usize {
        self.len()
    }
    fn slots(&self) -> usize {
        self.capacity() / 7 * 8
    }
}

impl Set for hashbrown::HashSet<u64, Identity> {
    fn add(&mut self, id: u64) -> bool {
        self.insert(id)
    }
    fn take(&mut self, id: u64) {
        self.remove(&id);
    }
    fn size(&self) -> usize {
        self.len()
    }
    fn slots(&self) -> usize {
        self.capacity() / 7 * 8
    }
}

type Identity = BuildHasherDefault<AsIs>;

#[derive(Default)]
pub(crate) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {}
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// A set of ids and a list of them per bucket: the usual exact design.
struct Reference<S> {
    name: &'static str,
    bucket_ms: u64,
    set: S,
    buckets: VecDeque<Vec<u64>>,
    head: u64,
}

impl<S: Set> Reference<S> {
    fn new(name: &'static str, bucket_ms: u64) -> Self {
        Self {
            name,
            bucket_ms,
            set: S::default(),
            buckets: VecDeque::from([Vec::new()]),
            head: 0,
        }
    }
}

impl<S: Set> Design for Reference<S> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, events: &[Event]) -> u64 {
        let mut firsts = 0;
        for (id, now) in events {
            let head = now / self.bucket_ms;
            while self.head < head {
                self.head += 1;
                self.buckets.push_back(Vec::new());
                if self.buckets.len() > 61 {
                    for id in self.buckets.pop_front().unwrap_or_default() {
                        self.set.take(id);
                    }
                }
            }
            if self.set.add(*id) {
                firsts += 1;
                self.buckets.back_mut().unwrap().push(*id);
            }
        }
        firsts
    }

    fn held_and_bytes(&self) -> (u64, u64) {
        let lists: usize = self.buckets.iter().map(Vec::capacity).sum();
        // A slot is the id and one byte of control.
        (
            self.set.size() as u64,
            (self.set.slots() * 9 + lists * 8) as u64,
        )
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Layer {
    Memory,
    MemoryMany,
    Public,
    PublicMany,
}

struct Ours {
    name: &'static str,
    window: Window,
    layer: Layer,
    prints: Vec<Key>,
}

impl Ours {
    fn new(name: &'static str, window_ms: u64, layer: Layer) -> Self {
        Self {
            name,
            window: Window::exact(Millis(window_ms)).build().unwrap(),
            layer,
            prints: Vec::new(),
        }
    }
}

impl Ours {
    /// With a cap, which makes the memory dense; at W1's default load it is never met.
    fn capped(name: &'static str, window_ms: u64, layer: Layer) -> Self {
        let config = Window::exact(Millis(window_ms)).max_ids(6_000_000);
        Self {
            window: config.build().unwrap(),
            ..Self::new(name, window_ms, layer)
        }
    }
}

/// The id itself as its fingerprint: what the memory costs without the hash.
fn unhashed(id: u64) -> Key {
    Fingerprint::from_bytes(u128::from(id).to_le_bytes()).key()
}

impl Design for Ours {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, events: &[Event]) -> u64 {
        let mut firsts = 0;
        let window = &mut self.window;
        match self.layer {
            Layer::Memory => {
                for (id, now) in events {
                    let verdict = window.record(unhashed(*id), Millis(*now), None);
                    firsts += u64::from(verdict.unwrap().is_first());
                }
            }
            Layer::Public => {
                for (id, now) in events {
                    firsts += u64::from(window.first_seen(*id, Millis(*now)).unwrap());
                }
            }
            Layer::MemoryMany => {
                for events in events.chunks(256) {
                    self.prints.clear();
                    self.prints
                        .extend(events.iter().map(|(id, _)| unhashed(*id)));
                    let now = Millis(events[0].1);
                    let sink =
                        |verdict: firstseen::Verdict| firsts += u64::from(verdict.is_first());
                    window.record_many(&self.prints, now, sink).unwrap();
                }
            }
            Layer::PublicMany => {
                for events in events.chunks(256) {
                    let ids = events.iter().map(|(id, _)| *id);
                    let answers = window.first_seen_many(ids, Millis(events[0].1)).unwrap();
                    firsts += answers.iter().filter(|first| **first).count() as u64;
                }
            }
        }
        firsts
    }

    fn held_and_bytes(&self) -> (u64, u64) {
        let stats = self.window.stats(Now::Unsaid).unwrap();
        (stats.held, stats.memory_bytes)
    }

    fn exact(&self) -> bool {
        // A batch has the time of its first event, so a bucket's edge can fall elsewhere.
        matches!(self.layer, Layer::Memory | Layer::Public) && !self.name.contains("max_ids")
    }
}

/// The physical limit: a random 64-byte line, read and written, prefetched 32 ahead.
struct Touch {
    lines: Vec<[u64; 8]>,
}

impl Touch {
    fn new(lines: usize) -> Self {
        Self {
            lines: vec![[0; 8]; lines / 8],
        }
    }
}

impl Design for Touch {
    fn name(&self) -> &'static str {
        "limit: one random line read, changed and written, prefetched"
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

    fn held_and_bytes(&self) -> (u64, u64) {
        (0, self.lines.len() as u64 * 64)
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
