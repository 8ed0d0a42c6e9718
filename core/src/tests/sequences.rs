//! Sequences and a naive twin, by random operations: producers in a list, every number seen in a set.

use alloc::vec::Vec;
use std::collections::BTreeSet;
use std::println;

use super::operations::{operations, Random};
use crate::{Millis, Now, SequenceStats, SequenceVerdict, Sequences, SequencesConfig};

struct Producer {
    id: u64,
    epoch: u64,
    seen: BTreeSet<u64>,
    contact: i64,
}

/// The rules of `DESIGN.md` word for word. The list is in the order of contacts, oldest first.
struct Naive {
    config: SequencesConfig,
    producers: Vec<Producer>,
    time: Option<i64>,
    suspect: Option<i64>,
    counts: SequenceStats,
}

impl Naive {
    fn tell(&mut self, now: i64) {
        let Some(idle) = self.config.idle else {
            return;
        };
        let idle = idle.0 as i64;
        let b = (idle + 59) / 60;
        let n = (idle + b - 1) / b + 1;
        let time = self.time.unwrap_or(now);
        let start = time - time.rem_euclid(b);
        if now >= start {
            self.suspect = None;
            self.time = Some(time.max(now));
        } else if start - now <= n * b {
            self.suspect = None;
            self.counts.clock_regressions += 1;
        } else if self.suspect.is_some_and(|suspect| now >= suspect + b) {
            for producer in &mut self.producers {
                producer.contact += now - time;
            }
            (self.time, self.suspect) = (Some(now), None);
            self.counts.clock_resets += 1;
        } else {
            self.suspect.get_or_insert(now);
            self.counts.clock_regressions += 1;
        }
        let (time, before) = (self.time.unwrap(), self.producers.len());
        self.producers
            .retain(|producer| time - producer.contact <= idle);
        self.counts.expired += (before - self.producers.len()) as u64;
    }

    fn observe(&mut self, id: u64, seq: u64, epoch: u64, now: u64) -> SequenceVerdict {
        self.tell(now as i64);
        let contact = self.time.unwrap_or(0);
        let known = self.producers.iter().position(|it| it.id == id);
        let mut producer = match known {
            Some(place) => self.producers.remove(place),
            None => {
                if Some(self.producers.len() as u64) == self.config.max_producers {
                    self.producers.remove(0);
                    self.counts.evicted += 1;
                }
                Producer {
                    id,
                    epoch,
                    seen: BTreeSet::new(),
                    contact,
                }
            }
        };
        producer.contact = contact;
        let verdict = self.judge(&mut producer, seq, epoch);
        self.producers.push(producer);
        self.counts.checked += 1;
        match verdict {
            SequenceVerdict::First { gap } => {
                self.counts.first += 1;
                self.counts.gaps += u64::from(gap > 0);
            }
            SequenceVerdict::Duplicate => self.counts.duplicate += 1,
            SequenceVerdict::Stale => self.counts.stale += 1,
            SequenceVerdict::Fenced => self.counts.fenced += 1,
        }
        verdict
    }

    fn judge(&self, producer: &mut Producer, seq: u64, epoch: u64) -> SequenceVerdict {
        if epoch < producer.epoch {
            return SequenceVerdict::Fenced;
        }
        if epoch > producer.epoch {
            producer.epoch = epoch;
            producer.seen.clear();
        }
        let Some(high) = producer.seen.last().copied() else {
            producer.seen.insert(seq);
            return SequenceVerdict::First { gap: 0 };
        };
        // The window is [high - width + 1, high]; at width 0 only the mark itself is known.
        if seq < high && u128::from(seq) + u128::from(self.config.width) <= u128::from(high) {
            return SequenceVerdict::Stale;
        }
        if !producer.seen.insert(seq) {
            return SequenceVerdict::Duplicate;
        }
        SequenceVerdict::First {
            gap: seq.saturating_sub(high).saturating_sub(1),
        }
    }

    fn forget(&mut self, id: u64) -> bool {
        let known = self.producers.iter().position(|it| it.id == id);
        if let Some(place) = known {
            self.producers.remove(place);
            self.counts.forgotten += 1;
        }
        known.is_some()
    }

