//! Random streams against a model that is written from the promise: an id accepted at t is forgotten once
//! floor(clock / b) ≥ floor(t / b) + N, with N = ceil(W / b) + 1.

mod common;

use std::collections::HashMap;

use common::Folder;

/// A generator of numbers that anyone can repeat: xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[derive(Default)]
struct Expected {
    first: String,
    duplicate: String,
    late: String,
}

struct Model {
    bucket: u64,
    buckets: u64,
    max_lateness: Option<u64>,
    clock: u64,
    accepted: HashMap<u64, u64>,
}

impl Model {
    fn judge<'a>(&mut self, id: u64, at: u64, expected: &'a mut Expected) -> &'a mut String {
        self.clock = self.clock.max(at);
        let head = self.clock / self.bucket;
        if self
            .accepted
            .get(&id)
            .is_some_and(|time| head < time / self.bucket + self.buckets)
        {
            return &mut expected.duplicate;
        }
        if self.max_lateness.is_some_and(|most| self.clock - at > most) {
            return &mut expected.late;
        }
        self.accepted.insert(id, self.clock);
        &mut expected.first
    }
}

fn stream(seed: u64) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
    let window = 1 + random.below(5_000);
    let bucket = window.div_ceil(1 + random.below(200));
    let max_lateness = (random.below(2) == 0).then(|| random.below(2 * window));
    let ids = 1 + random.below(300);
    let mut model = Model {
        bucket,
        buckets: window.div_ceil(bucket) + 1,
        max_lateness,
        clock: 0,
        accepted: HashMap::new(),
    };
    let (mut input, mut expected) = (String::new(), Expected::default());
    let mut now = 1_000_000_000_000_u64;
    for _ in 0..5_000 {
        now += match random.below(1000) {
            0 => random.below(3 * window),
            _ => random.below(1 + window / 50),
        };
        let at = match random.below(10) {
            0 => now - random.below(4 * window),
            1 => now - random.below(1_000_000_000),
            _ => now,
        };
        let id = random.below(ids);
        let line = format!("{{\"at\":{at},\"data\":{{\"id\":{id}}}}}\n");
        input.push_str(&line);
        model.judge(id, at, &mut expected).push_str(&line);
    }

    let folder = Folder::new();
    let mut arguments = format!(
        "--id data.id --time at --window {window}ms --bucket {bucket}ms --duplicates again"
    );
    if let Some(max_lateness) = max_lateness {
        arguments.push_str(&format!(" --max-lateness {max_lateness}ms --late late"));
    }
    let ran = folder.run(&arguments, input).ok();
    let lines = |text: &str| text.lines().count() as u64;
    ran.counts(&[
        ("lines", 5_000),
        ("first", lines(&expected.first)),
        ("duplicate", lines(&expected.duplicate)),
        ("late", lines(&expected.late)),
    ]);
    assert!(
        ran.stdout == expected.first,
        "firsts differ, seed {seed}, {arguments}"
    );
    assert!(
        folder.read("again") == expected.duplicate,
        "duplicates differ, seed {seed}, {arguments}"
    );
    if max_lateness.is_some() {
        assert!(
            folder.read("late") == expected.late,
            "late differ, seed {seed}, {arguments}"
        );
    }
}

#[test]
fn random_streams_are_judged_as_the_model_does() {
    for seed in 0..60 {
        stream(seed);
    }
}
