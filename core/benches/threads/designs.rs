//! What threads can share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

use dashmap::{DashMap, Entry};
use firstseen::{Millis, ShardedWindow, Window};

use super::stream::Event;

pub(crate) trait Design: Sync {
    fn name(&self) -> String;
    /// How many of the events were first.
    fn run(&self, events: &[Event]) -> u64;
}

/// Each design with the number of threads that it is run by.
pub(crate) fn all(window_ms: u64, threads: usize) -> Vec<(usize, Box<dyn Design>)> {
    let config = || Window::exact(Millis(window_ms));
    let mut all: Vec<(usize, Box<dyn Design>)> = Vec::new();
    for batch in [1, 256] {
        let plain = Mutex::new(config().build().unwrap());
        all.push((1, Box::new(Plain(plain, batch))));
        for shards in [16, 64] {
            for threads in [1, threads] {
                let window = config().build_sharded(shards).unwrap();
                all.push((threads, Box::new(Sharded(window, batch))));
            }
        }
    }
    let locked = || Locked(Mutex::new(config().build().unwrap()));
    all.push((threads, Box::new(locked())));
    for threads in [1, threads] {
        all.push((threads, Box::new(Times::new(window_ms))));
    }
    all
}

/// Calls `one` with each event, or `many` with each run of so many, and counts the firsts.
fn drive(
    events: &[Event],
    batch: usize,
    mut one: impl FnMut(u64, Millis) -> bool,
    mut many: impl FnMut(&[Event], Millis) -> Vec<bool>,
) -> u64 {
    if batch == 1 {
        let firsts = events.iter().filter(|(id, now)| one(*id, Millis(*now)));
        return firsts.count() as u64;
    }
    let runs = events.chunks(batch);
    let answers = runs.flat_map(|run| many(run, Millis(run[0].1)));
    answers.filter(|first| *first).count() as u64
}

fn ids(events: &[Event]) -> impl Iterator<Item = u64> + '_ {
    events.iter().map(|(id, _)| *id)
}

fn calls(batch: usize) -> String {
    match batch {
        1 => "one at a time".to_owned(),
        batch => format!("{batch} a call"),
    }
}

/// A plain window, by one thread that takes its lock once a turn.
struct Plain(Mutex<Window>, usize);

impl Design for Plain {
    fn name(&self) -> String {
        format!("`Window`, {}", calls(self.1))
    }

    fn run(&self, events: &[Event]) -> u64 {
        let window = &mut *self.0.lock().unwrap();
        let window = std::cell::RefCell::new(window);
        drive(
            events,
            self.1,
            |id, now| window.borrow_mut().first_seen(id, now).unwrap(),
            |run, now| window.borrow_mut().first_seen_many(ids(run), now).unwrap(),
        )
    }
}

struct Sharded(ShardedWindow, usize);

impl Design for Sharded {
    fn name(&self) -> String {
        format!(
            "`ShardedWindow`, {} shards, {}",
            self.0.shards(),
            calls(self.1)
        )
    }

    fn run(&self, events: &[Event]) -> u64 {
        drive(
            events,
            self.1,
            |id, now| self.0.first_seen(id, now).unwrap(),
            |run, now| self.0.first_seen_many(ids(run), now).unwrap(),
        )
    }
}

/// A plain window behind one lock, which every call takes.
struct Locked(Mutex<Window>);

impl Design for Locked {
    fn name(&self) -> String {
        "`Mutex<Window>`, one at a time".to_owned()
    }

    fn run(&self, events: &[Event]) -> u64 {
        let first = |(id, now): &&Event| {
            let mut window = self.0.lock().unwrap();
            window.first_seen(*id, Millis(*now)).unwrap()
        };
        events.iter().filter(first).count() as u64
    }
}

/// A concurrent map of times, swept once a window: what a program would have without this crate. Its hash is that of std.
struct Times {
    times: DashMap<u64, u64>,
    window_ms: u64,
    swept: AtomicU64,
}

impl Times {
    fn new(window_ms: u64) -> Self {
        Self {
            times: DashMap::new(),
            window_ms,
            swept: AtomicU64::new(0),
        }
    }

    fn first_seen(&self, id: u64, now: u64) -> bool {
        let swept = self.swept.load(Ordering::Relaxed);
        if now >= swept + self.window_ms {
            let mine =
                self.swept
                    .compare_exchange(swept, now, Ordering::Relaxed, Ordering::Relaxed);
            if mine.is_ok() {
                self.times.retain(|_, time| *time + self.window_ms >= now);
            }
        }
        match self.times.entry(id) {
            Entry::Occupied(mut entry) => {
                let first = *entry.get() + self.window_ms < now;
                if first {
                    entry.insert(now);
                }
                first
            }
            Entry::Vacant(entry) => {
                entry.insert(now);
                true
            }
        }
    }
}

impl Design for Times {
    fn name(&self) -> String {
        "`DashMap` of times, swept once a window".to_owned()
    }

    fn run(&self, events: &[Event]) -> u64 {
        let first = |(id, now): &&Event| self.first_seen(*id, *now);
        events.iter().filter(first).count() as u64
    }
}
