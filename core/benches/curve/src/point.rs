//! One point of the curve: every design at so many ids held.

use crate::designs::{Maker, FIRST_SEEN, FIRST_SEEN_MANY, IDENTITY, RECORD, RECORD_MANY, STD};
use crate::peers::{MOKA, SWEPT_MAP, TTL_CACHE};
use crate::report::Row;
use crate::runner::{self, Runner};
use crate::stream::{Load, Stream};

const DESIGNS: [Maker; 7] = [
    STD,
    IDENTITY,
    SWEPT_MAP,
    RECORD,
    RECORD_MANY,
    FIRST_SEEN,
    FIRST_SEEN_MANY,
];

/// These take several times as long and as much memory, so they stop where the time allows no more.
const SLOW: [(Maker, u64); 2] = [(TTL_CACHE, 5_400_000), (MOKA, 1_000_000)];

/// From here on, three windows are all that there is time for.
const LARGE: u64 = 10_000_000;
const CHUNK: u64 = 500_000;

/// Windows of events to run before, and while, time is taken.
fn windows(held: u64, events_in_window: u64) -> (u64, u64) {
    if held >= LARGE {
        // The map's first sweep finds nothing: it is steady, too, after two windows.
        (2, 1)
    } else {
        let at_least = |windows: u64, events: u64| windows.max(events.div_ceil(events_in_window));
        (at_least(4, CHUNK), at_least(1, 2_000_000))
    }
}

pub(crate) fn measure(held: u64) -> Vec<Row> {
    let load = Load {
        rate: ((held + 27) / 54).max(1),
        window_ms: 60_000,
    };
    let slow = SLOW.iter().filter(|(_, up_to)| held <= *up_to);
    let mut runners: Vec<Runner> = DESIGNS
        .iter()
        .chain(slow.map(|(make, _)| make))
        .map(|make| Runner::new(*make, load))
        .collect();
    let mut stream = Stream::new(load);
    let events_in_window = load.rate * 60;
    let (warm, steady) = windows(held, events_in_window);
    // Whole windows, so that each measurement has its share of sweeps.
    for (windows, steady) in [(warm, false), (steady, true)] {
        let mut left = windows * events_in_window;
        while left > 0 {
            let events = stream.next(left.min(CHUNK));
            left -= events.len() as u64;
            for runner in &mut runners {
                runner.run(&events, steady);
            }
        }
    }
    runner::agree(&runners);
    runners
        .iter_mut()
        .map(|runner| Row {
            held,
            design: runner.name().to_owned(),
            ns: runner.steady.each(),
            bytes: runner.bytes_per_id(),
            held_in_fact: runner.held(),
            warm_windows: warm,
            windows: steady,
        })
        .collect()
}
