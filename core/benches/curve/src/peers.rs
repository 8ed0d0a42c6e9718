//! What people use instead, beside the reference designs.
//!
//! Two of them read the machine's clock, which cannot follow simulated time. They are given a time to live that never ends
//! within the benchmark, and room for as many ids as a window holds: each new id then drives out the oldest, so that they hold
//! what the others hold, and do for each event what they would do under a time to live.
//! `quick_cache` is absent, since its entries do not expire; `mini-moka` too, since it may refuse a new id in favour of older ones.

use std::collections::hash_map::Entry;
use std::collections::HashMap;
use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use ttl_cache::TtlCache;

use crate::designs::{Design, Maker};
use crate::stream::{Event, Load};

pub(crate) const SWEPT_MAP: Maker = |load| Box::new(SweptMap::new(load));
pub(crate) const TTL_CACHE: Maker = |load| Box::new(Ttl(TtlCache::new(load.held() as usize)));
pub(crate) const MOKA: Maker = |load| {
    let cache = Cache::builder()
        .max_capacity(load.held())
        .eviction_policy(EvictionPolicy::lru())
        .time_to_live(NEVER)
        .build();
    Box::new(Moka(cache))
};

const NEVER: Duration = Duration::from_secs(24 * 60 * 60);

/// The bucket of each id, looked at on lookup; once a window all that have expired are taken out.
struct SweptMap {
    bucket_ms: u64,
    map: HashMap<u64, u64>,
    head: u64,
    swept: u64,
}

impl SweptMap {
    fn new(load: Load) -> Self {
        Self {
            bucket_ms: load.bucket_ms(),
            map: HashMap::new(),
            head: 0,
            swept: 0,
        }
    }
}

/// In the reference, 61 buckets are alive.
fn alive(bucket: u64, head: u64) -> bool {
    head - bucket < 61
}

impl Design for SweptMap {
    fn name(&self) -> &'static str {
        "std HashMap with times; swept once a window"
    }

    fn run(&mut self, events: &[Event]) -> u64 {
        let mut firsts = 0;
        for (id, now) in events {
            self.head = now / self.bucket_ms;
            if self.head - self.swept >= 60 {
                self.map.retain(|_, bucket| alive(*bucket, self.head));
                self.swept = self.head;
            }
            match self.map.entry(*id) {
                Entry::Occupied(entry) if alive(*entry.get(), self.head) => {}
                Entry::Occupied(mut entry) => {
                    entry.insert(self.head);
                    firsts += 1;
                }
                Entry::Vacant(entry) => {
                    entry.insert(self.head);
                    firsts += 1;
                }
            }
        }
        firsts
    }

    fn held(&mut self) -> u64 {
        let buckets = self.map.values();
        buckets.filter(|bucket| alive(**bucket, self.head)).count() as u64
    }
}

struct Moka(Cache<u64, ()>);

impl Design for Moka {
    fn name(&self) -> &'static str {
        "moka sync Cache"
    }

    fn run(&mut self, events: &[Event]) -> u64 {
        let mut firsts = 0;
        for (id, _) in events {
            // Two calls, since `entry` takes a lock more and is slower.
            if !self.0.contains_key(id) {
                self.0.insert(*id, ());
                firsts += 1;
            }
        }
        firsts
    }

    fn held(&mut self) -> u64 {
        self.0.run_pending_tasks();
        self.0.entry_count()
    }
}

struct Ttl(TtlCache<u64, ()>);

impl Design for Ttl {
    fn name(&self) -> &'static str {
        "ttl_cache TtlCache"
    }

    fn run(&mut self, events: &[Event]) -> u64 {
        let mut firsts = 0;
        for (id, _) in events {
            if !self.0.contains_key(id) {
                self.0.insert(*id, (), NEVER);
                firsts += 1;
            }
        }
        firsts
    }

    fn held(&mut self) -> u64 {
        self.0.iter().count() as u64
    }
}