    fn stats(&self, now: u64) -> SequenceStats {
        let as_of = (now as i64).max(self.time.unwrap_or(0));
        let gone = match self.config.idle {
            Some(idle) => {
                let old = |it: &&Producer| as_of - it.contact > idle.0 as i64;
                self.producers.iter().filter(old).count() as u64
            }
            None => 0,
        };
        SequenceStats {
            expired: self.counts.expired + gone,
            held: self.producers.len() as u64 - gone,
            max_producers: self.config.max_producers,
            width: self.config.width,
            idle_ms: self.config.idle.map(|idle| idle.0),
            ..self.counts
        }
    }
}

fn config(random: &mut Random<'_>) -> SequencesConfig {
    let width = random.pick(&[0, 1, 2, 63, 64, 65, 100, 127, 128, 129, 192, 1000, 65_536]);
    let mut config = Sequences::with_width(width);
    if random.below(2) == 0 {
        config = config.max_producers(random.pick(&[1, 2, 3, 10, 100]));
    }
    if random.below(2) == 0 {
        config = config.idle(Millis(random.pick(&[1, 2, 59, 60, 61, 1000, 60_000])));
    }
    config
}

/// The next number: about the mark, about the bitmap's lower edge, at words' borders, or anywhere; 0 and 2^64−1 too.
fn next_seq(random: &mut Random<'_>, mark: &mut u64, width: u64) -> u64 {
    let about = |mark: u64, random: &mut Random<'_>, by: u64| {
        mark.saturating_add(random.below(2 * by + 1))
            .saturating_sub(by)
    };
    let seq = match random.below(40) {
        0..=13 => mark.saturating_add(1),
        14..=19 => mark.saturating_add(random.below(5)),
        20..=23 => about(*mark, random, 70),
        24..=28 => about(mark.saturating_sub(width), random, 3),
        29..=31 => mark.saturating_sub(random.below(width + 2)),
        32 => mark.saturating_add(width + random.below(4)),
        33 => mark.saturating_add(width.next_multiple_of(64) + 3 - random.below(4)),
        34 => (*mark | 63).saturating_add(random.below(3)),
        35 => random.pick(&[0, 1, 63, 64, u64::MAX - 64, u64::MAX - 1, u64::MAX]),
        36 => random.next(),
        37 => random.below(3 * width + 3),
        _ => *mark,
    };
    // What the operations hover about need not be the mark exactly; now and then they start low again.
    *mark = match random.below(300) {
        0 => random.below(1000),
        1 => u64::MAX - random.below(200),
        _ if random.below(8) > 0 => (*mark).max(seq),
        _ => *mark,
    };
    seq
}

fn next_now(random: &mut Random<'_>, now: u64, idle: u64) -> u64 {
    match random.below(40) {
        0..=24 => now,
        25..=30 => now + random.below(idle / 60 + 2),
        31 | 32 => now + random.below(idle + 2),
        33 => now + idle + random.below(3) - 1,
        34 => now + random.below(4 * idle),
        35 | 36 => now.saturating_sub(random.below(idle / 30 + 2)),
        37 => now.saturating_sub(random.below(idle + 2)),
        38 => now.saturating_sub(idle + random.below(4 * idle)),
        _ => random.below(20 * idle),
    }
}

