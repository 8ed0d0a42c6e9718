//! This crate's calls, and the designs beside them.

pub(crate) mod ours;
pub(crate) mod reference;
mod touch;

use std::collections::HashSet;

use crate::stream::{Event, Load};
use ours::{Layer, Ours};
use reference::{Identity, Reference};
use touch::Touch;

pub(crate) trait Design<I = u64> {
    /// Without a comma, since it becomes a field of a file of comma-separated values.
    fn name(&self) -> &'static str;
    /// How many of the events were first.
    fn run(&mut self, events: &[Event<I>]) -> u64;
    /// How many ids it remembers.
    fn held(&mut self) -> u64;
    /// Whether it finds the duplicates of W1, whose redeliveries come within half a window: all of them, and no others.
    fn exact(&self) -> bool {
        true
    }
}

pub(crate) type Maker<I = u64> = fn(Load) -> Box<dyn Design<I>>;

pub(crate) const STD: Maker = |load| {
    Box::new(Reference::<HashSet<u64>>::new(
        "(a) std HashSet + VecDeque",
        load,
    ))
};
pub(crate) const IDENTITY: Maker = |load| {
    Box::new(Reference::<hashbrown::HashSet<u64, Identity>>::new(
        "(b) hashbrown and identity hash + VecDeque",
        load,
    ))
};
pub(crate) const RECORD: Maker = |load| Box::new(Ours::new("memory: record", load, Layer::Memory));
pub(crate) const RECORD_MANY: Maker = |load| {
    Box::new(Ours::new(
        "memory: record_many by 256",
        load,
        Layer::MemoryMany,
    ))
};
pub(crate) const FIRST_SEEN: Maker =
    |load| Box::new(Ours::new("public: first_seen", load, Layer::Public));
pub(crate) const FIRST_SEEN_MANY: Maker = |load| {
    Box::new(Ours::new(
        "public: first_seen_many by 256",
        load,
        Layer::PublicMany,
    ))
};
const CLAIM: Maker = |load| Box::new(Ours::new("public: claim and commit", load, Layer::Claims));
const RECORD_CAPPED: Maker = |load| {
    Box::new(Ours::capped(
        "memory with `max_ids`: record",
        load,
        Layer::Memory,
    ))
};
const RECORD_MANY_CAPPED: Maker = |load| {
    Box::new(Ours::capped(
        "memory with `max_ids`: record_many by 256",
        load,
        Layer::MemoryMany,
    ))
};
const LIMIT: Maker = |_| Box::new(Touch::new(8 << 20));

pub(crate) const ALL: [Maker; 10] = [
    STD,
    IDENTITY,
    RECORD,
    RECORD_MANY,
    FIRST_SEEN,
    FIRST_SEEN_MANY,
    CLAIM,
    RECORD_CAPPED,
    RECORD_MANY_CAPPED,
    LIMIT,
];
