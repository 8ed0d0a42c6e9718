//! A design at work: what it answers, takes and holds.

use std::time::Duration;

use crate::allocations::live;
use crate::designs::{Design, Maker};
use crate::stream::{Event, Load};

/// CPU time of this process so far.
fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Time spent on events.
#[derive(Clone, Copy, Default)]
pub(crate) struct Spent {
    time: Duration,
    events: u64,
}

impl Spent {
    fn add(&mut self, time: Duration, events: u64) {
        self.time += time;
        self.events += events;
    }

    /// CPU nanoseconds per event.
    pub(crate) fn each(self) -> f64 {
        self.time.as_nanos() as f64 / self.events as f64
    }
}

pub(crate) struct Runner<I = u64> {
    design: Box<dyn Design<I>>,
    bytes: i64,
    firsts: u64,
    pub(crate) whole: Spent,
    pub(crate) steady: Spent,
}

impl<I> Runner<I> {
    pub(crate) fn new(make: Maker<I>, load: Load) -> Self {
        let before = live();
        let design = make(load);
        Self {
            design,
            bytes: live() - before,
            firsts: 0,
            whole: Spent::default(),
            steady: Spent::default(),
        }
    }

    pub(crate) fn run(&mut self, events: &[Event<I>], steady: bool) {
        let (before, start) = (live(), cpu());
        self.firsts += self.design.run(events);
        let spent = cpu() - start;
        self.bytes += live() - before;
        self.whole.add(spent, events.len() as u64);
        if steady {
            self.steady.add(spent, events.len() as u64);
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.design.name()
    }

    pub(crate) fn held(&mut self) -> u64 {
        self.design.held()
    }

    /// All that it has allocated, per id that it holds.
    pub(crate) fn bytes_per_id(&mut self) -> f64 {
        match self.held() {
            0 => 0.0,
            held => self.bytes as f64 / held as f64,
        }
    }
}

/// All exact designs must have given the same answers, or their times compare nothing.
pub(crate) fn agree<I>(runners: &[Runner<I>]) {
    for runner in runners.iter().filter(|runner| runner.design.exact()) {
        let name = runner.name();
        assert_eq!(runner.firsts, runners[0].firsts, "first ids of {name}");
    }
}