fn run(seed: u64, operations: u64) {
    let mut random = Random::Seed(seed);
    let config = config(&mut random);
    let mut sequences = config.clone().build().unwrap();
    let mut naive = Naive {
        config: config.clone(),
        producers: Vec::new(),
        time: None,
        suspect: None,
        counts: SequenceStats::default(),
    };
    let pool = random.pick(&[1, 3, 20, 300]);
    let epochs = random.pick(&[1, 1, 3, 50]);
    let idle = config.idle.map_or(100, |idle| idle.0);
    let mut now = random.pick(&[0, 1, 1_000_000]);
    let mut mark = random.pick(&[0, 5, 1 << 40, u64::MAX - 100]);
    for operation in 0..operations {
        let context = || std::format!("seed {seed}, operation {operation}, {config:?}");
        now = next_now(&mut random, now, idle);
        let id = random.below(pool);
        match random.below(32) {
            0 => assert_eq!(sequences.forget(id), Ok(naive.forget(id)), "{}", context()),
            1 | 2 => {
                let mut got = sequences.stats(Millis(now)).unwrap();
                got.memory_bytes = 0;
                assert_eq!(got, naive.stats(now), "{}", context());
            }
            _ => {
                // Epochs grow with time, and lag now and then.
                let reached = operation * epochs / operations;
                let epoch = match random.below(20) {
                    0 => random.below(reached + 1),
                    1 if epochs > 1 && random.below(40) == 0 => u64::MAX - random.below(2),
                    _ => reached,
                };
                let seq = next_seq(&mut random, &mut mark, config.width);
                let got = sequences.observe(id, seq, epoch, Millis(now));
                let wanted = naive.observe(id, seq, epoch, now);
                assert_eq!(got, Ok(wanted), "{} of {seq}, epoch {epoch}", context());
            }
        }
        if operation % 64 == 0 {
            sequences.validate();
        }
        let len = naive.producers.len() as u64;
        assert_eq!(sequences.len(), len, "{}", context());
    }
}

#[test]
fn sequences_and_their_naive_twin_agree_on_random_operations() {
    let runs = (operations() * 3 / 2_000).max(1);
    println!("{runs} runs of 2000 operations, seeds 0 to {}", runs - 1);
    for seed in 0..runs {
        run(seed, 2_000);
    }
}

/// A burst of producers goes, and most of its memory with it; those that stay keep their state.
#[test]
fn memory_falls_after_a_burst_and_the_rest_is_remembered() {
    let mut sequences = Sequences::with_width(64)
        .idle(Millis(1_000))
        .build()
        .unwrap();
    let bytes = |sequences: &Sequences| sequences.stats(Now::Unsaid).unwrap().memory_bytes;
    for producer in 0..100_000_u64 {
        let now = Millis(u64::from(producer % 100 == 0) * 500);
        assert!(sequences.first_seen(producer, producer, 1, now).unwrap());
    }
    let most = bytes(&sequences);
    assert!(most < 100 * 100_000, "{most} bytes");
    assert!(sequences.first_seen("last", 0, 1, Millis(1_400)).unwrap());
    // Window time was 500 from the first producer on, so all of them are there.
    assert_eq!(sequences.len(), 100_001);
    for producer in (0..100_000_u64).step_by(100) {
        let again = sequences.first_seen(producer, producer, 1, Millis(1_400));
        assert!(!again.unwrap());
    }
    assert!(!sequences.first_seen("last", 0, 1, Millis(1_501)).unwrap());
    assert_eq!(sequences.len(), 1_001);
    let least = bytes(&sequences);
    assert!(least < most / 40, "{least} of {most} bytes");
    sequences.validate();
    for producer in (0..100_000_u64).step_by(100) {
        let again = sequences.first_seen(producer, producer, 1, Millis(1_501));
        assert!(!again.unwrap());
    }
}

#[test]
fn a_refused_call_changes_nothing() {
    let mut sequences = Sequences::with_width(64).idle(Millis(60)).build().unwrap();
    sequences.first_seen("a", 5, 1, Millis(10)).unwrap();
    let before = sequences.stats(Millis(10)).unwrap();
    let refused = [
        sequences.first_seen("", 6, 1, Millis(1_000)),
        sequences.first_seen("a", 6, 1, Millis(1 << 53)),
        sequences.first_seen("a", 6, 1, Now::Clock(Millis(1_000))),
        sequences.first_seen("a", 6, 1, Now::Unsaid),
    ];
    let codes = refused.map(|answer| answer.unwrap_err().code());
    assert_eq!(
        codes,
        ["empty_id", "invalid_time", "invalid_time", "invalid_time"]
    );
    assert_eq!(sequences.stats(Millis(10)).unwrap(), before);
    assert!(sequences.first_seen("a", 6, 1, Millis(20)).unwrap());
}
