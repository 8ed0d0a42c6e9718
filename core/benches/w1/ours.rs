//! This crate's window, called in four ways.

use firstseen::{Fingerprint, Id, Key, Millis, Now, Verdict, Window};

use super::Design;
use crate::stream::{Event, Load};

/// How many events a call of the batches has.
const BATCH: usize = 256;

/// Which calls: those of the memory alone take a fingerprint, the public ones compute it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Layer {
    Memory,
    MemoryMany,
    Public,
    PublicMany,
    Claims,
}

pub(crate) struct Ours {
    name: &'static str,
    window: Window,
    layer: Layer,
    keys: Vec<Key>,
}

impl Ours {
    pub(crate) fn new(name: &'static str, load: Load, layer: Layer) -> Self {
        let config = Window::exact(Millis(load.window_ms));
        Self {
            name,
            window: config.build().unwrap(),
            layer,
            keys: Vec::new(),
        }
    }

    /// With a cap, which makes the memory dense; it is never met.
    pub(crate) fn capped(name: &'static str, load: Load, layer: Layer) -> Self {
        let config = Window::exact(Millis(load.window_ms)).max_ids(load.held() * 11 / 10);
        Self {
            window: config.build().unwrap(),
            ..Self::new(name, load, layer)
        }
    }

    fn remembered(&self) -> u64 {
        self.window.stats(Now::Unsaid).unwrap().held
    }
}

/// How many of the events `first_seen` answers with true.
#[inline(always)]
fn one_at_a_time<'a, E, I: Into<Id<'a>>>(
    window: &mut Window,
    events: &'a [Event<E>],
    id: impl Fn(&'a E) -> I,
) -> u64 {
    let mut firsts = 0;
    for (event, now) in events {
        firsts += u64::from(window.first_seen(id(event), Millis(*now)).unwrap());
    }
    firsts
}

/// How many of the events could be claimed, and were committed.
#[inline(always)]
fn claimed<'a, E, I: Into<Id<'a>>>(
    window: &mut Window,
    events: &'a [Event<E>],
    id: impl Fn(&'a E) -> I,
) -> u64 {
    let mut firsts = 0;
    for (event, now) in events {
        let claim = window.claim(id(event), Millis(30_000), Millis(*now), None);
        if let Some(token) = claim.unwrap().token {
            window.commit(token, Millis(*now)).unwrap();
            firsts += 1;
        }
    }
    firsts
}

/// The same of `first_seen_many`.
#[inline(always)]
fn in_batches<'a, E, I: Into<Id<'a>>>(
    window: &mut Window,
    events: &'a [Event<E>],
    id: impl Fn(&'a E) -> I,
) -> u64 {
    let mut firsts = 0;
    for events in events.chunks(BATCH) {
        let ids = events.iter().map(|event| id(&event.0));
        let answers = window.first_seen_many(ids, Millis(events[0].1)).unwrap();
        firsts += answers.iter().filter(|first| **first).count() as u64;
    }
    firsts
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
            Layer::MemoryMany => {
                for events in events.chunks(BATCH) {
                    self.keys.clear();
                    self.keys.extend(events.iter().map(|(id, _)| unhashed(*id)));
                    let now = Millis(events[0].1);
                    let sink = |verdict: Verdict| firsts += u64::from(verdict.is_first());
                    window.record_many(&self.keys, now, sink).unwrap();
                }
            }
            Layer::Public => firsts = one_at_a_time(window, events, |id| *id),
            Layer::PublicMany => firsts = in_batches(window, events, |id| *id),
            Layer::Claims => firsts = claimed(window, events, |id| *id),
        }
        firsts
    }

    fn held(&mut self) -> u64 {
        self.remembered()
    }
}

/// Texts go through the public calls, whatever the layer.
impl Design<String> for Ours {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, events: &[Event<String>]) -> u64 {
        match self.layer {
            Layer::Memory | Layer::Public => {
                one_at_a_time(&mut self.window, events, String::as_str)
            }
            Layer::MemoryMany | Layer::PublicMany => {
                in_batches(&mut self.window, events, String::as_str)
            }
            Layer::Claims => claimed(&mut self.window, events, String::as_str),
        }
    }

    fn held(&mut self) -> u64 {
        self.remembered()
    }
}
